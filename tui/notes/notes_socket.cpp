#include "tui/notes/notes_socket.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/process/privileges.h"

namespace pipetop::tui {
namespace {

// A page is one line, so a line feed in a text is written as \n, and \ as \\. A scene's texts have
// no tabs.
std::string escaped(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\' || c == '\n') line += '\\';
    line += c == '\n' ? 'n' : c == '\t' ? ' ' : c;
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    text += escape && line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last;
}

constexpr size_t kMaxReaders = 8;
constexpr size_t kMaxLineBytes = 256 * 1024;
constexpr const char* kSocketName = "pipetop-notes.socket";

// Not through a link, which somebody else may have put there.
bool is_owners_directory(const std::string& path, uid_t uid) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == uid &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    throw Error(fmt::format("{}: the path is too long for a socket", path), Exit::refused);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

UniqueFd make_socket() {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw SystemError("socket", errno);
  return fd;
}

bool connects(const UniqueFd& fd, const std::string& path) {
  const sockaddr_un address = address_of(path);
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

UniqueFd connect_to(const std::string& path) {
  UniqueFd fd = make_socket();
  if (!connects(fd, path)) fd.reset();
  return fd;
}

// EAGAIN: more wait for it than it takes.
bool somebody_listens(const std::string& path) {
  const UniqueFd fd = make_socket();
  return connects(fd, path) || errno == EAGAIN;
}

// The process at the other end.
bool is_one_of(const UniqueFd& fd, uid_t uid) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  return getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == uid || peer.uid == 0);
}

// False if it is gone, or too slow to have room for all of it.
bool send_all(const UniqueFd& fd, std::string_view text) {
  const ssize_t sent = send(fd.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(text.size());
}

// What it sends is of no interest, only that it is still there.
bool is_there(const UniqueFd& fd) {
  std::array<char, 4096> nothing;
  const ssize_t got = recv(fd.get(), nothing.data(), nothing.size(), MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string place_for(const std::vector<std::string>& directories, uid_t uid) {
  for (const std::string& directory : directories)
    if (is_owners_directory(directory, uid)) return directory;
  const std::string& last = directories.back();
  if (mkdir(last.c_str(), 0700) == 0 && is_owners_directory(last, uid)) return last;
  throw Error(fmt::format("{} is not a directory of user {} alone: remove it", last, uid),
              Exit::refused);
}

}  // namespace

std::string notes_line(const NotesPage& page) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", page.scene, page.scenes, page.begun_ns,
                     page.entered_ns, escaped(page.title), escaped(page.next), escaped(page.notes));
}

std::optional<NotesPage> parse_notes(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const std::vector<std::string> parts = split(line, '\t');
  NotesPage page;
  if (parts.size() != 7 || !read_number(parts[0], page.scene) ||
      !read_number(parts[1], page.scenes) || !read_number(parts[2], page.begun_ns) ||
      !read_number(parts[3], page.entered_ns))
    return {};
  page.title = unescaped(parts[4]);
  page.next = unescaped(parts[5]);
  page.notes = unescaped(parts[6]);
  return page;
}

User notes_owner() {
  const User caller = user_to_become();
  return caller.uid != 0 ? caller : User{geteuid(), getegid()};
}

std::vector<std::string> notes_directories(const char* runtime, uid_t uid,
                                           const std::string& temporary) {
  std::vector<std::string> directories;
  if (runtime && *runtime == '/') directories.emplace_back(runtime);
  directories.push_back(fmt::format("/run/user/{}", uid));
  directories.push_back(fmt::format("{}/pipetop-{}", temporary, uid));
  return directories;
}

std::vector<std::string> notes_directories() {
  const uid_t uid = notes_owner().uid;
  // Under sudo the variable may be root's.
  return notes_directories(uid == geteuid() ? std::getenv("XDG_RUNTIME_DIR") : nullptr, uid);
}

NotesServer::NotesServer(const std::vector<std::string>& directories, const User& owner)
    : owner_(owner) {
  const AsUser as_owner(owner_);
  const std::string path = place_for(directories, owner_.uid) + "/" + kSocketName;
  if (somebody_listens(path))
    throw Error("another talk is being given: the notes are of that one", Exit::refused);
  unlink(path.c_str());  // left by a killed process
  const sockaddr_un address = address_of(path);
  UniqueFd fd = make_socket();
  const mode_t before = umask(0177);
  const int failed = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(before);
  if (failed != 0) throw SystemError(path, error);
  path_ = path;
  listening_ = std::move(fd);
  if (listen(listening_.get(), static_cast<int>(kMaxReaders)) != 0) throw SystemError(path, errno);
}

NotesServer::~NotesServer() {
  if (path_.empty()) return;
  const AsUser as_owner(owner_);
  unlink(path_.c_str());
}

void NotesServer::accept_readers() {
  for (size_t i = 0; i < kMaxReaders; ++i) {
    UniqueFd fd(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    if (readers_.size() < kMaxReaders && is_one_of(fd, owner_.uid))
      readers_.push_back({std::move(fd)});
  }
}

void NotesServer::serve(const NotesPage& page) {
  accept_readers();
  if (line_.empty() || page != page_) {
    page_ = page;
    line_ = notes_line(page);
    for (Reader& reader : readers_) reader.up_to_date = false;
  }
  std::erase_if(readers_, [&](Reader& reader) {
    if (!is_there(reader.fd)) return true;
    if (reader.up_to_date) return false;
    reader.up_to_date = true;
    return !send_all(reader.fd, line_);
  });
}

bool NotesReader::update(const std::vector<std::string>& directories, uid_t uid) {
  for (const std::string& directory : directories) {
    if (fd_) break;
    if (!is_owners_directory(directory, uid)) continue;
    fd_ = connect_to(directory + "/" + kSocketName);
    if (fd_ && !is_one_of(fd_, uid)) fd_.reset();
    text_.clear();
  }
  if (fd_) read_lines();
  return connected();
}

void NotesReader::read_lines() {
  std::array<char, 16384> chunk;
  for (;;) {
    const ssize_t got = recv(fd_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0 || text_.size() > kMaxLineBytes) return fd_.reset();
    text_.append(chunk.data(), static_cast<size_t>(got));
    for (size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1))
      if (auto page = parse_notes(std::string_view(text_).substr(0, end))) page_ = std::move(page);
  }
}

}  // namespace pipetop::tui

#include "tui/notes/notes.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/screen/shell.h"

namespace pipetop::tui {
namespace {

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

constexpr int kMargin = 2;

std::string elapsed(uint64_t since_ns, uint64_t now_ns) {
  return since_ns == 0 ? "--:--" : elapsed_text(now_ns - std::min(since_ns, now_ns));
}

void draw_head(const Area& line, const NotesState& view) {
  Pen pen(line, 0, kMargin);
  pen.text("pipetop notes", Style::title);
  if (view.page) pen.text(fmt::format("   scene {} of {}", view.page->scene, view.page->scenes));
  if (view.page && view.page->recorded) pen.skip(2).text(" RECORDING ", {Style::mark, kReverse});
  if (view.page && view.page->black)
    pen.skip(2).text(" SCREEN IS BLACK ", {Style::error, kReverse});
  const int right = line.cols() - kMargin - columns_of(view.clock);
  if (pen.col() + 2 < right) line.put(0, right, view.clock, Style::value);
}

// Each line of the text is a paragraph. Returns the rows used.
int draw_paragraphs(const Area& area, const std::string& text, Style style = Style::plain) {
  int row = 0;
  for (const std::string& paragraph : split(text, '\n')) {
    if (row >= area.rows()) break;
    row += std::max(1, wrap(area.from_row(row), paragraph, style));
  }
  return row;
}

// What the scene expects, and what to say if it is not so. Returns the rows used.
int draw_checks(const Area& area, const NotesPage& page) {
  int row = 0;
  for (const NotesCheck& check : page.checks)
    row += check.against.empty()
               ? wrap(area.from_row(row), "as expected: " + check.expected, Style::good)
               : wrap(area.from_row(row), "NOT as expected: " + check.against, Style::warning);
  const bool disappoints = std::ranges::any_of(
      page.checks, [](const NotesCheck& check) { return !check.against.empty(); });
  if (disappoints && !page.otherwise.empty())
    row += draw_paragraphs(area.from_row(row), "say: " + page.otherwise, Style::value);
  return row;
}

void draw_times(const Area& line, const NotesState& view) {
  const NotesPage& page = *view.page;
  const uint64_t in_scene =
      page.entered_ns == 0 ? 0 : view.now_ns - std::min(page.entered_ns, view.now_ns);
  Pen times(line, 0, kMargin);
  times.text("talk  ", Style::dim).text(elapsed(page.begun_ns, view.now_ns), Style::value);
  times.text("   scene  ", Style::dim);
  const bool late = page.planned_ns > 0 && in_scene > page.planned_ns;
  times.text(elapsed(page.entered_ns, view.now_ns), late ? Style::warning : Style::value);
  if (page.planned_ns > 0) {
    const uint64_t left = page.planned_ns - std::min(page.planned_ns, in_scene) + page.after_ns;
    times.text(" of ", Style::dim).text(elapsed_text(page.planned_ns), Style::value);
    times.text("   left  ", Style::dim).text(elapsed_text(left), Style::value);
  }
  if (!view.connected) times.text("   the talk has ended", Style::warning);
}

void draw_foot(const Area& lines, const NotesState& view) {
  const NotesPage& page = *view.page;
  const auto put = [&](int row, std::string_view name, const std::string& text, Style style) {
    Pen pen(lines, row, kMargin);
    pen.text(name, Style::dim);
    lines.put_fitted(row, pen.col(), pen.room() - kMargin, text, style);
  };
  put(0, "next  ", page.next.empty() ? "the end" : page.next, Style::plain);
  std::string caption = page.next_caption;
  std::ranges::replace(caption, '\n', ' ');
  if (lines.rows() >= 3) put(1, "      ", caption, Style::dim);
  draw_times(lines.from_row(lines.rows() - 1), view);
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

class NotesApp final : public Screen {
 public:
  uint64_t period_ns(uint64_t) const override { return 100 * kMs; }

  bool tick(uint64_t now_ns) override {
    state_.now_ns = now_ns;
    reader_.update(notes_directories(), notes_owner().uid);
    return true;
  }

  void lay_out(int, int) override {}
  void draw(Canvas& canvas) const override {
    draw_notes(canvas, {reader_.page(), reader_.connected(), state_.now_ns, clock_text()});
  }

  // Nothing can be clicked, but text selected.
  bool uses_mouse() const override { return false; }

 protected:
  ScreenState& common() override { return state_; }
  std::vector<KeyTable> key_tables() const override { return {terminal_keys()}; }

 private:
  ScreenState state_;
  NotesReader reader_;
};

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NotesCheck, expected, against)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NotesPage, scene, scenes, title, notes, next, next_caption,
                                   begun_ns, entered_ns, planned_ns, after_ns, black, recorded,
                                   checks, otherwise)

std::string notes_line(const NotesPage& page) {
  using Json = nlohmann::json;
  return Json(page).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<NotesPage> parse_notes(std::string_view line) {
  try {
    return nlohmann::json::parse(line).get<NotesPage>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
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

void draw_notes(Canvas& canvas, const NotesState& view) {
  const Area all(canvas, {0, 0, canvas.rows(), canvas.cols()});
  draw_head(all, view);
  const int inner_cols = std::max(0, all.cols() - 2 * kMargin);
  if (!view.page) {
    wrap(all.part({2, kMargin, all.rows(), inner_cols}),
         "No talk yet: this shows the notes as soon as pipetop present has begun. q quits.",
         Style::plain);
    return;
  }
  const int foot_rows = all.rows() >= 12 ? 3 : 2;
  const int foot = std::max(3, all.rows() - foot_rows);
  draw_foot(all.from_row(foot, foot_rows), view);
  const Area body = all.part({2, kMargin, std::max(0, foot - 3), inner_cols});
  const int row = wrap(body, view.page->title, {Style::title, kBold}) + 1;
  // Long notes must not push them off the screen.
  Canvas scratch(canvas.glyphs());
  scratch.reset(body.rows(), body.cols());
  const int checks = draw_checks(Area(scratch, {0, 0, body.rows(), body.cols()}), *view.page);
  const int room = std::max(0, body.rows() - row - (checks > 0 ? checks + 1 : 0));
  const int used = draw_paragraphs(body.from_row(row, room), view.page->notes);
  draw_checks(body.from_row(row + used + 1), *view.page);
}

int run_notes(const Config& config) {
  NotesApp notes;
  return run_screen(notes, config);
}

}  // namespace pipetop::tui

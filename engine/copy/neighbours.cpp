#include "engine/copy/neighbours.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/unique_fd.h"

namespace pipetop {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Directory open_directory(int at, const char* path) {
  const int fd = ::openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = fd < 0 ? nullptr : ::fdopendir(fd);
  if (directory == nullptr && fd >= 0) ::close(fd);
  return Directory(directory);
}

// The numbers among the names of a directory.
template <class Function>
void for_each_number(DIR* directory, const Function& function) {
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) function(number);
  }
}

// "pipe:[4711]", or the path of a FIFO.
std::string link_text(int at, const char* path) {
  std::array<char, PATH_MAX> text;
  const ssize_t length = ::readlinkat(at, path, text.data(), text.size());
  return length < 0 ? "" : std::string(text.data(), size_t(length));
}

// The permissions of the link are those of the descriptor.
bool may(int at, const char* path, mode_t what) {
  struct stat status {};
  return ::fstatat(at, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && (status.st_mode & what) != 0;
}

bool holds_pipe(int process, const std::string& link, mode_t access) {
  const Directory files = open_directory(process, "fd");
  bool found = false;
  if (!files) return false;
  for_each_number(files.get(), [&](int fd) {
    const std::string name = std::to_string(fd);
    const int at = ::dirfd(files.get());
    found = found || (link_text(at, name.c_str()) == link && may(at, name.c_str(), access));
  });
  return found;
}

// Its name and its parent, from /proc/PID/stat: "7 (a (b) c) S 1 ..."
std::optional<PipeHolder> holder(pid_t pid, int process) {
  const UniqueFd file(::openat(process, "stat", O_RDONLY | O_CLOEXEC));
  std::array<char, 256> bytes;
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  const std::string_view text(bytes.data(), size_t(std::max<ssize_t>(got, 0)));
  const size_t begin = text.find('('), end = text.rfind(')');
  if (begin == text.npos || end == text.npos || text.size() < end + 5) return {};
  PipeHolder found{pid, 0, std::string(text.substr(begin + 1, end - begin - 1))};
  std::from_chars(text.data() + end + 4, text.data() + text.size(), found.parent);
  return found;
}

}  // namespace

std::vector<PipeHolder> holders_of_other_end(int fd, const std::stop_token& stop) {
  struct stat status {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return {};
  const std::string link = link_text(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str());
  const Directory processes = open_directory(AT_FDCWD, "/proc");
  std::vector<PipeHolder> holders;
  if (link.empty() || !processes) return holders;
  const mode_t access = (flags & O_ACCMODE) == O_RDONLY ? S_IWUSR : S_IRUSR;
  for_each_number(processes.get(), [&](pid_t pid) {
    if (stop.stop_requested()) return;
    const UniqueFd process(::openat(::dirfd(processes.get()), std::to_string(pid).c_str(),
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (pid == ::getpid() || !process || !holds_pipe(process.get(), link, access)) return;
    if (const auto found = holder(pid, process.get())) holders.push_back(*found);
  });
  return holders;
}

std::string names_of(std::vector<PipeHolder> holders) {
  const auto all = holders;
  std::erase_if(holders, [&](const PipeHolder& one) {
    return std::ranges::find(all, one.pid, &PipeHolder::parent) != all.end();
  });
  if (holders.empty()) return "";
  const std::string& first = holders.front().name;
  return holders.size() == 1 ? first : fmt::format("{} and {} more", first, holders.size() - 1);
}

}  // namespace pipetop

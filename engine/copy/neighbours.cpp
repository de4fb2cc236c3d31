#include "engine/copy/neighbours.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "engine/process/proc_files.h"

namespace pipetop {
namespace {

// The permissions of the link are those of the descriptor.
bool may(int at, const char* path, mode_t what) {
  struct stat status {};
  return ::fstatat(at, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && (status.st_mode & what) != 0;
}

bool holds_pipe(pid_t pid, const std::string& link, mode_t access) {
  NumberedNames files(fmt::format("/proc/{}/fd", pid));
  while (const auto fd = files.next()) {
    const std::string name = std::to_string(*fd);
    if (read_link(name, files.fd()) == link && may(files.fd(), name.c_str(), access)) return true;
  }
  return false;
}

}  // namespace

std::vector<PipeHolder> holders_of_other_end(int fd, const std::stop_token& stop) {
  struct stat status {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return {};
  const std::string link = read_link(fmt::format("/proc/self/fd/{}", fd));
  std::vector<PipeHolder> holders;
  if (link.empty()) return holders;
  const mode_t access = (flags & O_ACCMODE) == O_RDONLY ? S_IWUSR : S_IRUSR;
  NumberedNames processes("/proc");
  while (const auto pid = stop.stop_requested() ? std::nullopt : processes.next()) {
    if (*pid == ::getpid() || !holds_pipe(*pid, link, access)) continue;
    if (const auto stat = read_task_stat(*pid))
      holders.push_back({*pid, stat->parent, std::string(stat->comm())});
  }
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

#include "engine/watch/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

constexpr std::string_view kTable = "pipetop watch lists all pipes";

// Nothing if `text` is not a whole number.
std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || text.starts_with('-')) return {};
  return number;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

[[noreturn]] void throw_hidden(const std::string& what) {
  throw Error(fmt::format("no permission to see {}; run as root: sudo pipetop watch", what),
              Exit::refused);
}

PipeId find_fifo(const std::string& path, const PipeScan& scan) {
  const std::string name = one_line(path);
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0)
    throw SystemError(fmt::format("cannot read {}", name), errno, Exit::usage);
  if (!S_ISFIFO(status.st_mode))
    throw Error(fmt::format("{} is no FIFO; give one, a PID or PID:FD", name));
  const PipeId id{static_cast<uint32_t>(status.st_dev), status.st_ino};
  if (std::ranges::binary_search(scan.pipes, id, {}, &ScannedPipe::id)) return id;
  // On btrfs, BPF sees another device than stat shows: of those with its number, the one that is
  // it.
  for (const ScannedPipe& pipe : scan.pipes) {
    if (pipe.id.inode != status.st_ino) continue;
    for (const PipeEnd& end : pipe.ends) {
      struct stat held = {};
      const std::string link = fmt::format("/proc/{}/fd/{}", end.process.pid, end.fd);
      if (::stat(link.c_str(), &held) == 0 && held.st_dev == status.st_dev &&
          held.st_ino == status.st_ino)
        return pipe.id;
    }
  }
  if (scan.unreadable > 0)
    throw Error(fmt::format("no process of yours has {} open; to see those of others, run it as "
                            "root: sudo pipetop watch",
                            name),
                Exit::refused);
  throw Error(fmt::format("nobody has {} open; start what writes or reads it first", name));
}

PipeId find_descriptor(pid_t pid, int fd, const PipeScan& scan, const WatchParts& parts) {
  const ProcessId process = find_process(pid, parts);
  for (const ScannedPipe& pipe : scan.pipes)
    for (const PipeEnd& end : pipe.ends)
      if (end.process.pid == process.pid && end.fd == fd) return pipe.id;
  const std::string link = one_line(parts.link_of(process.pid, fd));
  if (!link.empty())
    throw Error(
        fmt::format("descriptor {} of process {} is {}, not a pipe; {}", fd, pid, link, kTable));
  if (scan.unreadable > 0 && parts.link_of(process.pid, 0).empty())
    throw_hidden(fmt::format("process {}", pid));
  throw Error(fmt::format("process {} has no descriptor {}; see ls -l /proc/{}/fd", pid, fd, pid));
}

}  // namespace

WatchTarget parse_target(std::string_view text) {
  const auto wrong = [&] {
    return Error(fmt::format("\"{}\" is no target: give a PID, PID:FD or the path of a FIFO",
                             one_line(text)));
  };
  WatchTarget target;
  const size_t colon = text.find(':');
  if (text.empty()) throw wrong();
  if (!is_digits(text.substr(0, colon))) {  // a path: one of digits only is written ./12
    target.path = text;
    return target;
  }
  const auto pid = number_of(text.substr(0, colon));
  if (!pid || *pid <= 0) throw wrong();
  target.pid = *pid;
  if (colon == text.npos) return target;
  const auto fd = number_of(text.substr(colon + 1));
  if (!fd) throw wrong();
  target.fd = *fd;
  return target;
}

PipeId find_pipe(const WatchTarget& target, const PipeScan& scan, const WatchParts& parts) {
  return target.pid == 0 ? find_fifo(target.path, scan)
                         : find_descriptor(target.pid, target.fd, scan, parts);
}

ProcessId find_process(pid_t pid, const WatchParts& parts) {
  if (const auto process = parts.identify(pid)) return *process;
  throw Error(fmt::format("there is no process {}; pgrep -a NAME finds one by its name", pid));
}

std::string why_no_pipe(pid_t pid, const PipeScan& scan, const WatchParts& parts) {
  constexpr std::array<std::string_view, 3> names = {"stdin", "stdout", "stderr"};
  std::vector<std::string> held;
  bool seen = false;
  for (int fd = 0; fd < 3; ++fd) {
    const std::string link = one_line(parts.link_of(pid, fd));
    seen = seen || !link.empty();
    held.push_back(
        fmt::format("{} is {}", names[static_cast<size_t>(fd)], link.empty() ? "closed" : link));
  }
  if (!seen && scan.unreadable > 0) throw_hidden(fmt::format("process {}", pid));
  return fmt::format("process {} holds no pipe, and nothing that it started does: {}; {}", pid,
                     fmt::join(held, ", "), kTable);
}

}  // namespace pipetop

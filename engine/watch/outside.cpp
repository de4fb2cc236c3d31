#include "engine/watch/outside.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/observe/waits.h"
#include "engine/watch/stage_limits.h"

namespace pipetop {
namespace {

constexpr double kPolls = 0.1;      // from which share on descriptors are asked for
constexpr size_t kMostThreads = 8;  // that are asked
using IsInside = std::function<bool(uint64_t)>;

// Nothing if it isn't open.
std::optional<bool> is_fed(const WatchParts& parts, pid_t pid, int fd, const IsInside& is_inside) {
  const std::string name = parts.link_of(pid, fd);
  if (name.empty()) return {};
  const auto [wait, inode, named] = observe::descriptor_wait(name, {});
  if (wait == WaitsFor::network) return !is_inside(inode);
  // Nearly everybody has a terminal to type at and to complain to.
  return name == "anon_inode:inotify" ||
         (wait == WaitsFor::terminal && fd != STDIN_FILENO && fd != STDERR_FILENO);
}

// Nothing: its memory may not be read.
std::optional<bool> polls_outside(const WatchParts& parts, const ScannedTask& thread,
                                  const IsInside& is_inside) {
  if (!parts.poll_set_of) return {};
  const auto polled = parts.poll_set_of(thread.process.pid, thread.tid);
  if (!polled) return {};
  return std::ranges::any_of(*polled, [&](const observe::Polled& one) {
    return is_fed(parts, thread.process.pid, one.fd, is_inside).value_or(false);
  });
}

std::optional<bool> holds_outside(const WatchParts& parts, pid_t pid, const IsInside& is_inside) {
  std::optional<bool> outside;
  for (int fd = 0; fd < kAskedFds; ++fd)
    if (const auto fed = is_fed(parts, pid, fd, is_inside))
      outside = outside.value_or(false) || *fed;
  return outside;
}

}  // namespace

bool joins_stages(const Pipe& pipe, uint64_t socket_inode) {
  return pipe.socket && !pipe.socket->from_outside && pipe.socket->read_inode != 0 &&
         (pipe.id.inode == socket_inode || pipe.socket->read_inode == socket_inode);
}

void find_outside(const WatchParts& parts, std::span<const ScannedTask> threads,
                  const IsInside& is_inside, Stage& stage) {
  if (!stage.shares.has_value() || stage.shares->elsewhere[size_t(WaitsFor::poll)] < kPolls) {
    stage.outside.reset();
    return;
  }
  std::optional<bool> outside;
  size_t asked = 0;
  for (const ScannedTask& thread : threads) {
    if (thread.wait != WaitsFor::poll || asked == kMostThreads) continue;
    ++asked;
    const auto polls = polls_outside(parts, thread, is_inside);
    if (polls) outside = outside.value_or(false) || *polls;
  }
  if (!outside && asked > 0) outside = holds_outside(parts, stage.id.pid, is_inside);
  if (outside) stage.outside = outside;
}

}  // namespace pipetop

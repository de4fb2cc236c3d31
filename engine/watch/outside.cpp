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
// 0: it is none.
uint64_t socket_of(const std::string& name) {
  const auto refers = observe::descriptor_wait(name, {});
  return refers.wait == WaitsFor::network ? refers.inode : 0;
}

// Nothing if it isn't open.
std::optional<bool> is_fed(const std::string& name, int fd, const InnerSockets& inner) {
  if (name.empty()) return {};
  const auto [wait, inode, named] = observe::descriptor_wait(name, {});
  if (wait == WaitsFor::network) return !inner.has(inode);
  // Nearly everybody has a terminal to type at and to complain to.
  return name == "anon_inode:inotify" ||
         (wait == WaitsFor::terminal && fd != STDIN_FILENO && fd != STDERR_FILENO);
}

std::optional<bool> holds_outside(const WatchParts& parts, pid_t pid, const InnerSockets& inner) {
  std::optional<bool> outside;
  for (int fd = 0; fd < kAskedFds; ++fd)
    if (const auto fed = is_fed(parts.link_of(pid, fd), fd, inner))
      outside = outside.value_or(false) || *fed;
  return outside;
}

}  // namespace

void InnerSockets::add(const Pipe& pipe) {
  if (!pipe.socket || pipe.socket->from_outside || pipe.socket->read_inode == 0) return;
  written.insert(pipe.id.inode);
  read.insert(pipe.socket->read_inode);
}

void find_outside(const WatchParts& parts, std::span<const ScannedTask> threads,
                  const InnerSockets& inner, Stage& stage) {
  if (!stage.shares.has_value() || stage.shares->elsewhere[size_t(WaitsFor::poll)] < kPolls) {
    stage.outside.reset();
    stage.polls_peer = false;
    return;
  }
  std::optional<bool> outside;
  bool peer = false;
  size_t asked = 0;
  for (const ScannedTask& thread : threads) {
    if (thread.wait != WaitsFor::poll || asked == kMostThreads) continue;
    ++asked;
    if (!parts.poll_set_of) continue;
    const auto polled = parts.poll_set_of(stage.id.pid, thread.tid);
    if (!polled) continue;  // its memory may not be read
    outside = outside.value_or(false);
    for (const observe::Polled& one : *polled) {
      const std::string name = parts.link_of(stage.id.pid, one.fd);
      outside = *outside || is_fed(name, one.fd, inner).value_or(false);
      peer = peer || (one.reads && inner.is_replied_at(socket_of(name)));
    }
  }
  if (outside)
    stage.polls_peer = peer;
  else if (asked > 0)
    outside = holds_outside(parts, stage.id.pid, inner);
  if (outside) stage.outside = outside;
}

void look_at_poll(const WatchParts& parts, std::span<const ScannedTask> threads,
                  uint32_t most_looks, uint32_t& looks, Stage& stage) {
  const auto polls = std::ranges::find(threads, WaitsFor::poll, &ScannedTask::wait);
  if (polls == threads.end() || !parts.poll_set_of) return;
  const auto polled = parts.poll_set_of(stage.id.pid, polls->tid);
  if (!polled) return;
  looks = std::min(looks + 1, most_looks);
  stage.polls_nothing += (double(polled->empty()) - stage.polls_nothing) / looks;
}

}  // namespace pipetop

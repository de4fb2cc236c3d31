#include "engine/observe/poll_set.h"

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "engine/base/text.h"
#include "engine/observe/waits.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

constexpr size_t kWordBits = 64;
constexpr size_t kLongestList = 1 << 16;  // bytes of an epoll instance's fdinfo

// Nothing if it may not be read, or isn't there.
template <class Item>
std::optional<std::vector<Item>> copy_of_memory(pid_t pid, uint64_t address, size_t count) {
  std::vector<Item> items(count);
  if (count == 0 || address == 0) return std::vector<Item>();
  const iovec here = {items.data(), count * sizeof(Item)};
  const iovec there = {reinterpret_cast<void*>(address), count * sizeof(Item)};
  const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  if (got != static_cast<ssize_t>(count * sizeof(Item))) return {};
  return items;
}

bool is_poll(int64_t number) {
#ifdef SYS_poll
  if (number == SYS_poll) return true;
#endif
  return number == SYS_ppoll;
}

bool is_select(int64_t number) {
#ifdef SYS_select
  if (number == SYS_select) return true;
#endif
  return number == SYS_pselect6;
}

bool is_epoll(int64_t number) {
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return true;
#endif
  constexpr int64_t kEpollPwait2 = 441;  // later than some headers
  return number == SYS_epoll_pwait || number == kEpollPwait2;
}

}  // namespace

std::vector<Polled> polled_by_poll(std::span<const pollfd> fds) {
  std::vector<Polled> polled;
  for (const pollfd& one : fds) {
    const Polled what = {one.fd, (one.events & (POLLIN | POLLRDNORM)) != 0,
                         (one.events & (POLLOUT | POLLWRNORM)) != 0};
    if (one.fd >= 0 && (what.reads || what.writes)) polled.push_back(what);
  }
  return polled;
}

std::vector<Polled> polled_by_select(std::span<const uint64_t> reads,
                                     std::span<const uint64_t> writes, int count) {
  const auto has = [](std::span<const uint64_t> set, size_t fd) {
    return fd / kWordBits < set.size() && (set[fd / kWordBits] >> fd % kWordBits & 1) != 0;
  };
  std::vector<Polled> polled;
  for (size_t fd = 0; fd < size_t(std::max(count, 0)); ++fd)
    if (has(reads, fd) || has(writes, fd))
      polled.push_back({int(fd), has(reads, fd), has(writes, fd)});
  return polled;
}

std::vector<Polled> polled_by_epoll(std::string_view fdinfo) {
  std::vector<Polled> polled;
  for (const std::string& line : split(fdinfo, '\n')) {
    int fd = -1;
    uint32_t events = 0;
    if (std::sscanf(line.c_str(), "tfd: %d events: %" SCNx32, &fd, &events) != 2 || fd < 0)
      continue;
    const Polled what = {fd, (events & EPOLLIN) != 0, (events & EPOLLOUT) != 0};
    if (what.reads || what.writes) polled.push_back(what);
    if (polled.size() == kMostPolled) break;
  }
  return polled;
}

std::optional<std::vector<Polled>> poll_set_of(pid_t pid, pid_t tid) {
  const auto call = parse_system_call(read_proc_file(pid, fmt::format("task/{}/syscall", tid)));
  if (!call) return {};
  if (is_epoll(call->number)) {
    const std::string list =
        read_proc_file(pid, fmt::format("fdinfo/{}", call->fd(0)), kLongestList);
    return list.empty() ? std::nullopt : std::optional(polled_by_epoll(list));
  }
  if (is_poll(call->number)) {
    const auto count = std::min<uint64_t>(call->argument[1], kMostPolled);
    const auto fds = copy_of_memory<pollfd>(pid, call->argument[0], count);
    return fds ? std::optional(polled_by_poll(*fds)) : std::nullopt;
  }
  if (!is_select(call->number)) return {};
  const int count = std::clamp(call->fd(0), 0, int(kMostPolled));
  const size_t words = (size_t(count) + kWordBits - 1) / kWordBits;
  const auto reads = copy_of_memory<uint64_t>(pid, call->argument[1], words);
  const auto writes = copy_of_memory<uint64_t>(pid, call->argument[2], words);
  if (!reads || !writes) return {};
  return polled_by_select(*reads, *writes, count);
}

}  // namespace pipetop::observe

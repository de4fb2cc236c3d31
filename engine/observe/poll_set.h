// What a thread that sleeps in poll, select or epoll_wait waits for: from the arguments of its
// call, the lists in its memory, and /proc's list of an epoll instance.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pipetop::observe {

struct Polled {
  int fd = -1;
  bool reads = false, writes = false;  // what it waits to do there

  bool operator==(const Polled&) const = default;
};

inline constexpr size_t kMostPolled = 1024;  // of each call; the rest is left out

// Empty if it only waits for the end of a time. Nothing if it is in another call, or its memory may
// not be read.
std::optional<std::vector<Polled>> poll_set_of(pid_t pid, pid_t tid);

// ---- its parts ----

std::vector<Polled> polled_by_poll(std::span<const pollfd> fds);

// The sets of select(2), in which descriptor N is bit N % 64 of word N / 64.
std::vector<Polled> polled_by_select(std::span<const uint64_t> reads,
                                     std::span<const uint64_t> writes, int count);

// The text of /proc/PID/fdinfo/EPOLL: a line "tfd: 5 events: 19 data: ..." for each.
std::vector<Polled> polled_by_epoll(std::string_view fdinfo);

}  // namespace pipetop::observe

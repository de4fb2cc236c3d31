// The poll sets of processes that really sleep in these calls.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "engine/observe/poll_set.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"

namespace pipetop::observe {
namespace {

using Set = std::vector<Polled>;

constexpr int kIn = 20, kOut = 21;  // of each child: an empty pipe, and a full one

int wait_in(const std::function<void()>& call) {
  int empty[2], full[2];
  if (pipe(empty) != 0 || pipe2(full, O_NONBLOCK) != 0) return 1;
  while (write(full[1], "x", 1) == 1) continue;
  dup2(empty[0], kIn);
  dup2(full[1], kOut);
  call();
  return 0;
}

// Nothing if it isn't in such a call in the end.
std::optional<Set> set_of(const std::function<void()>& call) {
  const Child child([&] { return wait_in(call); });
  std::optional<Set> set;
  (void)eventually([&] {
    set = poll_set_of(child.pid(), child.pid());
    return set.has_value();
  });
  if (set) std::ranges::sort(*set, {}, &Polled::fd);  // epoll's are in no order
  return set;
}

TEST(PollSetOf, EachCallThatPolls) {
  const Set both = {{kIn, true, false}, {kOut, false, true}};
  EXPECT_EQ(set_of([] {
              pollfd fds[] = {{kIn, POLLIN, 0}, {kOut, POLLOUT, 0}};
              poll(fds, 2, -1);
            }),
            both);
  EXPECT_EQ(set_of([] {
              pollfd fds[] = {{kIn, POLLIN, 0}, {kOut, POLLOUT, 0}};
              ppoll(fds, 2, nullptr, nullptr);
            }),
            both);
  EXPECT_EQ(set_of([] {
              fd_set reads, writes;
              FD_ZERO(&reads);
              FD_ZERO(&writes);
              FD_SET(kIn, &reads);
              FD_SET(kOut, &writes);
              select(kOut + 1, &reads, &writes, nullptr, nullptr);
            }),
            both);
  EXPECT_EQ(set_of([] {
              const int epoll = epoll_create1(0);
              epoll_event in{}, out{}, got{};
              in.events = EPOLLIN;
              out.events = EPOLLOUT;
              epoll_ctl(epoll, EPOLL_CTL_ADD, kIn, &in);
              epoll_ctl(epoll, EPOLL_CTL_ADD, kOut, &out);
              epoll_wait(epoll, &got, 1, -1);
            }),
            both);
  EXPECT_EQ(set_of([] { poll(nullptr, 0, 1'000'000); }), Set()) << "it waits for a time";
}

TEST(PollSetOf, IsOfNobodyElse) {
  const Child child([]() -> int {
    for (;;) pause();
  });
  EXPECT_FALSE(poll_set_of(child.pid(), child.pid())) << "it waits for a signal";
  EXPECT_FALSE(poll_set_of(0, 0));
}

}  // namespace
}  // namespace pipetop::observe

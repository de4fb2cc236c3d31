// Runs a test's body in a process and a network of its own.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/test_pipe.h"
#include "engine/workload/percpu/private_network.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

inline constexpr RuleShape kPercpu{.kind = Profile::mirred, .no_percpu = false};
inline constexpr RuleShape kNoPercpu{.kind = Profile::mirred, .no_percpu = true};

enum class As {
  caller,  // as root: a network namespace alone
  nobody,  // no privilege: in a user namespace; only root can become nobody
};

inline void become_nobody() {
  ASSERT_EQ(setgroups(0, nullptr), 0);
  ASSERT_EQ(setresgid(65534, 65534, 65534), 0);
  ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
}

// In the child. Its EXPECTs print by themselves.
inline void run_body(As as, const std::function<void(unsigned)>& body) {
  try {
    if (as == As::nobody) become_nobody();
    if (testing::Test::HasFailure()) return;
    body(enter_private_network());
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

inline void in_private_network(As as, const std::function<void(unsigned)>& body) {
  fflush(nullptr);
  Child child([&] {
    run_body(as, body);
    fflush(nullptr);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(child.wait(), 0) << "see the failures above";
}

// What `body` says in a process of its own.
inline std::string said_in_child(const std::function<std::string()>& body) {
  TestPipe words;
  const Child child([&] {
    dprintf(words.in.get(), "%s", body().c_str());
    return 0;
  });
  words.in.reset();
  char text[512];
  const ssize_t length = read(words.out.get(), text, sizeof(text));
  return std::string(text, length > 0 ? static_cast<size_t>(length) : 0);
}

// Why this machine lets nobody have a network of their own; "" if it does.
inline std::string why_no_private_network(As as = As::caller) {
  return said_in_child([&]() -> std::string {
    if (as == As::nobody) become_nobody();
    try {
      enter_private_network();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  });
}

// The same of a user namespace, for somebody with CAP_SYS_ADMIN: there is none in a chroot.
inline std::string why_no_user_namespace() {
  return said_in_child([]() -> std::string {
    if (unshare(CLONE_NEWUSER) == 0) return "";
    return "no user namespace: " + std::generic_category().message(errno);
  });
}

// Ends a test that this machine has not the means for, if there is a `why`, which may not pass
// where CI says that all has to work. To be called last, or with a look at IsSkipped() behind it.
inline void skip_or_fail(const std::string& why) {
  if (why.empty()) return;
  if (bpf_is_required()) FAIL() << why;
  GTEST_SKIP() << why;
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override { skip_or_fail(why_no_private_network()); }
};

}  // namespace pipetop::percpu

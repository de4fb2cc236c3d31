#include "engine/workload/percpu/private_network.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace pipetop::percpu {
namespace {

void expect_names(const std::string& words, const std::string& part) {
  EXPECT_NE(words.find(part), std::string::npos) << words;
  EXPECT_NE(words.find("; "), std::string::npos) << "no remedy: " << words;
}

TEST(WhyNoNetwork, NamesTheSysctlThatForbidsIt) {
  expect_names(why_no_network(EPERM, {.unprivileged_userns_clone = 0}),
               "kernel.unprivileged_userns_clone=1");
  expect_names(why_no_network(EPERM, {.apparmor_restrict_unprivileged_userns = 1}),
               "kernel.apparmor_restrict_unprivileged_userns=0");
  // AppArmor lets the namespace be made, then refuses its uid map.
  expect_names(why_no_network(EACCES, {.apparmor_restrict_unprivileged_userns = 2}),
               "kernel.apparmor_restrict_unprivileged_userns=0");
  expect_names(why_no_network(ENOSPC, {.max_user_namespaces = 0, .max_net_namespaces = 7}),
               "user.max_user_namespaces = 0, user.max_net_namespaces = 7");
}

TEST(WhyNoNetwork, LooksBeyondTheSysctls) {
  expect_names(why_no_network(EINVAL, {}), "CONFIG_USER_NS");
  expect_names(why_no_network(EPERM, {.unprivileged_userns_clone = 1}), "seccomp");
  expect_names(why_no_network(ENOMEM, {}), "memory");
}

}  // namespace
}  // namespace pipetop::percpu

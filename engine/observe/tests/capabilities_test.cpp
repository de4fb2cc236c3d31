#include "engine/observe/capabilities.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace pipetop::observe {
namespace {

constexpr Circumstances kAllowed = {
    .can_load_bpf = true, .has_kernel_btf = true, .perf_event_paranoid = 2, .kptr_restrict = 0};

TEST(Capabilities, WithoutPrivilegeTheRemedyIsSudo) {
  EXPECT_EQ(why_and_remedy({"load the sampler", EPERM, "noise"}, {}),
            "needs CAP_BPF and CAP_PERFMON; run pipetop with sudo");
}

TEST(Capabilities, NamesMissingBtf) {
  Circumstances no_btf = kAllowed;
  no_btf.has_kernel_btf = false;
  EXPECT_NE(why_and_remedy({"load the sampler", ESRCH, ""}, no_btf).find("CONFIG_DEBUG_INFO_BTF"),
            std::string::npos);
}

TEST(Capabilities, KeepsLibbpfsLastWords) {
  EXPECT_EQ(why_and_remedy({"load the ring reader", EINVAL, "libbpf: prog 'look': no"}, kAllowed),
            "load the ring reader: Invalid argument (libbpf: prog 'look': no); "
            "Linux 6.1 or later is needed");
}

TEST(Capabilities, EveryRefusalHasAReasonAndARemedy) {
  for (const int error : {EPERM, EACCES, ENOMEM, EMFILE, ENOSYS, EOPNOTSUPP, EINVAL, ENOENT}) {
    for (const char* step : {"perf_event_open", "load the sampler"}) {
      const std::string words = why_and_remedy({step, error, ""}, kAllowed);
      EXPECT_NE(words.find("; "), std::string::npos) << words;
      EXPECT_EQ(words.find('\n'), std::string::npos) << words;
    }
  }
}

TEST(Capabilities, HiddenAddressesNameTheSysctl) {
  Circumstances hidden = kAllowed;
  hidden.kptr_restrict = 2;
  EXPECT_NE(why_no_addresses(hidden).find("kernel.kptr_restrict=1"), std::string::npos);
  EXPECT_NE(why_no_addresses({}).find("sudo"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::observe

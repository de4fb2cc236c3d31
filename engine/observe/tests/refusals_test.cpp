#include "engine/observe/refusals.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace pipetop::observe {
namespace {

constexpr Circumstances kAllowed = {.can_load_bpf = true,
                                    .may_see_addresses = true,
                                    .has_kernel_btf = true,
                                    .is_old_kernel = false,
                                    .perf_event_paranoid = 2,
                                    .kptr_restrict = 0};

TEST(Refusals, WithoutPrivilegeTheRemedyIsSudo) {
  EXPECT_EQ(why_and_remedy({"load the sampler", EPERM, "noise"}, {}),
            "needs root; sudo pipetop, or see pipetop help privileges");
}

TEST(Refusals, NamesMissingBtf) {
  Circumstances no_btf = kAllowed;
  no_btf.has_kernel_btf = false;
  EXPECT_NE(why_and_remedy({"load the sampler", ESRCH, ""}, no_btf).find("CONFIG_DEBUG_INFO_BTF"),
            std::string::npos);
}

TEST(Refusals, KeepsLibbpfsWords) {
  const Refusal refusal = {"load the ring reader", EINVAL, "libbpf: prog 'look': no"};
  const std::string why = "load the ring reader: Invalid argument (libbpf: prog 'look': no); ";
  Circumstances old = kAllowed;
  old.is_old_kernel = true;
  EXPECT_EQ(why_and_remedy(refusal, old), why + "Linux 6.1 or later is needed");
  EXPECT_EQ(why_and_remedy(refusal, kAllowed),
            why + "this is a bug of pipetop: report it with this line");
}

TEST(Refusals, FindsTheVerifiersComplaint) {
  EXPECT_EQ(verifiers_complaint("libbpf: prog 'look': -- BEGIN PROG LOAD LOG --\n"
                                "0: (bf) r6 = r1\n"
                                "R1 invalid mem access 'scalar'\n"
                                "processed 12 insns (limit 1000000) max_states_per_insn 0\n"
                                "-- END PROG LOAD LOG --\n"),
            "verifier: R1 invalid mem access 'scalar'");
}

TEST(Refusals, EveryRefusalHasAReasonAndARemedy) {
  for (const int error : {EPERM, EACCES, ENOMEM, EMFILE, ENOSYS, EOPNOTSUPP, EINVAL, ENOENT}) {
    for (const char* step : {"perf_event_open", "load the sampler"}) {
      const std::string words = why_and_remedy({step, error, ""}, kAllowed);
      EXPECT_NE(words.find("; "), std::string::npos) << words;
      EXPECT_EQ(words.find('\n'), std::string::npos) << words;
    }
  }
}

// Debian's kernels ask CAP_SYS_ADMIN for any event where this is 3, their default.
TEST(Refusals, ParanoiaAboutEventsNamesTheSysctl) {
  Circumstances paranoid = kAllowed;
  paranoid.perf_event_paranoid = 3;
  EXPECT_EQ(why_and_remedy({"perf_event_open", EACCES, ""}, paranoid),
            "perf_event_open: Permission denied; sudo sysctl kernel.perf_event_paranoid=2");
}

TEST(Refusals, HiddenAddressesNameTheSysctl) {
  Circumstances hidden = kAllowed;
  hidden.kptr_restrict = 2;
  EXPECT_NE(why_no_addresses(hidden).find("kernel.kptr_restrict=1"), std::string::npos);
  Circumstances no_syslog = kAllowed;
  no_syslog.may_see_addresses = false;
  EXPECT_NE(why_no_addresses(no_syslog).find("CAP_SYSLOG"), std::string::npos);
  EXPECT_EQ(why_no_addresses({}), "needs root; sudo pipetop, or see pipetop help privileges");
  EXPECT_NE(why_no_addresses(kAllowed).find("CONFIG_KALLSYMS"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::observe

// How a program of tests runs them, and what may be skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace pipetop {

// Where CI says that BPF has to work, its absence is a failure and no skip.
inline bool bpf_is_required() {
  const char* required = std::getenv("PIPETOP_REQUIRE_BPF");
  return required && std::string_view(required) == "1";
}

// The exit status of main(): 0, 1 if a test failed, or 77 if all were skipped. Where nothing may be
// skipped for want of BPF, a suite of nothing but skips fails; a single test may have another
// reason.
inline int run_tests(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (failed || tests.successful_test_count() > 0 || tests.skipped_test_count() == 0) return failed;
  return bpf_is_required() && tests.skipped_test_count() > 1 ? 1 : 77;
}

}  // namespace pipetop

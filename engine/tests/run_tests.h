// How a program of tests runs them, what may be skipped, and what a failed test tells.
//
// A test is one of three kinds. Logic: invented clocks and inputs, nothing is waited for; all tests
// of the unit programs. Real: the real kernel, and facts that no load can change. Measured: a
// reading within a tolerance; its suite has "Measured" in its name. A measured test forces a state
// and checks, by what isn't ours, that it was forced: PIPETOP_FORCED. It holds if one of three
// windows holds, each in a process of its own; a window in which the state was not forced doesn't
// count.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace pipetop {

// Where CI says that BPF has to work, its absence is a failure and no skip.
inline bool bpf_is_required() {
  const char* required = std::getenv("PIPETOP_REQUIRE_BPF");
  return required && std::string_view(required) == "1";
}

// CI has more time than who changes something: some tests try more there.
inline bool is_thorough() { return std::getenv("PIPETOP_THOROUGH"); }

// The exit status of main(): 0, 1 if a test failed, or 77 if all were skipped. Where nothing may be
// skipped for want of BPF, a suite of nothing but skips fails; a single test may have another
// reason. Each measured test adds a line to the file $PIPETOP_WINDOWS, if there is one:
// "NAME held|failed WINDOWS UNFORCED".
int run_tests(int argc, char** argv);

// For its life, what a test that fails or hangs tells beside its own words: what a program printed,
// what was seen of a pipeline.
class ToldOnFailure {
 public:
  explicit ToldOnFailure(std::function<std::string()> tell);
  ~ToldOnFailure();
  ToldOnFailure(const ToldOnFailure&) = delete;
  ToldOnFailure& operator=(const ToldOnFailure&) = delete;

  const std::function<std::string()>& tell() const { return tell_; }

 private:
  std::function<std::string()> tell_;
};

// Ends the window unless the state was forced in it.
#define PIPETOP_FORCED(was_forced)                           \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                              \
  if (const ::testing::AssertionResult forced{was_forced}) { \
  } else                                                     \
    FAIL() << ::pipetop::kNotForced << #was_forced << " " << forced.message() << " "
inline constexpr std::string_view kNotForced = "not forced: ";

}  // namespace pipetop

// Recordings of enemies, as `pipetop replay` and `pipetop shot` meet them.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "engine/recording/tests/hostile_recordings.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

constexpr long kMostKiB = 256 << 10;
constexpr int kGroups = 20;

// Little of a sanitizer's memory is ours.
constexpr bool kSanitized = PIPETOP_SANITIZED;

// The most that any child has taken so far.
long most_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

// All of them take minutes, under a sanitizer an hour.
int step() { return is_thorough() && !kSanitized ? kGroups : 4 * kGroups; }

class HostileRecordings : public testing::TestWithParam<int> {};

TEST_P(HostileRecordings, NoneCrashesOrTakesMuchMemory) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("hostile.ptop"), real = content_of(PIPETOP_REAL_RECORDING);
  ASSERT_FALSE(real.empty());
  int replayed = 0;
  for (int i = GetParam(); i < recording::kHostileRecordings; i += step()) {
    std::ofstream(path, std::ios::binary) << recording::hostile_recording(real, i);
    const std::vector<std::vector<std::string>> commands = {
        {"replay", path, "--info", "--format", "json"},
        {"shot", "--replay", path, "--size", "120x36", "--output", "/dev/null"}};
    for (const auto& arguments : commands) {
      Program program(arguments);
      const int status = program.wait();
      ASSERT_TRUE(status == 0 || status == 1)
          << i << ": " << arguments[0] << ": " << status << ", " << program.err();
      ASSERT_TRUE(kSanitized || most_memory_kib() <= kMostKiB)
          << i << ": " << arguments[0] << ": " << most_memory_kib() << " KiB";
      replayed += status == 0;
    }
  }
  EXPECT_TRUE(!is_thorough() || kSanitized || replayed > 0) << "some of them begin well";
}

INSTANTIATE_TEST_SUITE_P(All, HostileRecordings, testing::Range(0, kGroups));

}  // namespace
}  // namespace pipetop::tui

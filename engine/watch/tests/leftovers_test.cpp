// A pipetop was killed: its guardian puts back what it changed or, if that is killed too, whoever
// finds the record does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/process/privileges.h"
#include "engine/process/tests/foreign_process.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/watch/intervention_words.h"
#include "engine/watch/interventions.h"

namespace pipetop {
namespace {

class LeftoversTest : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED_COPIES(); }

  // A pipetop that has changed two pipes, and waits.
  std::unique_ptr<ForeignProcess> pipetop() {
    const TestPipe told;
    auto changer = std::make_unique<ForeignProcess>([&] {
      static Interventions changes(folder);
      for (const TestPipe* one : {&pipe, &other})
        changes.resize(one->id, {{process.id(), one->out.get()}}, 256 * 1024);
      told.put();
    });
    EXPECT_EQ(told.take(), 1);
    return changer;
  }
  static pid_t guardian_of(pid_t pid) {
    std::ifstream children(std::string(proc_path(pid, "task").data()) + "/" + std::to_string(pid) +
                           "/children");
    pid_t guardian = 0;
    children >> guardian;
    return guardian;
  }
  // Both, so that nobody is left to put it back.
  void leave_changed() {
    const auto changer = pipetop();
    kill(changer->pid(), SIGSTOP);
    const pid_t guardian = guardian_of(changer->pid());
    ASSERT_NE(guardian, 0);
    kill(guardian, SIGKILL);
    ASSERT_TRUE(eventually([&] { return is_gone(guardian); }));
    changer->end();
  }

  static bool says(const std::string& text, const char* part) {
    return text.find(part) != text.npos;
  }
  static int size_of(const TestPipe& of) { return fcntl(of.in.get(), F_GETPIPE_SZ); }
  bool is_changed() const { return size_of(pipe) == 256 * 1024 && size_of(other) == 256 * 1024; }
  bool is_as_before() const { return size_of(pipe) == 65536 && size_of(other) == 65536; }

  ScratchDirectory scratch;
  std::string folder = scratch.path();
  TestPipe pipe{O_NONBLOCK}, other;
  ForeignProcess process;
};

TEST_F(LeftoversTest, TheGuardianPutsBackAndRemovesTheRecord) {
  const auto changer = pipetop();
  EXPECT_TRUE(is_changed());
  EXPECT_EQ(find_leftovers(folder).in_use, 1);
  const pid_t guardian = guardian_of(changer->pid());
  changer->end();
  EXPECT_TRUE(eventually([&] { return is_as_before(); }));
  EXPECT_TRUE(eventually([&] { return is_gone(guardian); }));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(LeftoversTest, TheGuardianKeepsOnlyWhatItNeeds) {
  const auto changer = pipetop();
  const std::string proc = proc_path(guardian_of(changer->pid()), "status").data();
  std::ifstream status(proc);
  std::string line;
  while (std::getline(status, line) && !line.starts_with("CapPrm:")) continue;
  const uint64_t has = std::stoull(line.substr(7), nullptr, 16);
  EXPECT_EQ(has & ~capabilities({CAP_SYS_PTRACE, CAP_SYS_RESOURCE}), 0u) << line;
  int open = 0;
  const std::string fds = std::filesystem::path(proc).parent_path() / "fd";
  for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator(fds)) ++open;
  EXPECT_EQ(open, 2) << "its end of the socket, and the record";
}

TEST_F(LeftoversTest, WhatBothLeaveIsNamedAndPutBack) {
  EXPECT_TRUE(find_leftovers(folder).empty());
  leave_changed();
  const Leftovers leftovers = find_leftovers(folder);
  EXPECT_EQ(leftovers.changes.size(), 2u);
  EXPECT_TRUE(says(leftovers_text(leftovers), ": 64 KiB -> 256 KiB")) << leftovers_text(leftovers);
  EXPECT_TRUE(says(leftovers_text(leftovers), "; pipetop watch --put-back"));
  EXPECT_TRUE(is_changed());
  const PutBackReport report = put_back_leftovers(folder);
  EXPECT_EQ(report.done.size(), 2u);
  EXPECT_TRUE(report.left.empty()) << report.left[0];
  EXPECT_TRUE(is_as_before());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_TRUE(put_back_leftovers(folder).done.empty()) << "once";
}

TEST_F(LeftoversTest, WhatIsFullOrSetAnewStaysAsItIs) {
  leave_changed();
  const std::array<char, 4096> page = {};
  while (write(pipe.in.get(), page.data(), page.size()) > 0) continue;
  ASSERT_EQ(fcntl(other.in.get(), F_SETPIPE_SZ, 131072), 131072);
  const PutBackReport report = put_back_leftovers(folder);
  ASSERT_EQ(report.left.size(), 1u);
  EXPECT_TRUE(says(report.left[0], "262144 bytes are in the pipe")) << report.left[0];
  EXPECT_EQ(size_of(other), 131072);
  EXPECT_EQ(find_leftovers(folder).changes.size(), 1u) << "it is still to be put back";
}

TEST_F(LeftoversTest, OfProcessesThatHaveEndedNothingIsSaid) {
  leave_changed();
  process.end();
  EXPECT_TRUE(find_leftovers(folder).empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(LeftoversTest, ADamagedRecordIsSaidAndIgnored) {
  leave_changed();
  for (const auto& file : std::filesystem::directory_iterator(folder))
    std::filesystem::resize_file(file.path(), 30);
  EXPECT_TRUE(says(leftovers_text(find_leftovers(folder)), "is damaged"));
  const PutBackReport report = put_back_leftovers(folder);
  ASSERT_EQ(report.left.size(), 1u);
  EXPECT_TRUE(says(report.left[0], "is damaged")) << report.left[0];
  EXPECT_TRUE(is_changed());
}

}  // namespace
}  // namespace pipetop

// The scanner without privileges, on pipes and processes of the test's own.
#include "engine/base/system_files.h"
#include "engine/observe/tests/scan_checks.h"
#include "engine/observe/waits.h"

namespace pipetop::observe {
namespace {

class ProcPipeScanner : public testing::Test {
 protected:
  // Needs to see those of a child's threads, which a sandbox may refuse.
  void need_system_calls() {
    const Child child([] { return pause(); });
    const std::string file = "/proc/" + std::to_string(child.pid()) + "/syscall";
    if (!parse_system_call(read_head(file, 4096))) GTEST_SKIP() << file << " may not be read";
  }

  std::unique_ptr<PipeScanner> scanner_ = make_proc_pipe_scanner("no reason; none");
};

TEST_F(ProcPipeScanner, SaysWhatItIs) {
  const PipeScan scan = scanner_->scan();
  EXPECT_EQ(scan.source, ScanSource::proc);
  EXPECT_TRUE(scan.reason.starts_with("no reason; none")) << scan.reason;
  EXPECT_FALSE(scan.idle_sockets);
  const std::string off = make_pipe_scanner(BpfUse::off)->scan().reason;
  EXPECT_TRUE(off.starts_with("BPF is switched off; run without --no-bpf")) << off;
}

TEST_F(ProcPipeScanner, EndsOfForks) { check_ends_of_forks(*scanner_); }
TEST_F(ProcPipeScanner, Fifos) { check_fifos(*scanner_); }
TEST_F(ProcPipeScanner, Bytes) { check_bytes(*scanner_, 100'000'000); }
TEST_F(ProcPipeScanner, SomeProcesses) { check_some_processes(*scanner_); }
TEST_F(ProcPipeScanner, Parts) { check_parts(*scanner_); }
TEST_F(ProcPipeScanner, Cut) { check_cut(*scanner_); }
TEST_F(ProcPipeScanner, AProcessWithoutPipes) { check_process_without_pipe(*scanner_); }
TEST_F(ProcPipeScanner, NobodyNotices) { check_nobody_notices(*scanner_); }

TEST_F(ProcPipeScanner, BlockedEnds) {
  need_system_calls();
  if (!IsSkipped()) check_blocked_ends(*scanner_);
}
TEST_F(ProcPipeScanner, BlockedBetween) {
  need_system_calls();
  if (!IsSkipped()) check_blocked_between(*scanner_);
}
TEST_F(ProcPipeScanner, OtherWaits) {
  need_system_calls();
  if (!IsSkipped()) check_other_waits(*scanner_);
}
TEST_F(ProcPipeScanner, Threads) {
  need_system_calls();
  if (!IsSkipped()) check_threads(*scanner_);
}
TEST_F(ProcPipeScanner, ALockedPipe) {
  need_system_calls();
  if (!IsSkipped()) check_locked(*scanner_);
}
TEST_F(ProcPipeScanner, AnEndedFirstThread) { check_ended_first_thread(*scanner_); }
TEST_F(ProcPipeScanner, WhoTheyAre) {
  need_system_calls();
  if (!IsSkipped()) check_who_they_are(*scanner_);
}

// What it doesn't know of a pipe is not 0.
TEST_F(ProcPipeScanner, TheRingIsUnknown) {
  TestPipe pipe;
  const PipeScan scan = scanner_->scan();
  const ScannedPipe* seen = pipe_in(scan, pipe.id);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->ring);
  EXPECT_FALSE(seen->readers);
  EXPECT_FALSE(seen->writers);
}

// Nobody has agreed that ends of all of this machine's pipes are copied.
TEST_F(ProcPipeScanner, RootAsksOpenPipesOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  TestPipe pipe, other;
  PipeScan scan = scanner_->scan();
  EXPECT_NE(scan.reason.find("of an open pipeline only"), scan.reason.npos) << scan.reason;
  for (const ScannedPipe& seen : scan.pipes) EXPECT_FALSE(seen.capacity || seen.queued);
  scanner_->set_open({pipe.id});
  const ProcessId self = id_of_process(getpid());
  EXPECT_TRUE(eventually([&] {
    scan = scanner_->scan(std::span(&self, 1));
    return pipe_in(scan, pipe.id)->capacity == 65536u;
  }));
  EXPECT_FALSE(pipe_in(scan, other.id)->capacity);
  scanner_->set_open({});
  scan = scanner_->scan();
  EXPECT_FALSE(pipe_in(scan, pipe.id)->capacity);
}

// At most ten times a second, whoever asks.
TEST_F(ProcPipeScanner, APipeIsAskedRarely) {
  TestPipe pipe;
  scanner_->set_open({pipe.id});
  const PipeScan first = scanner_->scan();
  const uint64_t at_ns = pipe_in(first, pipe.id)->at_ns;
  const ProcessId self = id_of_process(getpid());
  uint64_t later_ns = at_ns;
  EXPECT_TRUE(eventually(
      [&] {
        const PipeScan scan = scanner_->scan(std::span(&self, 1));
        later_ns = pipe_in(scan, pipe.id)->at_ns;
        return later_ns != at_ns;
      },
      [] {}));
  EXPECT_GE(later_ns, at_ns + 100'000'000);
}

// Nobody's but root's, for anybody else.
TEST_F(ProcPipeScanner, WhoseDescriptorsMayNotBeListedIsCounted) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  Child other([] {
    TestPipe pipe;
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 2;
    prctl(PR_SET_DUMPABLE, 1);  // as if it had been started by that user
    const PipeScan scan = make_proc_pipe_scanner("")->scan();
    const ScannedPipe* own = pipe_in(scan, pipe.id);
    if (!own || own->ends.size() != 2 || own->capacity != 65536u) return 3;
    return scan.unreadable > 0 && pipe_in(scan, {0, 0}) == nullptr ? 0 : 4;
  });
  ASSERT_TRUE(eventually([&] { return other.ended(); }));
  EXPECT_EQ(other.ending(), 0);
}

}  // namespace
}  // namespace pipetop::observe

// Functions and occupancy of processes and pipes whose truth is known.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "engine/base/clock.h"
#include "engine/observe/observers.h"
#include "engine/observe/sampler.h"
#include "engine/observe/symbols.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/proc_files.h"
#include "engine/tests/support/schedstat_window.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

class Sampling : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED(observers_.event()); }

  // Polls until the role has `wanted` samples.
  FunctionTable sample(Role role, uint64_t wanted) {
    Reading<FunctionTable> reading;
    EXPECT_TRUE(eventually([&] {
      poll();
      reading = observers_.functions(role);
      return reading.has_value() && reading->samples >= wanted;
    })) << reading.reason;
    return reading.has_value() ? *reading : FunctionTable{};
  }

  void poll() {
    const uint64_t now_ns = monotonic_ns();
    if (polled_ns_ != 0) longest_pause_ns_ = std::max(longest_pause_ns_, now_ns - polled_ns_);
    observers_.poll(polled_ns_ = now_ns);
  }

  // At 999 Hz, where the kernel allows as many.
  std::string source() { return fmt::format("switches, {} Hz", observers_.event()->hz); }

  // Whether the samples were fetched as often as the sampler asks for.
  bool polled_in_time() const { return longest_pause_ns_ < 100'000'000; }

  Occupancy occupancy(uint64_t wanted) {
    Reading<Occupancy> reading;
    EXPECT_TRUE(eventually([&] {
      poll();
      reading = observers_.occupancy(monotonic_ns());
      return reading.has_value() && reading->samples >= wanted;
    })) << reading.reason;
    return reading.has_value() ? *reading : Occupancy{};
  }

  TestPipe pipe_{O_NONBLOCK};
  Observers observers_{{.frequency_hz = 999, .functions_window_ns = 0, .pipe_fd = pipe_.out.get()}};

 private:
  uint64_t polled_ns_ = 0, longest_pause_ns_ = 0;
};

// Returns when it has run for so long.
void let_run(const BusyChild& child, uint64_t ns) {
  const auto on_cpu_ns = [&] { return read_process_stats(child.pid())->times.on_cpu_ns; };
  const uint64_t end_ns = on_cpu_ns() + ns;
  ASSERT_TRUE(eventually([&] { return on_cpu_ns() >= end_ns; }));
}

// The highest share among the rows with `part` in their names.
double children_share(const FunctionTable& table, std::string_view part) {
  double share = 0;
  for (const FunctionRow& row : table.rows())
    if (row.name.find(part) != std::string::npos)
      share = std::max(share, table.share(row.children_samples));
  return share;
}

void write_and_read_back() {
  static TestPipe pipe{O_NONBLOCK};
  static char buffer[65536];
  if (write(pipe.in.get(), buffer, sizeof(buffer)) < 0) _exit(1);
  if (read(pipe.out.get(), buffer, sizeof(buffer)) < 0) _exit(1);
}

// What processes spend their time on; they do nothing else, and the kernel's books say that they
// did it.
class MeasuredSampling : public Sampling {
 protected:
  // Since it began, by /proc/PID/io.
  static testing::AssertionResult wrote_and_read(const BusyChild& child) {
    const auto io = read_process_io(child.pid());
    if (io && io->writes > 10 && io->reads > 10) return testing::AssertionSuccess();
    return testing::AssertionFailure() << (io ? io->writes : 0) << " writes";
  }
};

TEST_F(MeasuredSampling, NamesTheKernelFunctionsOfAProcess) {
  const BusyChild child(write_and_read_back);
  observers_.watch(Role::writer, child.pid());
  EXPECT_EQ(observers_.functions(Role::reader).status, ReadingStatus::warming);
  const FunctionTable table = sample(Role::writer, 100);
  PIPETOP_FORCED(wrote_and_read(child));
  // Named anon_pipe_write by some kernels, pipe_write by others.
  EXPECT_GT(children_share(table, "pipe_write"), 0.1);
  EXPECT_GT(children_share(table, "pipe_read"), 0.1);
  EXPECT_GT(children_share(table, "do_syscall_64") + children_share(table, "el0_svc"), 0.5);
  EXPECT_EQ(children_share(table, "vmsplice"), 0.0);
  if (polled_in_time()) {
    EXPECT_EQ(table.lost, 0u);
  }
  uint64_t self = 0;
  for (const FunctionRow& row : table.rows()) {
    self += row.self_samples;
    EXPECT_LE(row.self_samples, row.children_samples) << row.name;
    EXPECT_LE(row.children_samples, table.samples) << row.name;
  }
  EXPECT_EQ(self, table.samples);
  EXPECT_TRUE(std::ranges::is_sorted(table.rows(), std::greater{}, &FunctionRow::self_samples));
}

// "entry_SYSCALL_64_after_hwframe;do_syscall_64;..." of every place in the tree.
std::vector<std::string> chains_of(const CallTree& tree) {
  std::vector<std::string> chains;
  for (const CallNode& node : tree.nodes) {
    const std::string name(node.function.name());
    chains.push_back(node.parent == CallNode::kNone ? name : chains[node.parent] + ";" + name);
  }
  return chains;
}

TEST_F(MeasuredSampling, TheTreeGoesFromTheSystemCallDown) {
  const BusyChild child(write_and_read_back);
  observers_.watch(Role::writer, child.pid());
  const FunctionTable table = sample(Role::writer, 100);
  PIPETOP_FORCED(wrote_and_read(child));
  uint64_t self = 0, under_vfs_write = 0, in_user_mode = 0;
  const std::vector<std::string> chains = chains_of(*table.tree);
  for (size_t i = 0; i < chains.size(); ++i) {
    const CallNode& node = table.tree->nodes[i];
    self += node.self;
    const size_t vfs = chains[i].find("vfs_write;"), pipe = chains[i].find("pipe_write");
    if (vfs < pipe && pipe != std::string::npos) under_vfs_write += node.self;
    if (chains[i] == "[user]") in_user_mode = node.total;
  }
  EXPECT_EQ(self, table.samples);
  EXPECT_EQ(table.tree->total, table.samples);
  EXPECT_GT(under_vfs_write, table.samples / 10);
  EXPECT_EQ(in_user_mode, std::llround(children_share(table, "[user]") * double(table.samples)));
}

TEST_F(Sampling, ASegmentKeepsWhatLeavesTheWindow) {
  const BusyChild child(write_and_read_back);
  Observers observers({.functions_window_ns = 100'000'000});
  observers.watch(Role::writer, child.pid());
  EXPECT_TRUE(eventually([&] {
    observers.poll(monotonic_ns());
    const auto window = observers.functions(Role::writer);
    const auto segment = observers.functions(Role::writer, observe::Span::segment);
    return window.has_value() && segment.has_value() && segment->samples > window->samples + 50;
  }));
  observers.restart(monotonic_ns());
  EXPECT_FALSE(observers.functions(Role::writer, observe::Span::segment).has_value());
}

TEST_F(MeasuredSampling, TimeInUserModeIsOneRow) {
  const BusyChild child([] {});
  observers_.watch(Role::reader, child.pid());
  const SchedstatWindow book(child.pid());
  const FunctionTable table = sample(Role::reader, 100);
  PIPETOP_FORCED(book.sleeps() == 0);
  // Where others want the CPU as well, being switched has its share.
  const std::vector<FunctionRow> rows = table.rows();
  EXPECT_EQ(std::ranges::count(rows, "[user]", &FunctionRow::name), 1);
  const FunctionRow& most = rows.front();
  EXPECT_EQ(most.name, "[user]");
  EXPECT_EQ(most.self_samples, most.children_samples);
}

TEST_F(MeasuredSampling, RolesAreKeptApart) {
  const BusyChild writer(write_and_read_back);
  const BusyChild reader([] { getppid(); });
  observers_.watch(Role::writer, writer.pid());
  observers_.watch(Role::reader, reader.pid());
  EXPECT_GT(children_share(sample(Role::writer, 100), "pipe_write"), 0.1);
  EXPECT_EQ(children_share(sample(Role::reader, 100), "pipe_write"), 0.0);
  PIPETOP_FORCED(wrote_and_read(writer));
}

TEST_F(MeasuredSampling, AllThreadsOfAProcessAreSampled) {
  const BusyChild child([] {  // the first thread sleeps
    static std::thread busy([] {
      for (;;) write_and_read_back();
    });
    ::poll(nullptr, 0, 1000);
  });
  observers_.watch(Role::writer, child.pid());
  EXPECT_GT(children_share(sample(Role::writer, 100), "pipe_write"), 0.1);
  PIPETOP_FORCED(wrote_and_read(child));
}

TEST_F(Sampling, ARoleThatGoesToAnotherProcessForgetsOnlyItsOwnSamples) {
  const BusyChild writer(write_and_read_back);
  const BusyChild reader([] { getppid(); });
  observers_.watch(Role::writer, writer.pid());
  observers_.watch(Role::reader, reader.pid());
  ASSERT_GE(sample(Role::reader, 50).samples, 50u);
  const uint64_t before = sample(Role::writer, 50).samples;
  observers_.watch(Role::reader, 0);
  observers_.restart(Role::reader, monotonic_ns() + 3'600'000'000'000);
  let_run(writer, 50'000'000);
  poll();
  EXPECT_FALSE(observers_.functions(Role::reader).has_value());
  EXPECT_GE(observers_.functions(Role::writer)->samples, before);
}

TEST_F(Sampling, ARestartForgetsOlderSamples) {
  const BusyChild child(write_and_read_back);
  observers_.watch(Role::writer, child.pid());
  ASSERT_GE(sample(Role::writer, 50).samples, 50u);
  const uint64_t future = monotonic_ns() + 3'600'000'000'000;
  observers_.restart(future);
  let_run(child, 50'000'000);
  observers_.poll(monotonic_ns());  // brings samples that are older than the restart
  EXPECT_EQ(observers_.functions(Role::writer).status, ReadingStatus::warming);
  observers_.restart(monotonic_ns());
  EXPECT_GE(sample(Role::writer, 50).samples, 50u);
}

TEST_F(Sampling, NobodyIsSampledWhenNobodyIsWatched) {
  const BusyChild child(write_and_read_back);
  const auto sampler = observe::make_sampler(999);
  uint64_t samples = 0;
  const auto drain = [&] { sampler->drain([&](const observe::StackSample&) { ++samples; }); };
  sampler->watch(Role::writer, child.pid());
  ASSERT_TRUE(eventually([&] { return drain(), samples > 0; }));
  sampler->watch(Role::writer, 0);
  let_run(child, 20'000'000);  // for the tick that had already begun
  drain();
  samples = 0;
  let_run(child, 100'000'000);
  drain();
  EXPECT_EQ(samples, 0u);
}

// Each of them is one of the kernel's own symbols.
TEST_F(Sampling, OurOwnCodeIsKnown) {
  const auto sampler = observe::make_sampler(999);
  const auto ranges = observe::own_code();
  const auto symbols = observe::Symbols::of_this_kernel();
  ASSERT_FALSE(ranges.empty());
  for (const observe::CodeRange& range : ranges) {
    EXPECT_TRUE(symbols.name_at(range.begin).starts_with("bpf_prog_"));
    EXPECT_EQ(symbols.name_at(range.begin), symbols.name_at(range.end - 1));
  }
}

TEST_F(Sampling, AStoppedSamplerTakesNoSamplesUntilItRunsAgain) {
  const BusyChild child(write_and_read_back);
  const auto sampler = observe::make_sampler(999);
  uint64_t samples = 0;
  const auto drain = [&] { sampler->drain([&](const observe::StackSample&) { ++samples; }); };
  sampler->watch(Role::writer, child.pid());
  ASSERT_TRUE(eventually([&] { return drain(), samples > 0; }));
  sampler->run(false);
  let_run(child, 20'000'000);  // for the tick that had already begun
  drain();
  samples = 0;
  let_run(child, 100'000'000);
  drain();
  EXPECT_EQ(samples, 0u);
  sampler->run(true);
  EXPECT_TRUE(eventually([&] { return drain(), samples > 0; }));
}

// Samples per second of its CPU time, while it gets so much of it.
double hz_on(const BusyChild& child, observe::Sampler& sampler, uint64_t cpu_ns) {
  uint64_t samples = 0;
  const auto drain = [&] { sampler.drain([&](const observe::StackSample&) { ++samples; }); };
  const auto on_cpu_ns = [&] { return read_process_stats(child.pid())->times.on_cpu_ns; };
  drain();
  samples = 0;
  const uint64_t begin_ns = on_cpu_ns();
  uint64_t end_ns = begin_ns;
  EXPECT_TRUE(eventually([&] { return drain(), (end_ns = on_cpu_ns()) >= begin_ns + cpu_ns; }));
  return double(samples) * 1e9 / double(end_ns - begin_ns);
}

TEST_F(MeasuredSampling, TheRateChangesLive) {
  const BusyChild child(write_and_read_back);
  const auto sampler = observe::make_sampler(999);
  sampler->watch(Role::writer, child.pid());
  const double often = hz_on(child, *sampler, 500'000'000);
  sampler->set_rate({99}, kSecond / 99);
  const double seldom = hz_on(child, *sampler, 1'000'000'000);
  sampler->set_rate({999, false}, kSecond / 999);
  const double again = hz_on(child, *sampler, 500'000'000);
  // An emulated CPU is late with many of them, and more so while its host is busy.
  EXPECT_LT(seldom, often / 3);
  EXPECT_GT(again, seldom * 1.5);
}

TEST_F(Sampling, WhatDoesNotFitIsCountedAsLost) {
  const BusyChild child(write_and_read_back);
  const auto sampler = observe::make_sampler(100);  // the smallest buffer
  sampler->set_rate({999}, kSecond / 999);
  sampler->watch(Role::reader, child.pid());
  ASSERT_TRUE(eventually([&] { return sampler->lost(Role::reader) > 0; }));
  EXPECT_EQ(sampler->lost(Role::writer), 0u);
  uint64_t samples = 0;
  sampler->drain([&](const observe::StackSample& sample) {
    EXPECT_EQ(sample.role, Role::reader);
    ++samples;
  });
  EXPECT_GT(samples, 10u);
}

// A tick may have sampled before a restart and count after it, one on each CPU.
double straddling(const Occupancy& seen) {
  return double(sysconf(_SC_NPROCESSORS_ONLN)) / double(seen.samples);
}

TEST_F(Sampling, AnEmptyPipeIsEmptyAllTheTime) {
  observers_.restart(monotonic_ns());
  const Occupancy seen = occupancy(200);
  EXPECT_DOUBLE_EQ(seen.empty_share, 1.0);
  EXPECT_DOUBLE_EQ(seen.mean_share, 0.0);
  EXPECT_EQ(seen.source, source());
}

TEST_F(Sampling, SharedCountersTellTheSame) {
  observers_.count(BpfCounters::shared);
  Occupancy seen = occupancy(200);
  EXPECT_DOUBLE_EQ(seen.empty_share, 1.0);
  EXPECT_EQ(seen.source, source() + ", shared counters");
  pipe_.fill();
  observers_.count(BpfCounters::percpu);
  seen = occupancy(200);
  EXPECT_NEAR(seen.full_share, 1.0, straddling(seen));
  EXPECT_EQ(seen.source, source());
}

TEST_F(Sampling, AFullPipeIsFullAllTheTime) {
  pipe_.fill();
  observers_.restart(monotonic_ns());
  const Occupancy seen = occupancy(200);
  EXPECT_NEAR(seen.full_share, 1.0, straddling(seen));
  EXPECT_NEAR(seen.mean_share, 1.0, straddling(seen));
}

TEST_F(Sampling, AHalfFullPipeIsHalfFullAllTheTime) {
  ASSERT_TRUE(pipe_.resize(16 * 4096));
  for (int i = 0; i < 8; ++i) ASSERT_EQ(pipe_.put(4096), 4096);
  observers_.restart(monotonic_ns());
  const Occupancy seen = occupancy(200);
  EXPECT_NEAR(seen.mean_share, 0.5, straddling(seen));
  EXPECT_NEAR(seen.histogram[17], 1.0, straddling(seen));
}

TEST_F(Sampling, OccupancyFollowsAResize) {
  ASSERT_TRUE(pipe_.resize(16 * 4096));
  for (int i = 0; i < 8; ++i) ASSERT_EQ(pipe_.put(4096), 4096);
  ASSERT_TRUE(pipe_.resize(8 * 4096));
  observers_.restart(monotonic_ns());
  const Occupancy seen = occupancy(100);
  EXPECT_NEAR(seen.full_share, 1.0, straddling(seen));
}

}  // namespace
}  // namespace pipetop

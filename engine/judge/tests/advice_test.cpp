// What to do about a bottleneck: each state with the number that speaks for it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/base/characters.h"
#include "engine/judge/tests/made_pipelines.h"
#include "engine/judge/tests/pair_snapshots.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// "source | NAME | sink", held up by NAME.
struct Held {
  explicit Held(const std::string& name, WaitsFor wait = WaitsFor::none) {
    limit_by(pipeline, 1, wait);
    stage().name = stage().command = name;
  }
  Pipeline pipeline = made_chain({"source", "work", "sink"});
  Stage& stage() { return pipeline.stages[1]; }
  std::string advice() const { return judge_pipeline(pipeline).advice; }
};

TEST(Advice, OneThreadOfManyCpus) {
  Held held("zstd");
  held.stage().limits.idle_cpus = 3.1;
  EXPECT_EQ(held.advice(), "one thread, 97 % of a CPU, and 3.1 CPUs are idle: use zstd -T0");
  held.stage().command = "zstd -d -c";
  EXPECT_EQ(held.advice(),
            "one thread, 97 % of a CPU, and 3.1 CPUs are idle: split its work, or give it less");
  for (const char* command : {"zstd -q -T4", "zstd -T16"}) {
    held.stage().command = command;
    EXPECT_EQ(held.advice().find("use zstd"), std::string::npos) << command;
  }
  held.stage().command = "zstd";
  held.stage().limits.idle_cpus = 0.1;
  EXPECT_EQ(held.advice(), "one thread, 97 % of a CPU, and 0.1 CPUs are idle: give it less work");
  spend(held.pipeline, 1, {.cpu = 1.9, .on_cpu = 0.97});
  held.stage().threads = 4;
  EXPECT_EQ(held.advice(), "1.9 CPUs, and 0.1 CPUs are idle: give it less work, or more CPUs");
}

// tar reads small files: a faster disk alone is as little as half of a CPU's work.
TEST(Advice, WhereNoPartIsHalfEachIsSaid) {
  Held held("tar");
  StageShares shares{.cpu = 0.4, .on_cpu = 0.4};
  shares.elsewhere[size_t(WaitsFor::disk)] = 0.35;
  shares.writing = 0.05;
  spend(held.pipeline, 1, shares);
  EXPECT_EQ(
      held.advice(),
      "no part is half: it works 40 % (without that up to x1.7), waits for the disk 35 % (x1.5)");
}

TEST(Advice, SmallCalls) {
  Held held("grep");
  held.stage().limits.reads = {.per_s = 3000, .bytes = 65536};
  held.stage().limits.writes = {.per_s = 210'000, .bytes = 35};
  EXPECT_EQ(held.advice(),
            "35 B a write, 210 k times a second: write more at a time, or drop line buffering");
  held.stage().limits.reads = {.per_s = 300'000, .bytes = 1};
  EXPECT_EQ(held.advice(), "1 B a read, 300 k times a second: read more at a time");
  held.stage().limits.reads->per_s = held.stage().limits.writes->per_s = 100;
  EXPECT_EQ(held.advice().find(" times a second"), std::string::npos) << "too few to matter";
}

TEST(Advice, SmallCallsOfOneOfTheBusy) {
  Pipeline both = made_chain({"dd", "cat"});
  for (const size_t i : {0u, 1u}) spend(both, i, {.cpu = 0.99, .on_cpu = 0.99});
  EXPECT_EQ(judge_pipeline(both).advice,
            "one faster stage alone gains little: all that are busy, or more CPUs");
  both.stages[0].limits.writes = {.per_s = 1'200'000, .bytes = 1};
  EXPECT_EQ(judge_pipeline(both).advice,
            "dd: 1 B a write, 1.20 M times a second: write more at a time, or drop line buffering");
}

struct Starved : Held {
  Starved() : Held("gzip") { spend(pipeline, 1, {.cpu = 0.3, .on_cpu = 0.3, .runnable = 0.6}); }
};

TEST(Advice, AQuotaANiceValueOrOthers) {
  Starved starved;
  EXPECT_EQ(starved.advice(),
            "others use its CPU 60 % of the time: fewer of them, or more CPUs, up to x3.0");
  starved.stage().cpus = {3};
  starved.stage().limits.idle_cpus = 1.0;
  EXPECT_EQ(starved.advice(),
            "it may use CPU 3 only, and 1.0 CPUs are idle: taskset -p, up to x3.0");
  starved.stage().nice = 19;
  EXPECT_EQ(starved.advice(), "its nice value is 19: renice -n 0 -p 4002, up to x3.0");
  starved.stage().limits.quota = {.share = 0.97, .cpus = 0.3, .cgroup = "/sys/fs/cgroup/a"};
  EXPECT_EQ(starved.advice(),
            "a quota of 0.3 CPUs stops it in 97 % of its periods: raise it, up to x3.0; "
            "/sys/fs/cgroup/a");
  starved.stage().limits.quota->cpus = 1.0;
  EXPECT_EQ(starved.advice(), "its nice value is 19: renice -n 0 -p 4002, up to x3.0")
      << "it gets little of what the quota allows";
  starved.stage().limits.quota = {.share = 0.05, .cpus = 0.3, .cgroup = "/sys/fs/cgroup/a"};
  EXPECT_EQ(starved.advice(), "its nice value is 19: renice -n 0 -p 4002, up to x3.0");
}

TEST(Advice, TheDiskTheNetworkAChild) {
  Held disk("dd", WaitsFor::disk);
  disk.stage().limits.disk = {.name = "vda", .flags = "O_DSYNC", .busy = 0.4};
  disk.stage().limits.writes = {.per_s = 100, .bytes = 65536};
  EXPECT_EQ(disk.advice(),
            "each call waits for vda (O_DSYNC, 64 KiB a write): larger blocks, or sync once at "
            "the end");
  disk.stage().limits.disk = {.name = "vda", .flags = "", .busy = 0.97};
  EXPECT_EQ(disk.advice(),
            "vda is busy 97 %, 64 KiB a write: larger blocks, fewer syncs, or a faster disk");
  disk.stage().limits.reads = {.per_s = 100, .bytes = 4096};
  disk.stage().limits.disk->read_only = true;
  EXPECT_EQ(disk.advice(),
            "vda is busy 97 %, 4 KiB a read: read ahead, larger blocks, or a faster disk");

  Held network("ssh", WaitsFor::network);
  network.stage().limits.socket = {.peer = "10.0.0.1:22", .to_send = 2 << 20};
  EXPECT_EQ(network.advice(),
            "2 MiB are queued to 10.0.0.1:22: the network or its reader is slower; nothing can "
            "be done here");

  Held child("make", WaitsFor::child);
  child.stage().limits.child = {.name = "tar", .pid = 4711};
  EXPECT_EQ(child.advice(), "its child tar works for it: pipetop watch 4711");
  child.stage().limits.child->blocked = WaitsFor::pipe_write;
  EXPECT_EQ(child.advice(), "its child tar is blocked writing: pipetop watch 4711");
  EXPECT_EQ(Held("pv", WaitsFor::sleep).advice(),
            "it waits 98 % by itself, as pv -L does: see its options");
  Held datagrams("nc", WaitsFor::poll);
  datagrams.stage().outside = false;
  EXPECT_EQ(datagrams.advice(), "it waits 98 % by itself, as pv -L does: see its options");
}

// It polls a socket that isn't of a connection: somebody's datagrams.
TEST(Advice, WhoPollsWhatOthersFeedDoesNotWaitByItself) {
  Pipeline p = made_chain({"nc", "sink"});
  limit_by(p, 0, WaitsFor::poll);
  p.stages[0].outside = true;
  EXPECT_EQ(judge_pipeline(p).advice,
            "what is beyond its socket is slower; nothing can be done here");
}

TEST(Advice, EachVerdictOnAStageHasOneThatFits) {
  for (int wait = 0; wait < kWaits; ++wait) {
    if (WaitsFor(wait) == WaitsFor::pipe_read || WaitsFor(wait) == WaitsFor::pipe_write) continue;
    const Verdict verdict = judge_pipeline(Held("work", WaitsFor(wait)).pipeline);
    if (!verdict.stage) continue;
    EXPECT_FALSE(verdict.advice.empty()) << verdict.because;
    EXPECT_LE(columns_of(verdict.advice), kLineColumns);
  }
}

// ---- our own pipe: the next setting ----

std::string advice_on_pair(const Snapshot& s) {
  const Reading<Verdict> verdict = judge_pair(s);
  return verdict.has_value() ? verdict->advice : "none: " + verdict.reason;
}

TEST(Advice, NoCopiesWhereTheMutexLimitsThenMoreACall) {
  Snapshot s = ordinary();
  set_function(writer(s), "mutex_spin_on_owner", 391);
  PipeSettings& pipe = s.effective.settings.pipe;
  EXPECT_EQ(advice_on_pair(s), "try write_with vmsplice: no copy");
  pipe.write_with = WriteWith::vmsplice;
  EXPECT_EQ(advice_on_pair(s), "try read_with splice: no copy");
  pipe.read_with = ReadWith::splice;
  pipe.buf_size = 128 << 10;
  EXPECT_EQ(advice_on_pair(s), "try buf_size 512KiB: 128 KiB a call, and the mutex takes 33 %");
  pipe.buf_size = 1 << 20;
  EXPECT_EQ(advice_on_pair(s), "nothing can be done here");
}

// Measured: x3.8, where vmsplice makes it x0.7.
TEST(Advice, WhoTakesTurnsOnOneCpuNeedsAUsualPipeFirst) {
  Snapshot s = ordinary();
  for (WorkerReadings& w : s.workers) {
    w.last_cpu = Reading<int>::of(0);
    set_time(w, 0.5, 0.4);
  }
  PipeSettings& pipe = s.effective.settings.pipe;
  pipe.pipe_size = 4 << 10;
  EXPECT_EQ(advice_on_pair(s), "try pipe_size 64KiB: they take turns for each 4 KiB");
  pipe.pipe_size = 64 << 10;
  EXPECT_EQ(advice_on_pair(s), "try write_with vmsplice: no copy");
}

// Measured beside a hog on each CPU: busy loops make it 0.14 of 0.46 GiB/s.
TEST(Advice, InADisturbedWindowItIsAboutWhatDisturbs) {
  Snapshot s = ordinary();
  set_time(writer(s), 0.4, 0.35);
  set_time(reader(s), 0.35, 0.35);
  set_switches(s, 15'000);
  EXPECT_EQ(advice_on_pair(s), "end what else uses the CPUs: it takes 35 % of the writer's time");
  s.throttling = Reading<Throttling>::of({0.9, 0.1, "/sys/fs/cgroup/a"});
  EXPECT_EQ(advice_on_pair(s), "a quota of 0.1 CPUs stops it in 90 % of its periods: raise it");
}

TEST(Advice, WhoSleepsForEachOtherMaySpin) {
  Snapshot s = ordinary();
  set_time(writer(s), 0.55, 0.07);
  set_time(reader(s), 0.58, 0.05);
  set_switches(s, 15'000);
  auto host = std::make_shared<HostInfo>();
  host->cpus = 2;
  s.host = host;
  EXPECT_EQ(advice_on_pair(s), "try wait busy: a sleep takes 25 us, and moves 69.9 KiB");
  host->cpus = 1;
  EXPECT_EQ(advice_on_pair(s), "try pipe_size 1MiB: a sleep takes 25 us, and moves 69.9 KiB");
}

}  // namespace
}  // namespace pipetop

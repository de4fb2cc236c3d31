// Snapshots on which there is no verdict: every kind of evidence that is too thin
// for one.
#include <gtest/gtest.h>

#include "engine/judge/tests/pair_snapshots.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

struct NoneCase {
  const char* name;
  Edit change;
  ReadingStatus status;
  const char* reason;  // begins so
};

const NoneCase kNone[] = {
    {"the ordinary one", [](Snapshot&) {}, ReadingStatus::unavailable,
     "no single bottleneck: writer on CPU 85 % runnable 2 % blocked 13 % mutex 8 %, reader on CPU "
     "85 % runnable 2 % blocked "
     "13 % mutex 8 %; ring empty 30 %, full 25 %"},
    {"slow motion",
     [](Snapshot& s) {
       lock_bound(s);
       s.effective.settings.pipe.slow_motion = true;
     },
     ReadingStatus::unavailable, "slow motion: pipetop sets the pace"},
    {"not settled",
     [](Snapshot& s) {
       lock_bound(s);
       s.effective.settled = false;
       writer(s).state = ProcessState::changing;
     },
     ReadingStatus::warming, "the settings are not in effect yet"},
    {"a second is not over",
     [](Snapshot& s) {
       lock_bound(s);
       s.throughput.current.begin_ns = s.now_ns - 400'000'000;
     },
     ReadingStatus::warming, "0.4 s since the change, 1 s needed"},
    {"a stopped worker",
     [](Snapshot& s) {
       set_ring(s, 0, 1);
       set_time(writer(s), 0, 0);
       reader(s).state = ProcessState::stopped;
       reader(s).state_reason = "by a signal; kill -CONT 7";
     },
     ReadingStatus::unavailable, "the reader does not run freely: by a signal; kill -CONT 7"},
    {"no time measured",
     [](Snapshot& s) {
       lock_bound(s);
       writer(s).shares.on_cpu = Reading<double>::warming("no interval measured yet");
     },
     ReadingStatus::warming, "writer's time: no interval measured yet"},
    {"few samples",
     [](Snapshot& s) {
       lock_bound(s);
       writer(s).functions.value->samples = 399;
     },
     ReadingStatus::warming, "too few samples yet: writer: 399 of 400 samples"},
    {"no samples",
     [](Snapshot& s) {
       lock_bound(s);
       reader(s).functions = Reading<FunctionTable>::warming("no samples yet");
     },
     ReadingStatus::warming, "too few samples yet: reader: 0 of 400 samples"},
    {"few samples",
     [](Snapshot& s) {
       lock_bound(s);
       set_ring(s, 0.92, 0.03, 399);
     },
     ReadingStatus::warming, "too few samples yet: ring: 399 of 400 samples"},
    {"no samples",
     [](Snapshot& s) {
       lock_bound(s);
       s.ring.occupancy = Reading<Occupancy>::warming("waiting for the first sample");
     },
     ReadingStatus::warming, "too few samples yet: ring: 0 of 400 samples"},
    {"occupancy from FIONREAD",
     [](Snapshot& s) {
       writer_bound(s);
       writer(s).shares.blocked = share(0.1);
       s.ring.occupancy.value->source = "FIONREAD 10 Hz";
     },
     ReadingStatus::unavailable,
     "no single bottleneck: writer on CPU 85 % runnable 2 % blocked 10 % mutex 8 %, reader on CPU "
     "30 % runnable 0 % blocked "
     "70 % mutex 3 %; unknown: the ring (FIONREAD sees it only while the mutex is free)"},
    {"functions unavailable",
     [](Snapshot& s) {
       lock_bound(s);
       writer(s).functions = Reading<FunctionTable>::unavailable("switched off");
     },
     ReadingStatus::unavailable,
     "no single bottleneck: writer on CPU 85 % runnable 2 % blocked 13 % mutex ?, reader on CPU 85 "
     "% runnable 2 % blocked 13 "
     "% mutex 8 %; ring empty 30 %, full 25 %; unknown: writer's functions (switched off)"},
    {"time unavailable: a share of samples is none of the time",
     [](Snapshot& s) {
       lock_bound(s);
       writer(s).shares.on_cpu = writer(s).shares.runnable = writer(s).shares.blocked =
           Reading<double>::unavailable("no /proc");
     },
     ReadingStatus::unavailable,
     "no single bottleneck: writer on CPU ? runnable ? blocked ? mutex ?, reader"},
    {"an empty ring, and nobody known to wait for it",
     [](Snapshot& s) {
       writer_bound(s);
       reader(s).shares.blocked = Reading<double>::unavailable("no /proc");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"a writer that hardly runs spins little",
     [](Snapshot& s) {
       set_time(writer(s), 0.3, 0.4);
       set_function(writer(s), "mutex_spin_on_owner", 700);
     },
     ReadingStatus::unavailable,
     "no single bottleneck: writer on CPU 30 % runnable 40 % blocked 30 % mutex 21 %"},
    {"only one sleeps shortly",
     [](Snapshot& s) {
       set_time(reader(s), 0.7, 0.05);
       set_switches(s, 15'000);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"one sleeps long, as measured, and the other one while the first has no CPU",
     [](Snapshot& s) {
       set_time(writer(s), 0.25, 0.18);
       set_time(reader(s), 0.36, 0.36);
       for (WorkerReadings& w : s.workers) set_sleeps(w, 1000, 0);
       set_switches(s, 3500);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"both sleep, but long",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.7, 0.05);
       set_switches(s, 2000);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"both sleep, nobody knows how often",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.7, 0.05);
         w.voluntary_switches_per_s = Reading<double>::warming("no interval yet");
       }
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"one CPU, and it is free",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.4, 0.1);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"one CPU by chance: they run more than one can",
     [](Snapshot& s) {
       set_time(writer(s), 0.7, 0.3);
       set_time(reader(s), 0.6, 0.3);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"two CPUs, and one role is in want of its own",
     [](Snapshot& s) {
       set_time(writer(s), 0.3, 0.6);
       set_time(reader(s), 0.7, 0.2);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"CPUs unknown",
     [](Snapshot& s) {
       set_time(reader(s), 0.51, 0.47);
       for (WorkerReadings& w : s.workers) w.last_cpu = Reading<int>::warming("no interval yet");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"only the reader waits, but the ring is more full than empty",
     [](Snapshot& s) {
       set_ring(s, 0.3, 0.31);
       set_time(writer(s), 0.99, 0);
       set_time(reader(s), 0.5, 0.05);
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"only the reader waits, for all that is known",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_ring(s, 0.55, 0.1);
       reader(s).eagain_share = share(0.99);
       writer(s).eagain_share = Reading<double>::warming("no call has returned yet");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"a full ring, and nobody knows where its reader sleeps",
     [](Snapshot& s) {
       idle_reader(s);
       reader(s).blocked = Reading<BlockedTable>::warming("just started");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"a reader that does nothing, and nobody knows how full the ring is",
     [](Snapshot& s) {
       idle_reader(s);
       s.ring.occupancy = Reading<Occupancy>::unavailable("no BPF");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
    {"many calls in vain are little time, and the lock may take the rest",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_ring(s, 0.8, 0.1);
       reader(s).eagain_share = share(0.84);
       reader(s).functions = Reading<FunctionTable>::unavailable("switched off");
     },
     ReadingStatus::unavailable, "no single bottleneck"},
};

TEST(NoVerdict, OnThinEvidence) {
  for (const NoneCase& c : kNone) {
    Snapshot s = ordinary();
    c.change(s);
    const Reading<Verdict> judged = judge_pair(s);
    EXPECT_FALSE(judged.has_value()) << c.name << ": " << name_of(judged->kind);
    EXPECT_EQ(judged.status, c.status) << c.name;
    EXPECT_TRUE(judged.reason.starts_with(c.reason)) << c.name << ": " << judged.reason;
  }
}

// So that the cases above fail for their own reason.
TEST(NoVerdict, WouldElseBeOne) {
  Snapshot s = ordinary();
  lock_bound(s);
  EXPECT_EQ(judge_pair(s)->kind, Verdict::Kind::lock);
  s = ordinary();
  writer_bound(s);
  EXPECT_EQ(judge_pair(s)->kind, Verdict::Kind::writer);
}

TEST(NoVerdict, OnFewSamplesOfTheRing) {
  Snapshot s = ordinary();
  writer_bound(s);
  set_ring(s, 0.92, 0.03, 200);
  EXPECT_EQ(judge_pair(s).reason, "too few samples yet: ring: 200 of 400 samples");
}

}  // namespace
}  // namespace pipetop

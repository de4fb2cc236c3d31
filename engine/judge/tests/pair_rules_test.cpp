// The rules, on snapshots that are made up: every verdict.
#include <gtest/gtest.h>

#include "engine/judge/tests/pair_snapshots.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

struct BoundCase {
  const char* name;
  Edit change;
  Verdict::Kind kind;
  const char* because;
};

// What each verdict is made of.
const BoundCase kVerdicts[] = {
    {"the top rung, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       for (WorkerReadings& w : s.workers) set_time(w, 1, 0);
       set_function(writer(s), "mutex_spin_on_owner", 391);
       set_function(reader(s), "mutex_spin_on_owner", 182);
       set_ring(s, 0.40, 0.25);
     },
     Verdict::Kind::lock,
     "writer spins on the pipe's mutex 39 %, reader 18 %; ring empty 40 %, full 25 %"},
    {"the reader spins more",
     [](Snapshot& s) { set_function(reader(s), "__mutex_lock.constprop.0", 640); },
     Verdict::Kind::lock,
     "reader spins on the pipe's mutex 54 %, writer 8 %; ring empty 30 %, full 25 %"},
    {"a spin lock",
     [](Snapshot& s) { set_function(writer(s), "native_queued_spin_lock_slowpath", 500); },
     Verdict::Kind::lock,
     "writer spins on a spin lock 42 %, reader 8 %; ring empty 30 %, full 25 %"},
    {"they sleep for the mutex",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.6, 0);
       set_sleeps(writer(s), 1000, 500);
     },
     Verdict::Kind::lock,
     "writer waits for the pipe's mutex 26 %, reader 6 %; ring empty 30 %, full 25 %"},
    {"blocking, as measured",
     [](Snapshot& s) {
       set_time(writer(s), 0.55, 0.07);
       set_time(reader(s), 0.58, 0.05);
       set_switches(s, 15'000);
     },
     Verdict::Kind::wakeup,
     "writer sleeps 38 %, reader 37 %, for 25 and 25 us; 69.9 KiB moved per wakeup"},
    {"wakeups without functions, ring and the kind of switches",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.7, 0.05);
         w.functions = Reading<FunctionTable>::unavailable("no BPF");
         w.voluntary_switches_per_s = Reading<double>::unavailable("no BPF");
         w.context_switches_per_s = share(25'000);
       }
       s.ring.occupancy = Reading<Occupancy>::unavailable("no BPF");
       s.throughput.over_1s = Reading<double>::warming("no interval yet");
     },
     Verdict::Kind::wakeup, "writer sleeps 25 %, reader 25 %, for 10 and 10 us"},
    {"an empty ring and a blocked reader",
     [](Snapshot& s) {
       set_ring(s, 0.92, 0.03);
       set_time(reader(s), 0.1, 0);
     },
     Verdict::Kind::writer, "ring empty 92 %; reader blocked 90 %"},
    {"an empty ring and a spinning reader",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_ring(s, 0.8, 0.1);
       reader(s).eagain_share = share(0.99);
     },
     Verdict::Kind::writer, "ring empty 80 %; reader EAGAIN 99 % of its calls"},
    {"an empty ring and a polling reader",
     [](Snapshot& s) {
       set_wait(s, Wait::busy_poll);
       set_ring(s, 0.8, 0.1);
       set_time(reader(s), 1, 0);
       reader(s).poll_miss_share = share(0.989);
     },
     Verdict::Kind::writer, "ring empty 80 %; reader misses 99 % of its polls"},
    {"an empty ring and an adaptive reader that spins",
     [](Snapshot& s) {
       set_wait(s, Wait::adaptive);
       set_ring(s, 0.8, 0.1);
       set_time(reader(s), 0.9, 0);
       reader(s).eagain_share = share(0.98);
     },
     Verdict::Kind::writer, "ring empty 80 %; reader EAGAIN 98 % of its calls"},
    {"an empty ring and an adaptive reader that sleeps",
     [](Snapshot& s) {
       set_wait(s, Wait::adaptive);
       set_ring(s, 0.8, 0.1);
       set_time(reader(s), 0.1, 0);
       reader(s).eagain_share = share(0.6);
     },
     Verdict::Kind::writer, "ring empty 80 %; reader blocked 90 %"},
    {"a full ring, though the stopped reader sleeps, too",
     [](Snapshot& s) {
       set_ring(s, 0.02, 0.95);
       for (WorkerReadings& w : s.workers) set_time(w, 0.08, 0);
     },
     Verdict::Kind::reader, "ring full 95 %; writer blocked 92 %"},
    {"an empty ring, and a writer who contends with the reader's asking",
     [](Snapshot& s) {
       set_ring(s, 0.92, 0.03);
       set_time(reader(s), 0.1, 0);
       set_function(writer(s), "mutex_spin_on_owner", 400);
     },
     Verdict::Kind::writer, "ring empty 92 %; reader blocked 90 %"},
    {"a writer with a quota, and a reader on the same CPU, as measured",
     [](Snapshot& s) {
       reader(s).last_cpu = Reading<int>::of(0);
       set_time(writer(s), 0.09, 0.80);
       set_time(reader(s), 0.12, 0.11);
     },
     Verdict::Kind::writer, "writer waits for a CPU 80 %; reader blocked 77 %"},
    {"a writer with a quota, and a reader that spins on the same CPU, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       reader(s).last_cpu = Reading<int>::of(0);
       set_time(writer(s), 0.1, 0.9);
       set_time(reader(s), 0.88, 0.12);
       reader(s).eagain_share = share(0.99);
     },
     Verdict::Kind::writer, "writer waits for a CPU 90 %; reader EAGAIN 99 % of its calls"},
    {"a reader that others keep from its CPU",
     [](Snapshot& s) {
       set_ring(s, 0.02, 0.95);
       set_time(writer(s), 0.08, 0);
       set_time(reader(s), 0.1, 0.9);
     },
     Verdict::Kind::reader, "reader waits for a CPU 90 %; writer blocked 92 %"},
    {"only the reader waits, and the ring leans",
     [](Snapshot& s) {
       set_ring(s, 0.55, 0.1);
       set_time(writer(s), 0.99, 0);
       set_time(reader(s), 0.5, 0.05);
     },
     Verdict::Kind::writer, "reader blocked 45 %, writer blocked 1 %"},
    {"only the writer waits, and there is no BPF",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers)
         w.functions = Reading<FunctionTable>::unavailable("no BPF");
       set_ring(s, 0.9, 0.05);
       s.ring.occupancy.value->source = "FIONREAD 10 Hz";
       set_time(writer(s), 0.2, 0);
       set_time(reader(s), 0.6, 0.39);
     },
     Verdict::Kind::reader, "writer blocked 80 %, reader blocked 1 %; reader runnable 39 %"},
    // Polls of which the kernel spends little in poll itself.
    {"a full ring, a writer that polls and a stopped reader, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy_poll);
       set_ring(s, 0.11, 0.88);
       set_time(writer(s), 0.95, 0.05);
       set_time(reader(s), 0.10, 0.01);
       set_function(writer(s), "mutex_spin_on_owner", 63);
       set_switches(s, 20);
       set_sleeps(reader(s), 890, 0, 890);
     },
     Verdict::Kind::reader,
     "reader asleep 89 %, not because of the pipe; ring empty 11 %, full 88 %"},
    {"a frozen writer, and a reader that spins on the same CPU, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       reader(s).last_cpu = Reading<int>::of(0);
       set_ring(s, 0.82, 0.18);
       set_time(writer(s), 0.04, 0.18);
       set_time(reader(s), 0.39, 0.61);
       reader(s).eagain_share = share(0.99);
       set_sleeps(writer(s), 780, 0, 780);
     },
     Verdict::Kind::writer,
     "writer asleep 78 %, not because of the pipe; ring empty 82 %, full 18 %"},
    {"a frozen reader, and a writer that spins without a CPU of its own, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_time(writer(s), 0.11, 0.83);
       set_time(reader(s), 0.02, 0.28);
       writer(s).eagain_share = share(0.99);
       set_sleeps(reader(s), 700, 0, 700);
     },
     Verdict::Kind::reader,
     "reader asleep 70 %, not because of the pipe; ring empty 30 %, full 25 %"},
    {"a reader without a CPU, and a writer that only spins, with and without one, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_time(writer(s), 0.28, 0.30);
       set_time(reader(s), 0, 1);
       writer(s).eagain_share = share(1);
     },
     Verdict::Kind::reader, "reader waits for a CPU 100 %; writer EAGAIN 100 % of its calls"},
    {"an empty ring, and calls so dear that few of the reader's in vain fit in",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_ring(s, 0.8, 0.1);
       reader(s).eagain_share = share(0.5);
     },
     Verdict::Kind::writer, "ring empty 80 %; reader EAGAIN 50 % of its calls"},
    {"blocking, where a wakeup takes ten times as long",
     [](Snapshot& s) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.58, 0.05);
         set_sleeps(w, 1000, 0);
       }
       set_switches(s, 1500);
     },
     Verdict::Kind::wakeup,
     "writer sleeps 37 %, reader 37 %, for 247 and 247 us; 699 KiB moved per wakeup"},
    {"an empty ring, a reader that polls and a writer without a CPU",
     [](Snapshot& s) {
       set_wait(s, Wait::busy_poll);
       set_ring(s, 0.88, 0.11);
       set_time(writer(s), 0.10, 0.90);
       set_time(reader(s), 1, 0);
     },
     Verdict::Kind::writer, "ring empty 88 %; writer idle 90 %; writer runnable 90 %"},
    {"one CPU, blocking",
     [](Snapshot& s) {
       reader(s).last_cpu = Reading<int>::of(0);
       set_time(writer(s), 0.48, 0.02);
       set_time(reader(s), 0.51, 0.47);
       set_switches(s, 70'000);
     },
     Verdict::Kind::cpu,
     "both on CPU 0: writer runs 48 % and is runnable 2 %, reader 51 % and 47 %"},
    {"one CPU, and each sleeps while the other one runs",
     [](Snapshot& s) {
       reader(s).last_cpu = Reading<int>::of(0);
       for (WorkerReadings& w : s.workers) set_time(w, 0.5, 0);
       set_switches(s, 20'000);
     },
     Verdict::Kind::cpu,
     "both on CPU 0: writer runs 50 % and is runnable 0 %, reader 50 % and 0 %"},
    {"a reader of which others have the CPU, and a writer that spins, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_ring(s, 0.02, 0.6);
       set_time(writer(s), 0.45, 0);
       set_time(reader(s), 0.02, 0.98);
       set_function(writer(s), "mutex_spin_on_owner", 900);
     },
     Verdict::Kind::reader, "reader waits for a CPU 98 %; writer blocked 55 %, mutex 40 %"},
    {"a reader without a CPU, which holds the mutex, as measured",
     [](Snapshot& s) {
       set_wait(s, Wait::busy);
       set_time(writer(s), 0.01, 0.30);
       set_time(reader(s), 0.01, 0.99);
       set_sleeps(writer(s), 690, 690);
       reader(s).eagain_share = share(0.99);
     },
     Verdict::Kind::cpu, "both wait for CPUs: writer runnable 30 %, reader 99 %"},
    {"a writer that may use a tenth of a CPU",
     [](Snapshot& s) {
       set_ring(s, 0.6, 0.02);
       set_time(writer(s), 0.1, 0.9);
       set_time(reader(s), 0.1, 0);
     },
     Verdict::Kind::writer, "writer waits for a CPU 90 %; reader blocked 90 %"},
    {"no CPU",
     [](Snapshot& s) {
       set_time(writer(s), 0.30, 0.63);
       set_time(reader(s), 0.16, 0.83);
     },
     Verdict::Kind::cpu, "both wait for CPUs: writer runnable 63 %, reader 83 %"},
};

TEST(Verdict, FollowsFromItsEvidence) {
  for (const BoundCase& c : kVerdicts) {
    Snapshot s = ordinary();
    c.change(s);
    const Reading<Verdict> judged = judge_pair(s);
    ASSERT_TRUE(judged.has_value()) << c.name << ": " << judged.reason;
    EXPECT_EQ(name_of(judged->kind), name_of(c.kind)) << c.name;
    EXPECT_EQ(judged->because, c.because) << c.name;
    EXPECT_EQ(judged.status, ReadingStatus::ok) << c.name;
  }
}

// Sleeping is time that is not spent spinning: the shares are of all time.
TEST(Verdict, AnUnknownSleepIsNotHeldAgainstTheMutex) {
  Snapshot s = ordinary();
  set_time(writer(s), 0.5, 0);
  set_function(writer(s), "mutex_spin_on_owner", 400);  // 20 % of the time
  EXPECT_FALSE(judge_pair(s).has_value());
  set_sleeps(writer(s), 1000, 200);  // and 10 % asleep
  ASSERT_TRUE(judge_pair(s).has_value());
  EXPECT_EQ(judge_pair(s)->kind, Verdict::Kind::lock);
}

TEST(Verdict, IsNamedAsOnTheScreen) {
  EXPECT_EQ(name_of(Verdict::Kind::writer), "writer-bound");
  EXPECT_EQ(name_of(Verdict::Kind::reader), "reader-bound");
  EXPECT_EQ(name_of(Verdict::Kind::lock), "lock-bound");
  EXPECT_EQ(name_of(Verdict::Kind::wakeup), "wakeup-bound");
  EXPECT_EQ(name_of(Verdict::Kind::cpu), "cpu-bound");
}

}  // namespace
}  // namespace pipetop

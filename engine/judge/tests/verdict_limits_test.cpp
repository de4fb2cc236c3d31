// Both sides of every limit of the rules.
#include <gtest/gtest.h>

#include "engine/judge/tests/verdict_snapshots.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// Just enough for a rule, and just too little.
struct Limit {
  const char* name;
  std::function<void(Snapshot&, double)> set;
  double holds, fails;
  Bound bound;
};

const Limit kLimits[] = {
    {"of one CPU",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, 0.1);
       set_time(reader(s), 0.5, x);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.26, 0.24, Bound::cpu},
    {"of one CPU, of which the other one has some",
     [](Snapshot& s, double x) {
       set_time(writer(s), x, 0);
       set_time(reader(s), 0.3, 0.4);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.21, 0.19, Bound::cpu},
    {"of one CPU, of which others have most",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.1, x);
       set_time(reader(s), 0.1, 0.4);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.26, 0.24, Bound::cpu},
    {"of one CPU that they fill",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, x / 2, 0);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.91, 0.89, Bound::cpu},
    {"of all CPUs",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.3, x);
     },
     0.46, 0.44, Bound::cpu},
    {"of a CPU of which there is little for one, and none for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.6, x);
       set_time(reader(s), 0.25, 0.7);
     },
     0.26, 0.24, Bound::cpu},
    {"of a CPU for one of them",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_time(reader(s), 0.5, x);
     },
     0.46, 0.44, Bound::reader},
    {"of a CPU for one of them, while there is one for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, x);
       set_time(reader(s), 0.5, 0.46);
     },
     0.24, 0.26, Bound::reader},
    {"of a CPU for one of them, while there is hardly any for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, x);
       set_time(reader(s), 0.42, 0.56);
     },
     0.27, 0.29, Bound::reader},
    {"of a CPU for the one who may hold the mutex",
     [](Snapshot& s, double x) {
       set_time(reader(s), 0.4, x);
       set_function(writer(s), "osq_lock", 400);
     },
     0.44, 0.46, Bound::lock},
    {"of sleep",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 1 - x, 0);
       set_switches(s, 10'000);
     },
     0.16, 0.14, Bound::wakeup},
    {"of a sleep's length, in sleeps per second",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.7, 0);
       set_switches(s, x);
     },
     3010, 2990, Bound::wakeup},
    {"of an empty ring",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_ring(s, x, 0.1);
     },
     0.76, 0.74, Bound::writer},
    {"of a full ring",
     [](Snapshot& s, double x) {
       set_ring(s, 0.1, x);
       set_time(writer(s), 0.3, 0);
     },
     0.76, 0.74, Bound::reader},
    {"of waiting",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_time(reader(s), 1 - x, 0);
     },
     0.51, 0.49, Bound::writer},
    {"of calls in vain",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       reader(s).eagain_share = share(x);
       reader(s).functions = Reading<FunctionTable>::unavailable("switched off");
     },
     0.91, 0.89, Bound::writer},
    {"of asking an empty ring",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       set_time(reader(s), x, 0);
     },
     0.76, 0.74, Bound::writer},
    {"of asking, without a CPU of its own",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       set_time(reader(s), 0.4, x);
     },
     0.36, 0.34, Bound::writer},
    {"of being away",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_sleeps(writer(s), 1000, 0, uint64_t(1000 * x / 0.6));
     },
     0.51, 0.49, Bound::writer},
    {"of being away, too",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_sleeps(writer(s), 1000, 0, 1000);
       set_time(reader(s), 0.7, 0);
       set_sleeps(reader(s), 1000, 0, uint64_t(1000 * x / 0.3));
     },
     0.24, 0.26, Bound::writer},
    {"of sleep for the other one, while that one has no CPU",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.75 - x, x);
         set_sleeps(w, 1000, 0);
       }
       set_switches(s, 400);
     },
     0.09, 0.11, Bound::wakeup},
    {"of sleep for the other one, while that one is away",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.65, 0);
         set_sleeps(w, 1000, 0);
       }
       set_sleeps(writer(s), 1000, 0, uint64_t(1000 * x / 0.35));
       set_switches(s, 500);
     },
     0.19, 0.21, Bound::wakeup},
    {"of a wakeup's length, in sleeps per second",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.7, 0);
         set_sleeps(w, 1000, 0);
       }
       set_switches(s, x);
     },
     301, 299, Bound::wakeup},
    {"of contention",
     [](Snapshot& s, double x) { set_function(reader(s), "osq_lock", uint64_t(x / 0.85)); }, 255,
     245, Bound::lock},
    {"of the one who does not wait",
     [](Snapshot& s, double x) {
       set_time(writer(s), 1 - x, 0);
       set_time(reader(s), 0.5, 0);
     },
     0.04, 0.06, Bound::writer},
    {"of the other one",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.99, 0);
       set_time(reader(s), 1 - x, 0);
     },
     0.26, 0.24, Bound::writer},
    {"of a full ring and a reader that does nothing",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_ring(s, 0.1, x);
     },
     0.76, 0.74, Bound::reader},
    {"of an empty ring and a writer that does nothing",
     [](Snapshot& s, double x) {
       set_ring(s, x, 0.1);
       set_time(writer(s), 0.1, 0.9);
     },
     0.76, 0.74, Bound::writer},
    {"of doing nothing, asleep",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_sleeps(reader(s), 1000, 0, uint64_t(1000 * (x - 0.4) / 0.5));
     },
     0.76, 0.74, Bound::reader},
    {"of doing nothing, without a CPU",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_time(reader(s), 1 - x, x);
     },
     0.76, 0.74, Bound::reader},
};

TEST(Verdict, ChangesAtEachLimit) {
  for (const Limit& limit : kLimits) {
    Snapshot s = ordinary();
    limit.set(s, limit.holds);
    ASSERT_TRUE(judge_bound(s).has_value()) << limit.name << ": " << judge_bound(s).reason;
    EXPECT_EQ(to_text(judge_bound(s)->bound), to_text(limit.bound)) << limit.name;
    s = ordinary();
    limit.set(s, limit.fails);
    EXPECT_FALSE(judge_bound(s).has_value()) << limit.name;
  }
}

// A CPU would not help one that wastes what it has, and so is not what both lack.
TEST(Verdict, ChangesWithWhoWastesACpu) {
  const auto judged = [](double on_cpu, double misses) {
    Snapshot s = ordinary();
    set_wait(s, Wait::busy);
    for (WorkerReadings& w : s.workers) set_time(w, on_cpu, 0.5);
    writer(s).eagain_share = share(misses);
    return judge_bound(s)->bound;
  };
  EXPECT_EQ(judged(0.4, 0.91), Bound::reader);
  EXPECT_EQ(judged(0.4, 0.89), Bound::cpu);
  EXPECT_EQ(judged(0.26, 0.91), Bound::reader);
  EXPECT_EQ(judged(0.24, 0.91), Bound::cpu);
}

// Two that spin on one CPU beside a third process, as measured.
TEST(Verdict, OneThatLacksACpuWastesNone) {
  const auto judged = [](double runnable) {
    Snapshot s = ordinary();
    set_wait(s, Wait::busy);
    set_time(writer(s), 0.22, 0.72);
    set_time(reader(s), 0.28, runnable);
    reader(s).eagain_share = share(1);
    return judge_bound(s)->bound;
  };
  EXPECT_EQ(judged(0.54), Bound::writer);
  EXPECT_EQ(judged(0.58), Bound::cpu);
}

}  // namespace
}  // namespace pipetop

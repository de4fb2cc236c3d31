// Both sides of every limit of the rules.
#include <gtest/gtest.h>

#include "engine/judge/tests/pair_snapshots.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// Just enough for a rule, and just too little.
struct Limit {
  const char* name;
  std::function<void(Snapshot&, double)> set;
  double holds, fails;
  Verdict::Kind kind;
};

const Limit kLimits[] = {
    {"of one CPU",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, 0.1);
       set_time(reader(s), 0.5, x);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.26, 0.24, Verdict::Kind::cpu},
    {"of one CPU, of which the other one has some",
     [](Snapshot& s, double x) {
       set_time(writer(s), x, 0);
       set_time(reader(s), 0.3, 0.4);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.21, 0.19, Verdict::Kind::cpu},
    {"of one CPU, of which others have most",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.1, x);
       set_time(reader(s), 0.1, 0.4);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.26, 0.24, Verdict::Kind::cpu},
    {"of one CPU that they fill",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, x / 2, 0);
       reader(s).last_cpu = Reading<int>::of(0);
     },
     0.91, 0.89, Verdict::Kind::cpu},
    {"of all CPUs",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.3, x);
     },
     0.46, 0.44, Verdict::Kind::cpu},
    {"of a CPU of which there is little for one, and none for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.6, x);
       set_time(reader(s), 0.25, 0.7);
     },
     0.26, 0.24, Verdict::Kind::cpu},
    {"of a CPU for one of them",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_time(reader(s), 0.5, x);
     },
     0.46, 0.44, Verdict::Kind::reader},
    {"of a CPU for one of them, while there is one for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, x);
       set_time(reader(s), 0.5, 0.46);
     },
     0.24, 0.26, Verdict::Kind::reader},
    {"of a CPU for one of them, while there is hardly any for the other",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.2, x);
       set_time(reader(s), 0.42, 0.56);
     },
     0.27, 0.29, Verdict::Kind::reader},
    {"of a CPU for the one who may hold the mutex",
     [](Snapshot& s, double x) {
       set_time(reader(s), 0.4, x);
       set_function(writer(s), "osq_lock", 400);
     },
     0.44, 0.46, Verdict::Kind::lock},
    {"of sleep",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 1 - x, 0);
       set_switches(s, 10'000);
     },
     0.16, 0.14, Verdict::Kind::wakeup},
    {"of a sleep's length, in sleeps per second",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) set_time(w, 0.7, 0);
       set_switches(s, x);
     },
     3010, 2990, Verdict::Kind::wakeup},
    {"of an empty ring",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_ring(s, x, 0.1);
     },
     0.76, 0.74, Verdict::Kind::writer},
    {"of a full ring",
     [](Snapshot& s, double x) {
       set_ring(s, 0.1, x);
       set_time(writer(s), 0.3, 0);
     },
     0.76, 0.74, Verdict::Kind::reader},
    {"of waiting",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_time(reader(s), 1 - x, 0);
     },
     0.51, 0.49, Verdict::Kind::writer},
    {"of calls in vain",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       reader(s).eagain_share = share(x);
       reader(s).functions = Reading<FunctionTable>::unavailable("switched off");
     },
     0.91, 0.89, Verdict::Kind::writer},
    {"of asking an empty ring",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       set_time(reader(s), x, 0);
     },
     0.76, 0.74, Verdict::Kind::writer},
    {"of asking, without a CPU of its own",
     [](Snapshot& s, double x) {
       writer_bound(s);
       set_wait(s, Wait::busy);
       set_time(reader(s), 0.4, x);
     },
     0.36, 0.34, Verdict::Kind::writer},
    {"of being away",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_sleeps(writer(s), 1000, 0, uint64_t(1000 * x / 0.6));
     },
     0.51, 0.49, Verdict::Kind::writer},
    {"of being away, too",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.4, 0);
       set_sleeps(writer(s), 1000, 0, 1000);
       set_time(reader(s), 0.7, 0);
       set_sleeps(reader(s), 1000, 0, uint64_t(1000 * x / 0.3));
     },
     0.24, 0.26, Verdict::Kind::writer},
    {"of sleep for the other one, while that one has no CPU",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.75 - x, x);
         set_sleeps(w, 1000, 0);
       }
       set_switches(s, 400);
     },
     0.09, 0.11, Verdict::Kind::wakeup},
    {"of sleep for the other one, while that one is away",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.65, 0);
         set_sleeps(w, 1000, 0);
       }
       set_sleeps(writer(s), 1000, 0, uint64_t(1000 * x / 0.35));
       set_switches(s, 500);
     },
     0.19, 0.21, Verdict::Kind::wakeup},
    {"of a wakeup's length, in sleeps per second",
     [](Snapshot& s, double x) {
       for (WorkerReadings& w : s.workers) {
         set_time(w, 0.7, 0);
         set_sleeps(w, 1000, 0);
       }
       set_switches(s, x);
     },
     301, 299, Verdict::Kind::wakeup},
    {"of contention",
     [](Snapshot& s, double x) { set_function(reader(s), "osq_lock", uint64_t(x / 0.85)); }, 255,
     245, Verdict::Kind::lock},
    {"of the one who does not wait",
     [](Snapshot& s, double x) {
       set_time(writer(s), 1 - x, 0);
       set_time(reader(s), 0.5, 0);
     },
     0.04, 0.06, Verdict::Kind::writer},
    {"of the other one",
     [](Snapshot& s, double x) {
       set_time(writer(s), 0.99, 0);
       set_time(reader(s), 1 - x, 0);
     },
     0.26, 0.24, Verdict::Kind::writer},
    {"of a full ring and a reader that does nothing",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_ring(s, 0.1, x);
     },
     0.76, 0.74, Verdict::Kind::reader},
    {"of an empty ring and a writer that does nothing",
     [](Snapshot& s, double x) {
       set_ring(s, x, 0.1);
       set_time(writer(s), 0.1, 0.9);
     },
     0.76, 0.74, Verdict::Kind::writer},
    {"of doing nothing, asleep",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_sleeps(reader(s), 1000, 0, uint64_t(1000 * (x - 0.4) / 0.5));
     },
     0.76, 0.74, Verdict::Kind::reader},
    {"of doing nothing, without a CPU",
     [](Snapshot& s, double x) {
       idle_reader(s);
       set_time(reader(s), 1 - x, x);
     },
     0.76, 0.74, Verdict::Kind::reader},
};

TEST(Verdict, ChangesAtEachLimit) {
  for (const Limit& limit : kLimits) {
    Snapshot s = ordinary();
    limit.set(s, limit.holds);
    ASSERT_TRUE(judge_pair(s).has_value()) << limit.name << ": " << judge_pair(s).reason;
    EXPECT_EQ(name_of(judge_pair(s)->kind), name_of(limit.kind)) << limit.name;
    s = ordinary();
    limit.set(s, limit.fails);
    EXPECT_FALSE(judge_pair(s).has_value()) << limit.name;
  }
}

// A CPU would not help one that wastes what it has, and so is not what both lack.
TEST(Verdict, ChangesWithWhoWastesACpu) {
  const auto judged = [](double on_cpu, double misses) {
    Snapshot s = ordinary();
    set_wait(s, Wait::busy);
    for (WorkerReadings& w : s.workers) set_time(w, on_cpu, 0.5);
    writer(s).eagain_share = share(misses);
    return judge_pair(s)->kind;
  };
  EXPECT_EQ(judged(0.4, 0.91), Verdict::Kind::reader);
  EXPECT_EQ(judged(0.4, 0.89), Verdict::Kind::cpu);
  EXPECT_EQ(judged(0.26, 0.91), Verdict::Kind::reader);
  EXPECT_EQ(judged(0.24, 0.91), Verdict::Kind::cpu);
}

// Two that spin on one CPU beside a third process, as measured.
TEST(Verdict, OneThatLacksACpuWastesNone) {
  const auto judged = [](double runnable) {
    Snapshot s = ordinary();
    set_wait(s, Wait::busy);
    set_time(writer(s), 0.22, 0.72);
    set_time(reader(s), 0.28, runnable);
    reader(s).eagain_share = share(1);
    return judge_pair(s)->kind;
  };
  EXPECT_EQ(judged(0.54), Verdict::Kind::writer);
  EXPECT_EQ(judged(0.58), Verdict::Kind::cpu);
}

}  // namespace
}  // namespace pipetop

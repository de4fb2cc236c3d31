#include "engine/judge/noise.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/judge/steady.h"

namespace pipetop {
namespace {

Reading<double> known(double value) { return Reading<double>::of(value); }

Snapshot quiet() {
  Snapshot s;
  s.steal_share = known(0.01);
  s.cpu_pressure = known(0.15);
  for (const Role role : kBothRoles) {
    WorkerReadings& w = s.workers[static_cast<size_t>(role)];
    w.role = role;
    w.name = role == Role::writer ? "writer" : "reader";
    w.state = ProcessState::flowing;
    w.last_cpu = Reading<int>::of(static_cast<int>(role));
    w.shares.runnable = known(0.05);
    w.voluntary_switches_per_s = known(0);
  }
  return s;
}

TEST(Noise, IsNoneOnAQuietMachine) {
  EXPECT_EQ(noise_in(quiet()), "");
  EXPECT_EQ(noise_in({}), "") << "what is unknown is no noise";
}

TEST(Noise, IsStolenTime) {
  Snapshot s = quiet();
  s.steal_share = known(0.024);
  EXPECT_EQ(noise_in(s), "");
  s.steal_share = known(0.03);
  EXPECT_EQ(noise_in(s), "the host takes 3 % of the CPUs' time");
}

TEST(Noise, IsALackOfCpus) {
  Snapshot s = quiet();
  s.workers[1].shares.runnable = known(0.09);
  EXPECT_EQ(noise_in(s), "");
  s.workers[1].shares.runnable = known(0.26);
  EXPECT_EQ(noise_in(s), "other programs use the CPUs: reader runnable 26 %");
  s.workers[0].shares.runnable = known(0.11);
  EXPECT_EQ(noise_in(s), "other programs use the CPUs: writer runnable 11 %, reader runnable 26 %");
}

// Each takes a little time until the process runs.
TEST(Noise, IsNotWhatWakeupsTake) {
  Snapshot s = quiet();
  s.workers[0].shares.runnable = known(0.2);
  s.workers[0].voluntary_switches_per_s = known(15'000);
  EXPECT_EQ(noise_in(s), "");
  s.workers[0].shares.runnable = known(0.26);
  EXPECT_NE(noise_in(s), "");
  s.workers[0].voluntary_switches_per_s = Reading<double>::unavailable("no /proc");
  s.workers[0].shares.runnable = known(0.24);
  EXPECT_EQ(noise_in(s), "");
}

TEST(Noise, IsNotToShareACpuOfOurOwn) {
  Snapshot s = quiet();
  for (WorkerReadings& w : s.workers) w.shares.runnable = known(0.5);
  EXPECT_NE(noise_in(s), "");
  for (WorkerReadings& w : s.workers) w.last_cpu = Reading<int>::of(1);
  EXPECT_EQ(noise_in(s), "");
  s.workers[0].last_cpu = Reading<int>::of(0);
  s.effective.settings.pipe.placement = Placement::same_cpu;
  EXPECT_EQ(noise_in(s), "");
  // Not all of it, if they ran less than that.
  for (WorkerReadings& w : s.workers) w.shares.on_cpu = known(0.3);
  EXPECT_EQ(noise_in(s), "other programs use the CPUs: writer runnable 50 %, reader runnable 50 %");
  for (WorkerReadings& w : s.workers) w.shares.on_cpu = known(0.5);
  EXPECT_EQ(noise_in(s), "");
  s.effective.pipe.bytes = 4096;
  s.effective.settings.pipe.placement = Placement::unpinned;
  EXPECT_EQ(noise_in(s), "") << "they may have shared one";
  s.effective.settings.pipe.placement = Placement::near;
  HostInfo host;
  host.cpus = 1;
  s.host = std::make_shared<const HostInfo>(host);
  EXPECT_EQ(noise_in(s), "");
}

TEST(Noise, IsPressureThatIsNotOurs) {
  Snapshot s = quiet();
  s.cpu_pressure = known(0.29);
  EXPECT_EQ(noise_in(s), "") << "10 % of it may be ours";
  s.cpu_pressure = known(0.4);
  EXPECT_EQ(noise_in(s), "other programs wait for CPUs 40 % of the time");
}

TEST(Noise, NamesWhoUsesTheCpus) {
  Snapshot s = quiet();
  const Surroundings around = {.neighbours = {{"make", 7, 1.04}, {"yes", 8, 0.5}, {"top", 9, 0.1}}};
  EXPECT_EQ(noise_in(s, around), "") << "they do not disturb us";
  s.workers[1].shares.runnable = known(0.72);
  EXPECT_EQ(noise_in(s, around),
            "other programs use the CPUs: reader runnable 72 %, make (PID 7) 1.0 CPUs, yes (PID 8) "
            "0.5 CPUs");
}

TEST(Noise, IsAQuotaInPlaceOfOtherPrograms) {
  Snapshot s = quiet();
  s.workers[1].shares.runnable = known(0.5);
  s.throttling = Reading<Throttling>::of({0.04, 0.5, "/sys/fs/cgroup/a"});
  EXPECT_TRUE(noise_in(s).starts_with("other programs"));
  s.throttling.value->share = 0.97;
  EXPECT_EQ(noise_in(s), "a quota of 0.5 CPUs stops it in 97 % of its periods: /sys/fs/cgroup/a");
  EXPECT_EQ(noise_around({.throttling = s.throttling}, 2), noise_in(s));
}

TEST(Noise, IsARateThatChanges) {
  for (const auto& [ratio, said] :
       {std::pair{1.2, false}, {1.3, true}, {0.85, false}, {0.75, true}})
    EXPECT_EQ(!noise_in(quiet(), {.drift = known(ratio)}).empty(), said) << ratio;
}

TEST(Noise, AroundASearchIsWhoLeavesItTooFewCpus) {
  const Surroundings around = {.neighbours = {{"make", 7, 1.5}}};
  EXPECT_EQ(noise_around(around, 2), "other programs use 1.5 of 2 CPUs, make (PID 7) 1.5 CPUs");
  EXPECT_EQ(noise_around(around, 4), "");
  EXPECT_EQ(noise_around({}, 1), "");
}

TEST(SteadyNoise, IsSaidOnceItLasts) {
  SteadyNoise noise;
  noise.add(kSecond, "a");
  EXPECT_EQ(noise.shown(), "");
  noise.add(2 * kSecond, "");
  noise.add(3 * kSecond, "b");
  EXPECT_EQ(noise.shown(), "") << "it begins anew";
  noise.add(5 * kSecond, "c");
  EXPECT_EQ(noise.shown(), "c");
  noise.add(6 * kSecond, "d");
  EXPECT_EQ(noise.shown(), "c") << "one can read it";
  noise.add(10 * kSecond, "");
  EXPECT_EQ(noise.shown(), "c");
  noise.add(11 * kSecond, "");
  EXPECT_EQ(noise.shown(), "");
}

}  // namespace
}  // namespace pipetop

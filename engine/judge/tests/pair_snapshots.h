// Snapshots that are made up, for the rules to judge.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// Changes what ordinary() returns.
using Edit = std::function<void(Snapshot&)>;

inline WorkerReadings& writer(Snapshot& s) { return s.workers[0]; }
inline WorkerReadings& reader(Snapshot& s) { return s.workers[1]; }
inline Reading<double> share(double value) { return Reading<double>::of(value); }

inline void set_time(WorkerReadings& w, double on_cpu, double runnable) {
  w.shares.on_cpu = share(on_cpu);
  w.shares.runnable = share(runnable);
  w.shares.blocked = share(1 - on_cpu - runnable);
}

inline void set_switches(Snapshot& s, double per_s) {
  for (WorkerReadings& w : s.workers) w.voluntary_switches_per_s = share(per_s);
}

inline void set_ring(Snapshot& s, double empty, double full, uint64_t samples = 2000) {
  Occupancy o;
  o.source = "switches, 999 Hz";
  o.samples = samples;
  o.empty_share = empty;
  o.full_share = full;
  s.ring.occupancy = Reading<Occupancy>::of(o);
}

// `name` takes so many of 1000 samples. Unlocking is no contention, however slow.
inline void set_function(WorkerReadings& w, const std::string& name, uint64_t samples) {
  FunctionTable table;
  table.samples = 1000;
  table.tree = flat_tree({{"[user]", 1000 - samples, 1000 - samples},
                          {name, samples, samples},
                          {"__mutex_unlock_slowpath.isra.0", 0, 900}});
  w.functions = Reading<FunctionTable>::of(table);
}

inline void set_wait(Snapshot& s, Wait wait) {
  s.effective.settings.pipe.writer_wait = s.effective.settings.pipe.reader_wait = wait;
}

// Sleeps of `ms`, of which `mutex_ms` below mutex_lock(), and `away_ms` as one that is stopped.
inline void set_sleeps(WorkerReadings& w, uint64_t ms, uint64_t mutex_ms, uint64_t away_ms = 0) {
  auto tree = std::make_shared<CallTree>();
  constexpr uint32_t kRoot = CallNode::kNone;
  tree->nodes = {{Function("vfs_write"), kRoot, 0, ms - away_ms},
                 {Function("__mutex_lock_slowpath"), 0, 0, mutex_ms},
                 {Function("__mutex_lock.constprop.0"), 1, 0, mutex_ms},
                 {Function("schedule"), 2, mutex_ms, mutex_ms},
                 {Function("get_signal"), kRoot, away_ms, away_ms}};
  tree->total = ms;
  w.blocked = Reading<BlockedTable>::of({.ns = ms, .times = 500, .tree = tree});
}

// Two blocking workers of which nothing sticks out.
inline Snapshot ordinary() {
  Snapshot s;
  s.now_ns = 100 * kSecond;
  s.throughput.current.begin_ns = 90 * kSecond;
  s.throughput.over_1s = share(1.0);
  s.effective.settled = true;
  for (WorkerReadings& w : s.workers) {
    w.state = ProcessState::flowing;
    set_time(w, 0.85, 0.02);
    w.last_cpu = Reading<int>::of(0);
    w.eagain_share = share(0);
    set_function(w, "mutex_spin_on_owner", 100);
  }
  reader(s).role = Role::reader;
  reader(s).last_cpu = Reading<int>::of(1);
  set_switches(s, 1000);
  set_ring(s, 0.3, 0.25);
  return s;
}

inline void lock_bound(Snapshot& s) { set_function(writer(s), "mutex_spin_on_owner", 600); }
inline void writer_bound(Snapshot& s) {
  set_ring(s, 0.92, 0.03);
  set_time(reader(s), 0.3, 0);
}

// Neither works nor waits, but has reasons for it of which none is enough: the writer is not known
// to wait.
inline void idle_reader(Snapshot& s) {
  set_ring(s, 0.05, 0.9);
  set_time(reader(s), 0.1, 0.4);
  set_sleeps(reader(s), 1000, 0, 900);
}

}  // namespace pipetop

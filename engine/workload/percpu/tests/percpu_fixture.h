// An engine whose workers insert rules.
#pragma once

#include <string_view>

#include "engine/tests/engine_fixture.h"
#include "engine/workload/percpu/insert_worker.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {

class PercpuTest : public EngineTest {
 protected:
  void SetUp() override { skip_or_fail(why_no_private_network()); }

  // Settled, and `rules` more have gone in since.
  Snapshot insert(uint64_t rules = 1000) {
    const uint64_t from = settle().throughput.total_items;
    return until([&](const Snapshot& s) { return s.throughput.total_items >= from + rules; });
  }

  void apply(const Settings& s) { engine->apply(s, "change"); }

  // The memory that a rule takes is known, or others took so much that it cannot be: then
  // it is said, and there is nothing more to test.
  static bool is_known(const Reading<double>& per_rule) {
    if (per_rule.has_value()) return true;
    EXPECT_NE(per_rule.reason.find("kept changing"), std::string::npos) << per_rule.reason;
    return false;
  }

  static const WorkerReadings& inserter(const Snapshot& s) { return s.worker(percpu::kInserter); }

  static const Reading<double>& figure(const Snapshot& s, std::string_view key) {
    for (const Figure& figure : s.figures)
      if (figure.key == key) return figure.value;
    static const auto none = Reading<double>::unavailable("there is no such figure");
    return none;
  }
};

inline Settings percpu_settings() {
  Settings s;
  s.workload = WorkloadKind::percpu;
  s.percpu.rules = 2000;
  return s;
}

}  // namespace pipetop::percpu

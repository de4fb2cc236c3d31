// An engine whose workers insert rules.
#pragma once

#include <array>
#include <string_view>

#include "engine/knobs.h"
#include "engine/tests/engine_fixture.h"
#include "engine/workload/percpu/tests/network_fixture.h"

namespace pipetop::percpu {

class PercpuTest : public EngineTest {
 protected:
  void SetUp() override {
    const std::string why = why_no_private_network();
    if (why.empty()) return;
    if (observe::bpf_is_required()) FAIL() << why;
    GTEST_SKIP() << why;
  }

  // Settled, and `rules` more have gone in since.
  Snapshot insert(uint64_t rules = 1000) { return flow(rules); }

  void apply(const Settings& s) { engine->apply(s, "change"); }

  static const WorkerView& inserter(const Snapshot& s) { return s.worker(Role::inserter); }

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

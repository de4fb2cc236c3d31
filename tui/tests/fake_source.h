// An engine that makes its numbers up: believable, moving, and answering to the
// knobs, so that the dashboard can be looked at and tested without one.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "engine/base/handles.h"
#include "tui/dashboard/controller.h"
#include "tui/tests/fake_ring.h"

namespace pipetop::tui {

class FakeSource final : public Source {
 public:
  // Without a clock its time is invented, and stands still between two calls of advance().
  using Clock = uint64_t (*)();
  explicit FakeSource(const Settings& start, FakeMood mood = FakeMood::normal,
                      Clock clock = nullptr);

  int event_fd() const override { return event_fd_.get(); }
  void handle_events() override {}
  void apply(const Settings& requested, const std::string& label, const std::string& key) override;
  Snapshot tick() override;
  void count(BpfCounters) override {}
  Segment segment() override;
  void suspend() override { suspended_ = true; }
  void resume() override { suspended_ = false; }
  bool step(Role) override { return true; }

  void advance(uint64_t ns) { invented_ns_ += ns; }
  bool suspended() const { return suspended_; }

 private:
  uint64_t now() const;
  double noise(double spread);
  void add_history(uint64_t until_ns);
  void fill_throughput(Throughput& t, uint64_t now_ns);
  void fill_change(Snapshot& s) const;
  void fill_verdict(Snapshot& s) const;
  void fill_integrity(Snapshot& s) const;
  void refresh_functions(uint64_t now_ns);
  void fill_worker(WorkerReadings& w, Role role);
  void fill_effective(Effective& e);

  UniqueFd event_fd_;
  FakeMood mood_;
  Settings requested_;
  Clock clock_;
  uint64_t start_ns_, invented_ns_ = 0;
  uint64_t segment_ns_;
  FakeRing fake_ring_;
  Series<RatePoint> history_;
  std::vector<ChangeMark> marks_;
  Segment current_;
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::array<FunctionTable, kRoles> functions_;
  std::array<BlockedTable, kRoles> blocked_;
  uint64_t functions_ns_ = 0;  // 0: refresh them at the next tick
  double rate_ = 0;
  std::mt19937 random_{1};
  bool suspended_ = false;
};

}  // namespace pipetop::tui

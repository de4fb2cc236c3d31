// An engine under a talk, whose rates are made up.
#pragma once

#include <optional>
#include <string>

#include "engine/judge/change_rules.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {

// Each segment is a bit faster or slower than the last one with its settings. As an engine, it
// explains a change against the segment before.
class TalkModel final : public Source {
 public:
  explicit TalkModel(const Settings& start) { begin(start); }

  int event_fd() const override { return -1; }
  void handle_events() override {}
  void apply(const Settings& next, const std::string&, const std::string&) override {
    before_ = segment();
    begin(next);
  }
  Snapshot tick() override {
    Snapshot s = example_snapshot();
    s.now_ns = now_ns_ += 2'000'000'000;
    s.requested = s.effective.settings = present_.requested;
    s.throughput.current = present_;
    s.throughput.segments.clear();
    s.throughput.previous.reset();
    s.change = Reading<Change>::unavailable("it is the first segment");
    if (before_) s.throughput.previous = std::make_shared<const Segment>(*before_);
    if (before_ && before_->requested.workload == present_.requested.workload)
      s.change = explain_change(*before_, present_, terms_of(present_.requested));
    return s;
  }
  Segment segment() override { return present_; }
  void count(BpfCounters) override {}
  void suspend() override {}
  void resume() override {}

 private:
  void begin(const Settings& settings) {
    const auto knobs = knobs_of(settings);
    double rate = 1;
    for (const Knob& knob : knobs) rate += double(knob.get(settings).size()) / 7;
    present_ = {};
    present_.number = ++number_;
    present_.requested = settings;
    present_.begin_ns = now_ns_;
    rate *= 1 + 0.01 * double(number_ % 7);
    present_.rate = Reading<RateStats>::of({rate, rate, 0.001, rate, rate, 40, 0.001});
  }

  Segment present_;
  std::optional<Segment> before_;
  uint32_t number_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
};

}  // namespace pipetop::tui

// A source that remembers what it was told and measures what it is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tui/dashboard/controller.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {

class RecordingSource final : public Source {
 public:
  int event_fd() const override { return -1; }
  void handle_events() override {}
  void apply(const Settings& requested, const std::string& label, const std::string& key) override {
    if (refuses) throw Error("writer: it will not");
    settings = requested;
    labels.push_back(key + ": " + label);
  }
  void count(BpfCounters layout) override { counters = layout; }
  Segment segment() override { return present; }
  Snapshot tick() override { return coming; }
  void suspend() override { ++stands_still; }
  void resume() override { --stands_still; }
  bool step(Role role) override {
    steps.push_back(role);
    return can_step;
  }
  std::string obstacle(const Settings& next, std::string_view knob) const override {
    return knob == "pages" && next.pipe.pages == lacks ? "none here" : "";
  }

  Snapshot coming = example_snapshot();
  Settings settings;
  std::vector<std::string> labels;
  Segment present;
  BpfCounters counters = BpfCounters::percpu;
  bool refuses = false;
  int stands_still = 0;
  std::vector<Role> steps;
  bool can_step = true;
  std::optional<Pages> lacks;
};

}  // namespace pipetop::tui

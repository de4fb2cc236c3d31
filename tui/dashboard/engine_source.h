// The dashboard's engine. Another workload needs another engine, which takes its place.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/event_loop.h"
#include "engine/engine.h"
#include "tui/dashboard/controller.h"

namespace pipetop::tui {

class EngineSource final : public Source {
 public:
  // For the settings of the options. `ended` gets the last segment of each engine that another one
  // replaces; it may be empty. Throws Error if the engine cannot be created.
  explicit EngineSource(EngineOptions options, std::function<void(const Segment&)> ended = {});
  // For an engine that somebody else owns, and that must outlive it. Its workload stays.
  EngineSource(Engine& engine, const Settings& settings);

  int event_fd() const override { return loop_.fd(); }
  void handle_events() override;
  // Throws Error, and goes on as before, if another engine cannot be created.
  void apply(const Settings& requested, const std::string& label, const std::string& key) override;
  // The segments are those of all engines of this workload, numbered across all of them.
  Snapshot tick() override;
  Segment segment() override;
  // The closed segments of every workload, in their order.
  std::vector<std::shared_ptr<const Segment>> closed_segments();
  void count(BpfCounters layout) override;
  bool step(Role role) override { return engine_->step(role); }
  std::string obstacle(const Settings& next, std::string_view knob) const override {
    return engine_->obstacle(next, knob);
  }
  void suspend() override { engine_->suspend(); }
  void resume() override { engine_->resume(); }

 private:
  using SharedSegment = std::shared_ptr<const Segment>;

  std::shared_ptr<Engine> start(const Settings& settings, const std::string& label,
                                const std::string& key);
  void replace(std::shared_ptr<Engine> next);
  SharedSegment numbered(const SharedSegment& segment);
  std::vector<SharedSegment>& earlier() { return earlier_[options_.settings.workload]; }

  EngineOptions options_;  // of the engine, with the settings it runs
  std::function<void(const Segment&)> ended_;
  EventLoop loop_;  // around the engine's own
  std::shared_ptr<Engine> engine_;
  std::map<WorkloadKind, std::vector<SharedSegment>> earlier_;  // of engines that ended
  uint32_t segments_before_ = 0;                                // of all of them
  uint64_t started_ns_ = 0;                                     // the first one; 0: not known
  // The engine's segments with our numbers, by its own.
  std::map<SharedSegment, SharedSegment> numbered_;
};

}  // namespace pipetop::tui

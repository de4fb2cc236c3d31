// What the dashboard shows: an engine, or a recording in the place of one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/event_loop.h"
#include "engine/config/talk.h"
#include "engine/engine.h"
#include "engine/recording/recording.h"
#include "tui/draw/keys.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// What the dashboard needs from an engine: the real one or, in tests, one with
// made-up numbers.
class Source {
 public:
  virtual ~Source() = default;

  // As in Engine, but the workload may change.
  virtual int event_fd() const = 0;
  virtual void handle_events() = 0;
  virtual void apply(const Settings& requested, const std::string& label,
                     const std::string& key) = 0;
  virtual Snapshot tick() = 0;
  virtual Segment segment() = 0;
  virtual void count(BpfCounters layout) = 0;
  virtual void suspend() = 0;
  virtual void resume() = 0;
  virtual bool step(Role) { return false; }
  virtual std::string obstacle(const Settings&, std::string_view) const { return {}; }

  // Where a recording is; null for what happens now.
  virtual const ReplayState* replay() const { return nullptr; }
  // Whether it holds what was shown, which is not worked out again.
  virtual bool is_recorded() const { return replay() != nullptr; }
  // A key of a recording: returns what is said, which may be "".
  virtual std::string press(Key) { return {}; }
  // To the beginning of a recorded scene, counted from 0.
  virtual void go_to_scene(size_t) {}
  // Whether a recording of the talk can take the place of what happens now.
  virtual bool has_fallback() const { return false; }
  // To it, or back.
  virtual void switch_over() {}
};

// Another workload needs another engine, which takes its place.
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

class ReplaySource final : public Source {
 public:
  // The recording outlives it. `clock` is the viewer's.
  explicit ReplaySource(Recording& recording, Transport::Clock clock = monotonic_ns);

  // Begins with the first scene, and each ends on its last frame. Throws Error if there is none, or
  // no such take.
  void present(std::span<const TakeChoice> chosen = {});
  // As far as they were recorded.
  std::vector<Scene> scenes() const;

  int event_fd() const override { return -1; }
  void handle_events() override {}
  // Throws Error: a recording cannot be changed.
  void apply(const Settings&, const std::string&, const std::string&) override;
  void count(BpfCounters) override {}
  Snapshot tick() override;
  Segment segment() override;
  void suspend() override {}
  void resume() override { transport_.resume(); }
  const ReplayState* replay() const override { return &transport_.state(); }
  std::string press(Key key) override { return transport_.press(key); }
  void go_to_scene(size_t index) override { transport_.go_to_scene(index); }

  void go_to(uint64_t at_ns) { transport_.go_to(at_ns); }
  bool at_end() const { return transport_.at_end(); }

 private:
  Recording& recording_;
  Transport transport_;
};

// A talk that happens now, with a recording of it to fall back on. What happens now stands still
// meanwhile.
class FallbackSource final : public Source {
 public:
  // Both outlive it.
  FallbackSource(Source& live, ReplaySource& recorded) : live_(live), recorded_(recorded) {}

  int event_fd() const override { return live_.event_fd(); }
  void handle_events() override { live_.handle_events(); }
  void apply(const Settings& requested, const std::string& label, const std::string& key) override {
    now().apply(requested, label, key);
  }
  Snapshot tick() override { return now().tick(); }
  Segment segment() override { return now().segment(); }
  void count(BpfCounters layout) override { now().count(layout); }
  void suspend() override { now().suspend(); }
  void resume() override { now().resume(); }
  bool step(Role role) override { return now().step(role); }
  std::string obstacle(const Settings& next, std::string_view knob) const override {
    return live_.obstacle(next, knob);
  }
  const ReplayState* replay() const override { return falls_back_ ? recorded_.replay() : nullptr; }
  std::string press(Key key) override { return now().press(key); }
  void go_to_scene(size_t index) override { recorded_.go_to_scene(index); }
  bool has_fallback() const override { return true; }
  void switch_over() override;

 private:
  Source& now() { return falls_back_ ? static_cast<Source&>(recorded_) : live_; }

  Source& live_;
  ReplaySource& recorded_;
  bool falls_back_ = false;
};

}  // namespace pipetop::tui

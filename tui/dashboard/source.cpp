#include "tui/dashboard/source.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

constexpr size_t kKept = 200;  // segments, as many as an engine keeps

}  // namespace

EngineSource::EngineSource(EngineOptions options, std::function<void(const Segment&)> ended)
    : options_(std::move(options)), ended_(std::move(ended)) {
  engine_ = start(options_.settings, options_.label, {});
}

EngineSource::EngineSource(Engine& engine, const Settings& settings)
    : engine_(std::shared_ptr<void>(), &engine) {
  options_.settings = settings;
  loop_.watch(engine.event_fd(), &Events::engine);
}

// With its events: the old engine's go with its descriptor.
std::shared_ptr<Engine> EngineSource::start(const Settings& settings, const std::string& label,
                                            const std::string& key) {
  EngineOptions options = options_;
  options.settings = settings;
  options.label = label;
  options.key = key;
  auto engine = std::make_shared<Engine>(options);
  loop_.watch(engine->event_fd(), &Events::engine);
  return engine;
}

void EngineSource::handle_events() {
  loop_.wait(0);
  engine_->handle_events();
}

// The next one before the old one ends, so that there is always one.
void EngineSource::apply(const Settings& requested, const std::string& label,
                         const std::string& key) {
  if (requested.workload == options_.settings.workload)
    engine_->apply(requested, label, key);
  else
    replace(start(requested, label, key));
  options_.settings = requested;
}

void EngineSource::replace(std::shared_ptr<Engine> next) {
  Segment last = segment();
  if (ended_) ended_(last);
  earlier() = tick().throughput.segments;
  segments_before_ = last.number;
  earlier().push_back(std::make_shared<const Segment>(std::move(last)));
  if (earlier().size() > kKept)
    earlier().erase(earlier().begin(), earlier().end() - static_cast<ptrdiff_t>(kKept));
  numbered_.clear();
  engine_ = std::move(next);
}

EngineSource::SharedSegment EngineSource::numbered(const SharedSegment& segment) {
  if (!segment || segments_before_ == 0) return segment;
  SharedSegment& ours = numbered_[segment];
  if (!ours) {
    Segment copy = *segment;
    copy.number += segments_before_;
    ours = std::make_shared<const Segment>(std::move(copy));
  }
  return ours;
}

Snapshot EngineSource::tick() {
  Snapshot s = engine_->tick();
  if (started_ns_ == 0) started_ns_ = s.now_ns - s.uptime_ns;
  if (segments_before_ == 0) return s;
  s.uptime_ns = s.now_ns - started_ns_;
  s.throughput.current.number += segments_before_;
  const std::vector<SharedSegment> own = std::move(s.throughput.segments);
  // What the engine has forgotten, we forget.
  std::erase_if(numbered_, [&](const auto& pair) { return pair.first.use_count() == 1; });
  s.throughput.previous = numbered(s.throughput.previous);
  s.throughput.segments = earlier();
  for (const SharedSegment& segment : own) s.throughput.segments.push_back(numbered(segment));
  return s;
}

Segment EngineSource::segment() {
  Segment segment = engine_->segment();
  segment.number += segments_before_;
  return segment;
}

std::vector<EngineSource::SharedSegment> EngineSource::closed_segments() {
  std::vector<SharedSegment> all = tick().throughput.segments;
  for (const auto& [workload, segments] : earlier_)
    if (workload != options_.settings.workload)
      all.insert(all.end(), segments.begin(), segments.end());
  std::ranges::sort(all, {}, [](const SharedSegment& segment) { return segment->number; });
  return all;
}

void EngineSource::count(BpfCounters layout) {
  options_.bpf_counters = layout;
  engine_->count(layout);
}

ReplaySource::ReplaySource(Recording& recording, Transport::Clock clock)
    : recording_(recording), transport_(recording, clock) {}

void ReplaySource::apply(const Settings&, const std::string&, const std::string&) {
  throw Error("a recording cannot be changed");
}

Snapshot ReplaySource::tick() { return transport_.tick(); }

// What is known of it: an engine would also have the functions since its beginning.
Segment ReplaySource::segment() {
  const Snapshot& s = transport_.shown();
  Segment segment = s.throughput.current;
  segment.effective = s.effective.settings;
  segment.pipe_bytes = s.effective.pipe.bytes;
  segment.occupancy = s.ring.occupancy;
  segment.kinds = s.ring.kinds;
  for (const Role role : kBothRoles) {
    const WorkerReadings& worker = s.worker(role);
    SegmentRole& of_role = segment.roles[static_cast<size_t>(role)];
    of_role.shares = worker.shares;
    of_role.functions = worker.functions;
    of_role.blocked = worker.blocked;
  }
  return segment;
}

void ReplaySource::present(std::span<const TakeChoice> chosen) {
  transport_.present(chosen);
  if (transport_.takes().empty())
    throw Error("the recording has no scenes: make one with pipetop present TALK --record FILE");
  transport_.go_to_scene(0);
}

std::vector<Scene> ReplaySource::scenes() const {
  std::vector<Scene> scenes;
  for (const SceneTake& take : transport_.takes()) {
    const auto is_it = [&](const RecordedMark& mark) {
      return mark.kind == RecordedMark::Kind::scene && mark.at_ns == take.at_ns;
    };
    const auto mark = std::ranges::find_if(recording_.marks(), is_it);
    Scene& scene = scenes.emplace_back();
    scene.number = take.number;
    scene.title = mark->label;
    scene.caption = mark->caption;
    scene.notes = mark->notes;
    scene.view = mark->view;
    scene.highlight = mark->highlight;
    scene.wait = mark->wait;
    scene.planned_ns = mark->planned_ns;
  }
  return scenes;
}

void FallbackSource::switch_over() {
  falls_back_ = !falls_back_;
  if (falls_back_)
    live_.suspend();
  else
    live_.resume();
  recorded_.resume();
}

}  // namespace pipetop::tui

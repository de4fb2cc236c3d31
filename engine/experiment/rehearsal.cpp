#include "engine/experiment/rehearsal.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/host/host.h"
#include "engine/judge/glossary.h"
#include "engine/watch/watcher.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr uint64_t kSceneWarmup_ns = 500 * kMs;
constexpr uint64_t kSlice_ns =
    2'000 * kMs;  // of a scene until it has settled; longer than a verdict
constexpr int kMostSlices = 4;
constexpr double kSteadySpread = 0.05;
constexpr uint64_t kKey_ns = 3'000 * kMs;  // that a speaker takes at least
constexpr uint64_t kLeast_ns = 1'000 * kMs;
constexpr double kMuchRunnable = 0.2;

bool holds(const Expectation& e, double value) {
  switch (e.is) {
    case Expectation::Is::at_least:
      return value >= e.than;
    case Expectation::Is::at_most:
      return value <= e.than;
    case Expectation::Is::more:
      return value > e.than;
    case Expectation::Is::less:
      return value < e.than;
  }
  return false;
}

Reading<double> ratio_to(const RehearsedScene& scene, const RehearsedScene* other, size_t number) {
  if (!scene.rate.has_value()) return Reading<double>::unavailable(scene.rate.reason);
  if (!other) return Reading<double>::unavailable("there is no earlier scene to compare with");
  if (!other->rate.has_value() || *other->rate <= 0)
    return Reading<double>::unavailable(fmt::format("scene {} has no rate", number));
  return Reading<double>::of(*scene.rate / *other->rate);
}

const Reading<double>& measured(const RehearsedScene& scene, Expectation::Of of) {
  return of == Expectation::Of::rate             ? scene.rate
         : of == Expectation::Of::ratio_to_first ? scene.to_first
                                                 : scene.to_previous;
}

// The functions of a table, or of where it slept.
template <class Table>
void add_functions(std::set<std::string>& names, const Reading<Table>& table) {
  if (table.has_value())
    for (const CallNode& node : table->tree->nodes) names.emplace(node.function.name());
}

// `seen` gives what a role was seen in.
template <class Seen>
Reading<std::vector<std::string>> functions_of(const Settings& settings, Seen seen) {
  std::set<std::string> names;
  for (const Role role : roles_of(settings)) {
    const auto& of_role = seen(role);
    if (!of_role.functions.has_value())
      return Reading<std::vector<std::string>>::unavailable(of_role.functions.reason);
    add_functions(names, of_role.functions);
    add_functions(names, of_role.blocked);
  }
  return Reading<std::vector<std::string>>::of({names.begin(), names.end()});
}

// Why a function is not among those that were seen; "" if it is.
std::string why_unseen(const std::string& name, const Reading<std::vector<std::string>>& seen) {
  if (!seen.has_value()) return "functions cannot be seen: " + seen.reason;
  const bool is = std::ranges::any_of(
      *seen, [&](const std::string& function) { return same_function(function, name); });
  return is ? "" : name + " is not among the functions that were seen";
}

// What the highlight is of, but cannot be shown; "" if it can be.
std::string missing_highlight(const std::string& name, const Trial& trial,
                              const Reading<std::vector<std::string>>& functions) {
  const Snapshot& end = trial.end;
  if (name.empty() || name == "rate") return {};
  if (name == "slots")
    return end.ring.frame.has_value() ? "" : "the slots cannot be seen: " + end.ring.frame.reason;
  if (name == "verdict")
    return end.verdict.has_value() ? "" : "there is no verdict: " + end.verdict.reason;
  const std::string why = why_unseen(name, functions);
  return why.empty() ? "" : "highlight: " + why;
}

// Who takes the CPUs: the host, another program, a quota, or its own processes. A talk should have
// the machine for itself.
struct Competition {
  std::string whose;  // "": nobody's
  std::string text;
};

Competition competition(const Trial& trial) {
  std::string noise = trial.noise(false, false);
  for (const char* const whose : {"a quota of", "other programs"})
    if (noise.find(whose) != noise.npos) return {whose, std::move(noise)};
  for (const Role role : roles_of(trial.settings)) {
    const Reading<double>& waited = trial.segment.role(role).shares.runnable;
    if (!waited.has_value() || *waited <= kMuchRunnable) continue;
    return {"its own", fmt::format("its own processes share CPUs: the {} waited {:.0f} % of the "
                                   "time for one{}{}",
                                   role_name(trial.settings, role), 100 * *waited,
                                   noise.empty() ? "" : "; ", noise)};
  }
  return {noise.substr(0, noise.find_first_of("0123456789")), noise};
}

// What the scene asks for and doesn't get.
std::vector<std::string> missing_in(const Scene& scene, const Trial& trial,
                                    const Reading<std::vector<std::string>>& functions) {
  std::vector<std::string> missing;
  // Slow motion itself sets some knobs.
  for (const Mismatch& m : trial.end.effective.mismatches)
    if (has_rate(scene.settings)) missing.push_back(mismatch_text(m));
  if (std::string highlight = missing_highlight(scene.highlight, trial, functions);
      !highlight.empty())
    missing.push_back(std::move(highlight));
  return missing;
}

bool is_steady(const Trial& trial) {
  if (trial.end.verdict.has_value()) return true;
  const Reading<RateStats>& rate = trial.segment.rate;
  return rate.has_value() && rate->mean > 0 && rate->stddev <= kSteadySpread * rate->mean;
}

class Rehearser {
 public:
  Rehearser(const RehearsalOptions& options, Interrupts& interrupts,
            const std::function<void(size_t, uint32_t)>& progress)
      : options_(options), interrupts_(interrupts), progress_(progress) {}

  Rehearsal all() {
    Rehearsal rehearsal;
    const CpuTimes before = read_cpu_times();
    rehearsal.scenes = round();
    while (++round_ < options_.rounds && !interrupts_.ended()) add(rehearsal.scenes, round());
    rehearsal.planned = options_.scenes.size();
    rehearsal.rounds = options_.rounds;
    rehearsal.ended_by_signal = interrupts_.signal();
    rehearsal.steal_share = steal_since(before);
    return rehearsal;
  }

 private:
  std::vector<RehearsedScene> round() {
    std::vector<RehearsedScene> scenes;
    for (size_t i = 0; i < options_.scenes.size() && !interrupts_.ended(); ++i)
      if (auto scene = one(i)) scenes.push_back(std::move(*scene));
    judge(scenes);
    return scenes;
  }

  // What the first round said stays, and what fails in this one is added.
  void add(std::vector<RehearsedScene>& all, const std::vector<RehearsedScene>& round) const {
    for (size_t i = 0; i < std::min(all.size(), round.size()); ++i) {
      all[i].taken_ns += round[i].taken_ns;
      std::ranges::copy(round[i].rates, std::back_inserter(all[i].rates));
      std::ranges::copy(round[i].hazards, std::back_inserter(all[i].hazards));
      for (const std::string& why : round[i].disappoints)
        all[i].disappoints.push_back(fmt::format("round {}: {}", round_ + 1, why));
    }
  }

  // Nothing if it was asked to stop in between.
  std::optional<RehearsedScene> one(size_t index) {
    RehearsedScene rehearsed;
    rehearsed.scene = options_.scenes[index];
    const uint64_t began_ns = interrupts_.now_ns();
    listener_.waiting = [this, index] { progress_(index, round_); };
    listener_.waiting();
    try {
      if (rehearsed.scene.watch) {
        if (!watch(rehearsed)) return {};
      } else {
        const Trial trial = measure(rehearsed.scene);
        if (trial.cut_short) return {};
        describe(trial, rehearsed);
      }
    } catch (const Error& e) {
      session_.reset();
      rehearsed.is_shown = false;
      rehearsed.rate = Reading<double>::unavailable(e.what());
      rehearsed.verdict = Reading<Verdict>::unavailable(e.what());
      rehearsed.disappoints.emplace_back(e.what());
    }
    rehearsed.taken_ns = interrupts_.now_ns() - began_ns;
    return rehearsed;
  }

  // Another workload needs another engine, as in the talk.
  Session& session_for(const Settings& settings) {
    if (session_ && settings.workload == workload_) return *session_;
    EngineOptions engine = options_.engine;
    engine.settings = settings;
    engine.functions_window_ns = 0;  // all since the measurement began
    session_.reset();
    session_.emplace(engine, interrupts_);
    workload_ = settings.workload;
    return *session_;
  }

  Trial measure(const Scene& scene) {
    Session& session = session_for(scene.settings);
    const auto length = [&](uint64_t ns) { return TrialLength{kSceneWarmup_ns, ns, 0}; };
    if (options_.duration_ns != 0)
      return run_trial(session, scene.settings, length(options_.duration_ns), listener_);
    using For = SceneWait::For;
    if (scene.wait.what != For::settled) {
      const uint64_t ns = scene.wait.what == For::key ? kKey_ns : scene.wait.ns;
      return run_trial(session, scene.settings, length(std::max(ns, kLeast_ns)), listener_);
    }
    Trial trial = run_trial(session, scene.settings, length(kSlice_ns), listener_);
    for (int slice = 1; slice < kMostSlices && !trial.cut_short && !is_steady(trial); ++slice) {
      trial = pipetop::measure(session, length(kSlice_ns), listener_);
      check_possible(trial.end);
    }
    trial.settings = scene.settings;
    return trial;
  }

  // At least, and until its bottleneck is known.
  uint64_t watched_for_ns(const SceneWait& wait, bool known) const {
    using For = SceneWait::For;
    if (options_.duration_ns != 0) return options_.duration_ns;
    if (wait.what != For::settled) return wait.what == For::key ? kKey_ns : wait.ns;
    return known ? kSlice_ns : kMostSlices * kSlice_ns;
  }

  // Nothing of ours runs beside it, as in the talk. False if it was asked to stop in between.
  bool watch(RehearsedScene& rehearsed) {
    session_.reset();
    const SceneWatch& what = *rehearsed.scene.watch;
    WatchOptions how;
    how.bpf = options_.engine.bpf;
    ScenePipeline pipeline(what.command, what.target, how);
    EventLoop loop({.signals = interrupts_.fd()});
    loop.set_timer_every(how.pipeline_ns);
    const uint64_t began_ns = interrupts_.now_ns();
    std::shared_ptr<const Snapshot> now;
    std::string over;
    for (bool goes_on = true; goes_on;) {
      if (loop.wait().signals && !interrupts_.take()) return false;
      listener_.waiting();
      over = pipeline.why_over();
      now = pipeline.watcher().tick(monotonic_ns());
      const bool known = now->watched && now->watched->verdict.kind != Verdict::Kind::unknown;
      goes_on = over.empty() &&
                interrupts_.now_ns() - began_ns < watched_for_ns(rehearsed.scene.wait, known);
    }
    const auto taken_s = double(interrupts_.now_ns() - began_ns) / 1e9;
    describe(*now, over.empty() ? over : fmt::format("{} after {:.1f} s", over, taken_s),
             rehearsed);
    return true;
  }

  void describe(const Snapshot& now, const std::string& over, RehearsedScene& rehearsed) {
    constexpr const char* kOthers = "it watches other programs";
    rehearsed.rate = Reading<double>::unavailable(kOthers);
    rehearsed.verdict = Reading<Verdict>::unavailable(kOthers);
    if (!now.watched || now.watched->pipes.empty())
      rehearsed.disappoints.push_back(over.empty() ? "no pipe was seen"
                                                   : "no pipe was seen: " + over);
    else if (!over.empty())
      rehearsed.hazards.push_back(over);
    if (now.watched) rehearsed.shows = now.watched->title() + "; " + now.watched->verdict.because;
    if (!now.no_bpf.empty() && said_.insert(now.no_bpf).second)
      rehearsed.hazards.push_back(now.no_bpf);
  }

  void describe(const Trial& trial, RehearsedScene& rehearsed) {
    const bool rated = has_rate(rehearsed.scene);
    rehearsed.rate = rated ? Reading<double>::of(trial.rate())
                           : Reading<double>::unavailable("a rate in slow motion means nothing");
    if (rated) rehearsed.rates = {trial.rate()};
    rehearsed.verdict = trial.end.verdict;
    rehearsed.functions = functions_of(
        trial.settings, [&](Role role) -> const SegmentRole& { return trial.segment.role(role); });
    // It holds for many scenes, each time with other numbers.
    if (Competition busy = competition(trial); !busy.whose.empty())
      if (said_.insert(busy.whose).second) rehearsed.hazards.push_back(std::move(busy.text));
    for (std::string& missing : missing_in(rehearsed.scene, trial, rehearsed.functions)) {
      if (options_.strict)
        rehearsed.disappoints.push_back(std::move(missing));
      else if (said_.insert(missing).second)
        rehearsed.hazards.push_back(std::move(missing));
    }
  }

  const RehearsalOptions& options_;
  Interrupts& interrupts_;
  const std::function<void(size_t, uint32_t)>& progress_;
  uint32_t round_ = 0;
  std::optional<Session> session_;
  WorkloadKind workload_{};
  TrialListener listener_;
  std::set<std::string> said_;  // what holds for many scenes is said once
};

}  // namespace

size_t Rehearsal::disappointing() const {
  return static_cast<size_t>(std::ranges::count_if(
      scenes, [](const RehearsedScene& scene) { return !scene.disappoints.empty(); }));
}

std::string to_text(const Expectation& e) {
  if (!e.compares()) return fmt::format("{} {}", kExpected[static_cast<size_t>(e.of)], e.name);
  return fmt::format("{} {} {:g}", kExpected[static_cast<size_t>(e.of)],
                     kComparisons[static_cast<size_t>(e.is)], e.than);
}

std::string why_not(const Expectation& e, const RehearsedScene& scene) {
  const std::string_view of = kExpected[static_cast<size_t>(e.of)];
  if (e.of == Expectation::Of::sees) {
    const std::string why = why_unseen(e.name, scene.functions);
    return why.empty() ? "" : "sees: " + why;
  }
  if (e.of == Expectation::Of::verdict) {
    if (!scene.verdict.has_value())
      return fmt::format("verdict unknown, expected {}: {}", e.name, scene.verdict.reason);
    const std::string_view is = name_of(scene.verdict->kind);
    return is == e.name ? "" : fmt::format("verdict {}, expected {}", is, e.name);
  }
  const Reading<double>& value = measured(scene, e.of);
  const std::string wanted = to_text(e).substr(of.size() + 1);
  if (!value.has_value())
    return fmt::format("{} unknown, expected {}: {}", of, wanted, value.reason);
  return holds(e, *value) ? "" : fmt::format("{} {:.2f}, expected {}", of, *value, wanted);
}

Reading<std::vector<std::string>> functions_in(const Snapshot& shown) {
  return functions_of(shown.requested,
                      [&](Role role) -> const WorkerReadings& { return shown.worker(role); });
}

void judge(std::vector<RehearsedScene>& scenes) {
  for (size_t i = 0; i < scenes.size(); ++i) {
    RehearsedScene& scene = scenes[i];
    const RehearsedScene *first = nullptr, *previous = nullptr;
    for (size_t j = 0; j < i; ++j) {
      if (!are_comparable(scenes[j].scene, scene.scene)) continue;
      previous = &scenes[j];
      if (!first) first = previous;
    }
    const auto number = [&](const RehearsedScene* s) { return s ? size_t(s - &scenes[0]) + 1 : 0; };
    scene.to_previous = ratio_to(scene, previous, number(previous));
    scene.to_first = ratio_to(scene, first, number(first));
    if (!scene.is_shown) continue;
    for (const Expectation& e : scene.scene.expect)
      if (std::string why = why_not(e, scene); !why.empty())
        scene.disappoints.push_back(std::move(why));
  }
}

Rehearsal rehearse(const RehearsalOptions& options, Interrupts& interrupts,
                   const std::function<void(size_t, uint32_t)>& progress) {
  return Rehearser(options, interrupts, progress).all();
}

Assessment assess(const Rehearsal& rehearsal) {
  Assessment assessment;
  const size_t bad = rehearsal.disappointing();
  if (bad > 0)
    assessment.warn(Exit::untrustworthy,
                    fmt::format("{} of {} scenes fail", bad, rehearsal.scenes.size()));
  assessment.warn_of_steal(rehearsal.steal_share, "other rates are likely on another day");
  return assessment;
}

}  // namespace pipetop

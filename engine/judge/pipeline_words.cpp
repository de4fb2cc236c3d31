#include "engine/judge/pipeline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "engine/base/characters.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// A smaller share is no evidence.
constexpr double kTelling = 0.3;
// A smaller part of its own time isn't worth a second number.
constexpr double kSecondPart = 0.1;
// Of the time that a thread waits, one of the others works so much: it waits for them.
constexpr double kThreadsWork = 0.5;
// A function that is worth a clause, and the samples that make it one.
constexpr double kHotFunction = 0.2;
constexpr int kNameColumns = 24;

// The fullest input or the emptiest output; nothing if none says anything.
std::optional<size_t> telling_ring(const JudgedPipeline& view, const std::vector<size_t>& pipes,
                                   bool full) {
  std::optional<size_t> best;
  double most = kTelling;
  for (const size_t pipe : pipes) {
    const WaitRing& ring = view.graph.rings[pipe];
    const double share = full ? ring.full : ring.empty;
    if (ring.known && share >= most) best = pipe, most = share;
  }
  return best;
}

// "its input", "an output"
std::string_view which(const std::vector<size_t>& pipes, bool input) {
  if (input) return pipes.size() > 1 ? "an input" : "its input";
  return pipes.size() > 1 ? "an output" : "its output";
}

// "its input is full 97 %, its output empty 99 %"
std::vector<std::string> ring_clauses(const JudgedPipeline& view, size_t number) {
  const WaitStage& stage = view.graph.stages[number];
  std::vector<std::string> clauses;
  if (const auto pipe = telling_ring(view, stage.inputs, true))
    clauses.push_back(fmt::format("{} is full {}", which(stage.inputs, true),
                                  percent(view.graph.rings[*pipe].full)));
  if (const auto pipe = telling_ring(view, stage.outputs, false))
    clauses.push_back(fmt::format("{}{} empty {}", which(stage.outputs, false),
                                  clauses.empty() ? " is" : "",
                                  percent(view.graph.rings[*pipe].empty)));
  return clauses;
}

// "tar is blocked writing 96 %"
std::vector<std::string> neighbour_clauses(const JudgedPipeline& view, size_t number) {
  std::vector<std::string> clauses;
  const auto add = [&](const std::vector<size_t>& pipes, bool upstream) {
    for (const size_t pipe : pipes) {
      const WaitRing& ring = view.graph.rings[pipe];
      for (const size_t other : upstream ? ring.writers : ring.readers) {
        const double peers = view.graph.stages[other].peers;
        if (other != number && ring.socket && peers >= kTelling)
          clauses.push_back(
              fmt::format("{} waits for its peer {}", shown_name(view, other), percent(peers)));
        const auto waits = blocked_share(view, other, upstream);
        if (other == number || waits.value_or(0) < kTelling) continue;
        clauses.push_back(fmt::format("{} is blocked {} {}", shown_name(view, other),
                                      upstream ? "writing" : "reading", percent(*waits)));
      }
    }
  };
  add(view.graph.stages[number].inputs, true);
  add(view.graph.stages[number].outputs, false);
  return clauses;
}

// "(one thread)": that is all it can use.
std::string cpus_suffix(const JudgedPipeline& view, size_t number) {
  const Stage& stage = view.pipeline.stages[number];
  if (activity_of(view, number).kind != StageActivity::Kind::cpu || !stage.shares.has_value())
    return "";
  if (stage.threads == 1) return " (one thread)";
  return stage.shares->cpu > 1.05 ? fmt::format(" ({:.1f} CPUs)", stage.shares->cpu) : "";
}

std::string function_clause(const Stage& stage) {
  if (!stage.functions.has_value() || stage.functions->samples < kLeastSamples) return "";
  const std::vector<FunctionRow> rows = stage.functions->rows();
  if (rows.empty()) return "";
  const double share = stage.functions->share(rows[0].self_samples);
  if (share < kHotFunction) return "";
  if (rows[0].name == "[user]")
    return fmt::format("{} of its samples are in user code", percent(share));
  return fmt::format("{} of its samples are in {}", percent(share), rows[0].name);
}

// Of the samples, those below the block layer's functions: where a disk's driver takes CPU time, as
// with emulated hardware or encryption, that is a part of the wait for the disk for whoever reads
// of it.
double disk_driver_share(const Stage& stage) {
  if (!stage.functions.has_value() || stage.functions->samples < kLeastSamples) return 0;
  const auto is_block_layer = [](std::string_view name) {
    constexpr std::array<std::string_view, 5> kBegins = {"submit_bio", "__submit_bio", "blk_",
                                                         "__blk_", "blkdev_issue_"};
    return std::ranges::any_of(kBegins,
                               [&](std::string_view begin) { return name.starts_with(begin); });
  };
  const std::vector<CallNode>& nodes = stage.functions->tree->nodes;
  std::vector<bool> below(nodes.size());
  uint64_t samples = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool parent_is = nodes[i].parent != CallNode::kNone && below[nodes[i].parent];
    below[i] = parent_is || is_block_layer(nodes[i].function.name());
    if (below[i] && !parent_is) samples += nodes[i].total;
  }
  return stage.functions->share(samples);
}

// Stages that hold a write end and don't use it, and did not come just now. A shell that waits for
// its child while somebody still writes closes its own afterwards, as that of `(xz; true) | cat`.
std::vector<size_t> idle_writers(const Pipeline& pipeline, const Pipe& pipe) {
  const auto lives = [&](const StageEnd& end) {
    return end.stage < pipeline.stages.size() && !pipeline.stages[end.stage].gone;
  };
  const bool is_written = std::ranges::any_of(
      pipe.writers, [&](const StageEnd& end) { return end.active && lives(end); });
  const auto waits_for_child = [&](size_t stage) {
    const StageState& state = pipeline.stages[stage].state;
    return state.kind == StageState::Kind::waiting && state.wait == WaitsFor::child;
  };
  std::vector<size_t> stages;
  for (const StageEnd& end : pipe.writers)
    if (!end.active && lives(end) && pipeline.stages[end.stage].cpu.has_value() &&
        !(is_written && waits_for_child(end.stage)) &&
        std::ranges::find(stages, end.stage) == stages.end())
      stages.push_back(end.stage);
  return stages;
}

std::string joined(std::string_view head, std::vector<std::string> clauses) {
  std::string text(head);
  for (size_t i = 0; i < clauses.size(); ++i) {
    const bool last = i + 1 == clauses.size();
    text += i == 0 ? "; " : last ? ", and " : ", ";
    text += clauses[i];
  }
  return text;
}

}  // namespace

std::string shown_name(const JudgedPipeline& view, size_t number) {
  const Stage& stage = view.pipeline.stages[number];
  std::string name = stage.name;
  if (columns_of(name) > kNameColumns) name = std::string(beginning(name, kNameColumns - 2)) + "…";
  const auto same = std::ranges::count_if(view.pipeline.stages, [&](const Stage& other) {
    return !other.gone && other.name == stage.name;
  });
  return same > 1 ? fmt::format("{} {}", name, stage.id.pid) : name;
}

std::string names_of(const JudgedPipeline& view, std::span<const size_t> stages) {
  const size_t shown = stages.size() > 3 ? 2 : stages.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == stages.size();
    if (i > 0) text += last ? " and " : ", ";
    text += shown_name(view, stages[i]);
  }
  if (shown < stages.size()) text += fmt::format(" and {} more", stages.size() - shown);
  return text;
}

std::string first_fitting(std::initializer_list<std::string> lines) {
  for (const std::string& line : lines)
    if (columns_of(line) <= kLineColumns) return line;
  return whole_words(*(lines.end() - 1), kLineColumns);
}

std::vector<StageActivity> activities_of(const JudgedPipeline& view, size_t number) {
  using Does = StageActivity::Kind;
  const WaitStage& looked_at = view.graph.stages[number];
  const Reading<StageShares>& shares = view.pipeline.stages[number].shares;
  const bool known = shares.has_value();
  const double on_cpu = known ? shares->on_cpu : looked_at.on_cpu;
  const double in_driver = on_cpu * disk_driver_share(view.pipeline.stages[number]);
  std::vector<StageActivity> parts = {
      {Does::cpu, WaitsFor::none, on_cpu - in_driver},
      {Does::runnable, WaitsFor::none, known ? shares->runnable : looked_at.runnable}};
  std::array<double, kWaits> elsewhere = known ? shares->elsewhere : looked_at.elsewhere;
  if (looked_at.peers > 0)
    for (const WaitsFor wait : {WaitsFor::network, WaitsFor::poll})
      elsewhere[size_t(wait)] = looked_at.elsewhere[size_t(wait)];
  for (size_t i = 0; i < kWaits; ++i) {
    const auto wait = static_cast<WaitsFor>(i);
    const bool may_be_threads = wait == WaitsFor::lock || wait == WaitsFor::poll ||
                                wait == WaitsFor::signal || wait == WaitsFor::other;
    if (known && may_be_threads && shares->busiest_other >= kThreadsWork * elsewhere[i]) continue;
    const double driver = wait == WaitsFor::disk ? in_driver : 0;
    parts.push_back({Does::waits, wait, elsewhere[i] + driver, driver});
  }
  if (known) parts.push_back({Does::threads, WaitsFor::none, shares->busiest_other});
  parts.push_back({Does::peer, WaitsFor::network, looked_at.peers});
  std::ranges::stable_sort(parts, std::greater{}, &StageActivity::share);
  return parts;
}

StageActivity activity_of(const JudgedPipeline& view, size_t number) {
  return activities_of(view, number)[0];
}

std::optional<double> blocked_share(const JudgedPipeline& view, size_t number, bool writing) {
  const Reading<StageShares>& shares = view.pipeline.stages[number].shares;
  if (!shares.has_value()) return {};
  return writing ? shares->writing : shares->reading;
}

std::string_view activity_name(const StageActivity& activity) {
  if (activity.kind == StageActivity::Kind::runnable) return "waits for a CPU";
  if (activity.kind == StageActivity::Kind::peer) return "waits for its peer";
  if (activity.kind != StageActivity::Kind::waits) return "works";
  return does_of(activity.wait);
}

std::string activity_text(const JudgedPipeline& view, size_t number) {
  const std::vector<StageActivity> parts = activities_of(view, number);
  const Reading<StageShares>& shares = view.pipeline.stages[number].shares;
  const StageActivity &first = parts[0], &second = parts[1];
  if (!shares.has_value())
    return first.kind == StageActivity::Kind::cpu ? "is running now"
                                                  : fmt::format("{} now", activity_name(first));
  if (first.kind == StageActivity::Kind::threads)
    return fmt::format("keeps {:.1f} CPUs busy", shares->cpu);
  const auto text = [](const StageActivity& part, std::string_view on_cpu) {
    const bool runs = part.kind == StageActivity::Kind::cpu;
    if (part.in_driver >= kSecondPart)
      return fmt::format("{} {}, runs its driver {}", activity_name(part),
                         percent(part.share - part.in_driver), percent(part.in_driver));
    return fmt::format("{} {}", runs ? on_cpu : activity_name(part), percent(part.share));
  };
  if (second.share < kSecondPart || second.kind == StageActivity::Kind::threads)
    return text(first, "is on a CPU");
  return fmt::format("{}, {}", text(first, "is on a CPU"), text(second, "runs"));
}

std::string with_evidence(std::string_view head, const JudgedPipeline& view, size_t number,
                          bool does_too) {
  std::vector<std::string> rings = ring_clauses(view, number);
  if (rings.empty()) rings = neighbour_clauses(view, number);
  if (rings.size() > 2) rings.resize(2);
  if (!does_too) {
    if (rings.empty()) return first_fitting({std::string(head)});
    return first_fitting({joined(head, rings), joined(head, {rings[0]}), std::string(head)});
  }
  const std::string does_it = "it " + activity_text(view, number);
  const std::string suffix = cpus_suffix(view, number);
  const auto line = [&](size_t clauses, const std::string& end) {
    std::vector<std::string> all(rings.begin(),
                                 rings.begin() + std::ptrdiff_t(std::min(clauses, rings.size())));
    all.push_back(end);
    return joined(head, all);
  };
  return first_fitting({line(2, does_it + suffix), line(2, does_it), line(1, does_it),
                        line(0, does_it), std::string(head)});
}

std::vector<std::string> evidence_for(const JudgedPipeline& view, size_t number) {
  const WaitStage& stage = view.graph.stages[number];
  std::vector<std::string> clauses;
  const auto add_ring = [&](size_t pipe, std::string_view name) {
    const WaitRing& ring = view.graph.rings[pipe];
    if (!ring.known) return;
    clauses.push_back(fmt::format("{} is full {} and empty {} ({} samples)", name,
                                  percent(ring.full), percent(ring.empty),
                                  view.pipeline.pipes[pipe].level->samples));
  };
  for (const size_t pipe : stage.inputs) add_ring(pipe, which(stage.inputs, true));
  for (const size_t pipe : stage.outputs) add_ring(pipe, which(stage.outputs, false));
  for (std::string& clause : neighbour_clauses(view, number)) clauses.push_back(std::move(clause));
  if (stage.known)
    clauses.push_back("it " + activity_text(view, number) + cpus_suffix(view, number));
  if (std::string clause = function_clause(view.pipeline.stages[number]); !clause.empty())
    clauses.push_back(std::move(clause));
  return clauses;
}

std::vector<std::string> circumstances(const JudgedPipeline& view) {
  std::vector<std::string> clauses;
  std::vector<size_t> gone;
  for (size_t i = 0; i < view.pipeline.stages.size(); ++i)
    if (view.pipeline.stages[i].gone) gone.push_back(i);
  if (!gone.empty())
    clauses.push_back(
        fmt::format("{} {} exited", names_of(view, gone), gone.size() > 1 ? "have" : "has"));
  const auto name = [&](size_t stage) { return shown_name(view, stage); };
  for (size_t i = 0; i < view.graph.rings.size(); ++i) {
    const Pipe& pipe = view.pipeline.pipes[i];
    const WaitRing& ring = view.graph.rings[i];
    if (ring.readers.size() == 1)
      for (const size_t holder : idle_writers(view.pipeline, pipe))
        clauses.push_back(fmt::format("{} never sees end of file: {} still holds a write end",
                                      name(ring.readers[0]), name(holder)));
    if (pipe.socket && pipe.socket->tcp && ring.writers.empty() != ring.readers.empty()) {
      const bool sends = ring.readers.empty();
      clauses.push_back(fmt::format("{} {} {}", name(sends ? ring.writers[0] : ring.readers[0]),
                                    sends ? "sends to" : "receives from", pipe.socket->name));
      continue;
    }
    if (ring.writers.empty() && !ring.readers.empty())
      clauses.push_back(
          pipe.kernel_writers == 0u
              ? fmt::format("no writer left for {}", name(ring.readers[0]))
              : fmt::format("the writer of {} is not visible", name(ring.readers[0])));
    if (ring.readers.empty() && !ring.writers.empty())
      clauses.push_back(
          pipe.kernel_readers == 0u
              ? fmt::format("no reader left for {}", name(ring.writers[0]))
              : fmt::format("the reader of {} is not visible", name(ring.writers[0])));
  }
  return clauses;
}

}  // namespace pipetop

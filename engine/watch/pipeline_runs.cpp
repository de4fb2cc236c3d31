#include "engine/watch/pipeline_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/graph_order.h"
#include "engine/judge/verdict.h"
#include "engine/watch/pipeline_spans.h"

namespace pipetop {
namespace {

// Begins are known to a tick, ends to a sample.
constexpr uint64_t kSlack_ns = 100 * kMs;

uint64_t length_ns(const StageSpan& span) { return span.end_ns - span.begin_ns; }

StageSpan united(const StageSpan& a, const StageSpan& b) {
  return {std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)};
}

// The mean of two shares of times.
void mix(double& mean, double weight, double other, double other_weight) {
  if (weight + other_weight > 0)
    mean = (mean * weight + other * other_weight) / (weight + other_weight);
}

void mix(Reading<StageShares>& mean, double weight, const Reading<StageShares>& other,
         double other_weight) {
  if (!mean.has_value() || !other.has_value()) {
    if (other.has_value()) mean = other;
    return;
  }
  for (double StageShares::*share :
       {&StageShares::cpu, &StageShares::on_cpu, &StageShares::runnable, &StageShares::reading,
        &StageShares::writing, &StageShares::busiest_other, &StageShares::peer})
    mix((*mean.value).*share, weight, (*other).*share, other_weight);
  for (size_t i = 0; i < mean->elsewhere.size(); ++i)
    mix(mean.value->elsewhere[i], weight, other->elsewhere[i], other_weight);
}

void mix(Reading<RingLevel>& mean, const Reading<RingLevel>& other) {
  if (!mean.has_value() || !other.has_value()) {
    if (other.has_value()) mean = other;
    return;
  }
  const auto weight = double(mean->samples), other_weight = double(other->samples);
  for (double RingLevel::*share :
       {&RingLevel::mean_share, &RingLevel::empty_share, &RingLevel::full_share})
    mix((*mean.value).*share, weight, (*other).*share, other_weight);
  mean.value->samples += other->samples;
}

// A stage and how long its processes ran.
void add_stage(Stage& sum, uint64_t& ran_ns, const Stage& other, uint64_t other_ns) {
  mix(sum.shares, double(ran_ns), other.shares, double(other_ns));
  if (sum.cpu.has_value() && other.cpu.has_value())
    mix(*sum.cpu.value, double(ran_ns), *other.cpu, double(other_ns));
  if (other.cpu_ns) sum.cpu_ns = sum.cpu_ns.value_or(0) + *other.cpu_ns;
  sum.gone = sum.gone && other.gone;
  ran_ns += other_ns;
}

// One connected part, while it is made.
struct Part {
  PipelineRun run;
  std::vector<uint64_t> ran_ns;    // of each stage
  std::vector<StageSpan> spans;    // likewise
  std::vector<std::string> roles;  // likewise: its name and its pipes
};

class Splitter {
 public:
  Splitter(const Pipeline& all, const std::map<ProcessId, StageSpan>& spans)
      : all_(all), spans_(spans), joined_(all.stages.size()), roles_(all.stages.size()) {
    for (const Stage& stage : all.stages)
      if (const auto span = spans.find(stage.id); span != spans.end())
        whole_ = whole_.end_ns == 0 ? span->second : united(whole_, span->second);
    for (size_t i = 0; i < all.pipes.size(); ++i) connect(i);
  }

  std::vector<Part> parts() {
    std::map<uint32_t, Part> parts;
    std::vector<size_t> place(all_.stages.size());
    for (size_t i = 0; i < all_.stages.size(); ++i)
      if (!roles_[i].empty()) place[i] = add(parts[joined_.root(uint32_t(i))], i);
    for (const Pipe& pipe : all_.pipes) {
      const StageEnd* const end = active_end(pipe);
      if (end) add(parts[joined_.root(uint32_t(end->stage))], pipe, place);
    }
    std::vector<Part> found;
    for (auto& entry : parts) found.push_back(std::move(entry.second));
    return found;
  }

 private:
  static const StageEnd* active_end(const Pipe& pipe) {
    for (const auto* ends : {&pipe.writers, &pipe.readers})
      if (const StageEnd* end = main_end(*ends); end && end->active) return end;
    return nullptr;
  }

  void connect(size_t number) {
    std::optional<uint32_t> first;
    for (const auto* ends : {&all_.pipes[number].writers, &all_.pipes[number].readers})
      for (const size_t stage : active_stages(*ends)) {
        joined_.join(uint32_t(stage), first.value_or(uint32_t(stage)));
        first = uint32_t(stage);
        std::string& role = roles_[stage];
        if (role.empty()) role = all_.stages[stage].name;
        role += (ends == &all_.pipes[number].writers ? ">" : "<") + std::to_string(number);
      }
  }

  StageSpan span_of(size_t stage) const {
    const auto found = spans_.find(all_.stages[stage].id);
    return found == spans_.end() ? whole_ : found->second;
  }

  // Returns its place in the part: that of one which has ended before and did the same.
  size_t add(Part& part, size_t number) const {
    const Stage& stage = all_.stages[number];
    const StageSpan span = span_of(number);
    PipelineRun& run = part.run;
    run.span = run.span.end_ns == 0 ? span : united(run.span, span);
    size_t i = 0;
    while (i < part.roles.size() &&
           (part.roles[i] != roles_[number] || part.spans[i].end_ns > span.begin_ns + kSlack_ns))
      ++i;
    if (i < part.roles.size()) {
      add_stage(run.pipeline.stages[i], part.ran_ns[i], stage, length_ns(span));
      part.spans[i] = united(part.spans[i], span);
      ++run.times[i];
      return i;
    }
    run.pipeline.stages.push_back(stage);
    run.times.push_back(1);
    part.ran_ns.push_back(length_ns(span));
    part.spans.push_back(span);
    part.roles.push_back(roles_[number]);
    return i;
  }

  static void add(Part& part, const Pipe& pipe, const std::vector<size_t>& place) {
    Pipe& added = part.run.pipeline.pipes.emplace_back(pipe);
    for (auto* ends : {&added.writers, &added.readers}) {
      std::erase_if(*ends, [](const StageEnd& end) { return !end.active; });
      for (StageEnd& end : *ends) end.stage = place[end.stage];
    }
  }

  const Pipeline& all_;
  const std::map<ProcessId, StageSpan>& spans_;
  StageSpan whole_;
  Joined joined_;
  std::vector<std::string> roles_;  // "": it moves no data
};

// The same tools in the same order, between as many pipes.
bool are_same(const Part& a, const Part& b) {
  return a.run.pipeline.pipes.size() == b.run.pipeline.pipes.size() &&
         std::ranges::equal(a.run.pipeline.stages, b.run.pipeline.stages, {}, &Stage::name,
                            &Stage::name);
}

std::optional<EstimateRange> known_range_of(const Pipe& pipe) {
  return pipe.exact ? EstimateRange{} : pipe.range;
}

void add_range(Pipe& sum, const Pipe& other) {
  if (sum.exact && other.exact) return;
  const auto one = known_range_of(sum), two = known_range_of(other);
  const double bytes = double(sum.total_bytes.value_or(0));
  const double more = double(other.total_bytes.value_or(0));
  sum.range.reset();
  if (!one || !two || bytes + more <= 0) return;
  sum.range = EstimateRange{(one->low * bytes + two->low * more) / (bytes + more),
                            (one->high * bytes + two->high * more) / (bytes + more)};
}

void add_pipe(Pipe& sum, const Pipe& other) {
  mix(sum.level, other.level);
  add_range(sum, other);
  sum.total_bytes = sum.total_bytes && other.total_bytes
                        ? std::optional(*sum.total_bytes + *other.total_bytes)
                        : std::nullopt;
  sum.exact = sum.exact && other.exact;
  sum.closed = sum.closed && other.closed;
}

void add_part(Part& sum, const Part& other) {
  for (size_t i = 0; i < sum.ran_ns.size(); ++i) {
    add_stage(sum.run.pipeline.stages[i], sum.ran_ns[i], other.run.pipeline.stages[i],
              other.ran_ns[i]);
    sum.run.times[i] += other.run.times[i];
  }
  for (size_t i = 0; i < sum.run.pipeline.pipes.size(); ++i)
    add_pipe(sum.run.pipeline.pipes[i], other.run.pipeline.pipes[i]);
  // Time when both ran counts once.
  sum.run.pipeline.window_ns +=
      other.run.span.end_ns -
      std::clamp(sum.run.span.end_ns, other.run.span.begin_ns, other.run.span.end_ns);
  sum.run.span = united(sum.run.span, other.run.span);
  ++sum.run.runs;
}

void judge(PipelineRun& run) {
  if (run.runs > 1)
    for (Pipe& pipe : run.pipeline.pipes)
      if (pipe.total_bytes && run.pipeline.window_ns > 0)
        pipe.bytes_per_s = Reading<double>::of(double(*pipe.total_bytes) * double(kSecond) /
                                               double(run.pipeline.window_ns));
  run.pipeline.verdict = verdict_on_all(run.pipeline);
}

}  // namespace

std::vector<PipelineRun> runs_of(const Pipeline& all, const std::map<ProcessId, StageSpan>& spans) {
  std::vector<Part> parts = Splitter(all, spans).parts();
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.run.span.begin_ns; });
  std::vector<Part> distinct;
  for (Part& part : parts) {
    part.run.pipeline.window_ns = length_ns(part.run.span);
    const auto same =
        std::ranges::find_if(distinct, [&](const Part& before) { return are_same(before, part); });
    if (same != distinct.end())
      add_part(*same, part);
    else
      distinct.push_back(std::move(part));
  }
  std::vector<PipelineRun> runs;
  for (Part& part : distinct) {
    judge(part.run);
    runs.push_back(std::move(part.run));
  }
  return runs;
}

Verdict verdict_on_all(Pipeline all) {
  const uint64_t ran_ns = all.window_ns;
  // A wrapper that was too short to be measured held up nobody.
  const auto is_known = [](const Stage& stage) { return stage.shares.has_value(); };
  const bool some = std::ranges::any_of(all.stages, is_known);
  for (Stage& stage : all.stages) stage.gone = stage.gone && some && !is_known(stage);
  for (Pipe& pipe : all.pipes) pipe.closed = false;
  // There is no more to wait for: these are no samples of a longer time.
  if (ran_ns >= PipelineWindow::kLeast_ns) all.window_ns = std::max(ran_ns, kLeastWindow_ns);
  Verdict verdict = judge_pipeline(all);
  constexpr std::string_view kMeasuring = "measuring";
  if (verdict.kind == Verdict::Kind::unknown && verdict.because.starts_with(kMeasuring)) {
    if (ran_ns < kLeastWindow_ns)
      verdict.because = fmt::format("unknown: it ran for {}, too short to name a bottleneck",
                                    seconds_text(ran_ns, 2));
    else
      verdict.because.replace(0, kMeasuring.size(), "unknown");
  }
  return verdict;
}

}  // namespace pipetop

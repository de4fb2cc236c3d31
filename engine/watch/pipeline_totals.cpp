#include "engine/watch/pipeline_totals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "engine/base/clock.h"
#include "engine/judge/verdict.h"
#include "engine/watch/outside.h"

namespace pipetop {
namespace {

constexpr size_t kMostSampled = 32;            // stages: a look at one takes microseconds
constexpr uint64_t kSampled_ns = 5 * kSecond;  // that looks at connections are of

// Where the time of a stage that moved nothing went: on a CPU what its clock says, and the rest
// where it is now.
StageShares shares_of_standing(const Stage& stage, double cpus) {
  StageShares shares;
  shares.cpu = cpus;
  shares.on_cpu = std::min(1.0, cpus);
  const double rest = 1 - shares.on_cpu;
  const bool waits = stage.state.kind == StageState::Kind::waiting;
  if (!waits)
    shares.runnable = rest;
  else if (stage.state.wait == WaitsFor::pipe_read)
    shares.reading = rest;
  else if (stage.state.wait == WaitsFor::pipe_write)
    shares.writing = rest;
  else
    shares.elsewhere[size_t(stage.state.wait)] = rest;
  return shares;
}

std::array<double, StageTotals::kParts> parts_of(const StageShares& shares) {
  const double other = std::accumulate(shares.elsewhere.begin(), shares.elsewhere.end(), 0.0);
  return {shares.on_cpu, shares.runnable, shares.reading, shares.writing, other};
}

void add_level(const Reading<RingLevel>& level, double seconds, PipeTotals& totals) {
  if (!level.has_value()) return;
  totals.full_s += level->full_share * seconds;
  totals.empty_s += level->empty_share * seconds;
  totals.observed_s += seconds;
}

double number_of(const std::optional<uint64_t>& bytes) {
  return bytes ? double(*bytes) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

PipelineTotals::PipelineTotals(TotalsOptions options, WatchParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      table_(parts_, kSampled_ns),
      pipes_(options_.most_series, kPatience_ns),
      stages_(options_.most_series, kPatience_ns),
      bottlenecks_(options_.most_series, kPatience_ns),
      quotas_(parts_.read_quotas) {
  if (parts_.scanner->list_exits()) unseen_.emplace();
}

void PipelineTotals::pass(uint64_t now_ns) {
  const uint64_t began_ns = parts_.cpu_ns();
  PipeScan scan = parts_.scanner->scan();
  exited_.see(scan);
  if (unseen_ && last_ns_ != 0) add_unseen(scan);
  table_.update(std::move(scan), now_ns);
  const uint64_t last_ns = last_ns_;
  const double seconds = last_ns == 0 ? 0 : double(now_ns - last_ns) / double(kSecond);
  take_clocks(now_ns);
  std::vector<Part> parts = this->parts();
  for (Part& part : parts) {
    part.pipeline.window_ns = now_ns - last_ns;
    part.pipeline.sees_all = table_.scan().unreadable == 0;
    if (seconds > 0) set_shares(part, seconds);
    if (seconds > 0 && part.pipeline.stages.size() > 1) ask_outside(part);
  }
  // What fails does so above: until here all is of the pass before.
  last_ns_ = now_ns;
  pipes_.change_each(
      [](PipeTotals& t) { t.pipes = t.locked = t.capacity_bytes = t.queued_bytes = 0; });
  stages_.change_each([](StageTotals& t) { t.processes = 0; });
  bottlenecks_.change_each([](BottleneckTotals& t) { t = {}; });
  summed_ = own_pipes_ = 0;
  if (seconds > 0) add_ended(parts, last_ns);
  for (Part& part : parts) {
    add(part, seconds);
    if (seconds > 0 && part.pipeline.stages.size() > 1) add_bottleneck(part, now_ns);
  }
  quotas_.forget(now_ns);
  remember(parts);
  watch(parts);
  pass_s_ = double(parts_.cpu_ns() - began_ns) / double(kSecond);
}

void PipelineTotals::sample() {
  if (!wants_samples()) return;
  const PipeScan scan = parts_.scanner->scan(sampled_);
  const std::set<PipeId> waited_for = pipes_waited_for(scan, ScanIndex(scan));
  for (const ScannedPipe& pipe : scan.pipes)
    if (KnownPipe* known = pipe.socket ? table_.known(pipe.id) : nullptr)
      known->history.add_sample(pipe, kSampled_ns, waited_for.contains(pipe.id));
}

// ---- what there is ---------------------------------------------------------------

// Those that no rule leaves out.
std::vector<PipelineTotals::Part> PipelineTotals::parts() const {
  const SharedVector<PipeRow>& rows = table_.rows();
  std::vector<Part> parts;
  for (const PipelineShape& shape : table_.shapes()) {
    Part& part = parts.emplace_back();
    Pipeline& pipeline = part.pipeline;
    std::map<ProcessId, size_t> places;
    for (const ProcessId id : shape.stages) {
      places.emplace(id, pipeline.stages.size());
      pipeline.stages.emplace_back().id = id;
    }
    for (const size_t i : shape.pipes) {
      const PipeRow& row = rows[i];
      for (const Stage& stage : row.stages)
        if (const auto place = places.find(stage.id); place != places.end())
          pipeline.stages[place->second] = stage;
      Pipe& pipe = pipeline.pipes.emplace_back(row.pipe);
      for (auto* ends : {&pipe.writers, &pipe.readers}) {
        for (StageEnd& end : *ends) {
          const auto place = places.find(end.end.process);
          end.stage = place == places.end() ? places.size() : place->second;
        }
        std::erase_if(*ends, [&](const StageEnd& end) { return end.stage == places.size(); });
      }
      part.moves = part.moves || has_moved(pipe);
      set_level(pipe, table_.scan().pipes[i]);
    }
    name(part);
    if (part.rule && !part.rule->keep) parts.pop_back();
  }
  return parts;
}

// Stages side by side that have the same name count once: how many there are often changes.
void PipelineTotals::name(Part& part) const {
  std::vector<std::string> names;
  for (const Stage& stage : part.pipeline.stages) {
    if (part.cgroup.empty()) part.cgroup = stage.cgroup;
    if (!names.empty() && names.back() == stage.name) continue;
    names.push_back(names.size() < kMostStages ? stage.name : "...");
    if (names.size() > kMostStages) break;
  }
  part.tools = fmt::format("{}", fmt::join(names, "|"));
  if (const LastStage* last = left_of(part.pipeline)) {
    part.tools = last->tools;
    part.members = last->members;
  } else {
    std::vector<ProcessId> members;
    for (const Stage& stage : part.pipeline.stages) members.push_back(stage.id);
    part.members = std::make_shared<const std::vector<ProcessId>>(std::move(members));
  }
  part.name = part.tools;
  const auto rule = std::ranges::find_if(options_.rules, [&](const PipelineRule& r) {
    return ::fnmatch(r.tools.c_str(), part.name.c_str(), 0) == 0;
  });
  if (rule == options_.rules.end()) return;
  part.rule = &*rule;
  if (!rule->name.empty()) part.name = rule->name;
}

// Who is left of a pipeline when others have exited: it is the same one. Null: it isn't so.
const PipelineTotals::LastStage* PipelineTotals::left_of(const Pipeline& pipeline) const {
  const LastStage* left = nullptr;
  for (const Stage& stage : pipeline.stages) {
    const auto last = last_stages_.find(stage.id);
    if (last == last_stages_.end() || (left && left->tools != last->second.tools)) return nullptr;
    left = &last->second;
  }
  if (!left || left->members->size() <= pipeline.stages.size()) return nullptr;
  const auto is_here_or_gone = [&](ProcessId id) {
    return std::ranges::find(pipeline.stages, id, &Stage::id) != pipeline.stages.end() ||
           table_.index().threads(id).empty();
  };
  return std::ranges::all_of(*left->members, is_here_or_gone) ? left : nullptr;
}

// Since the pass before, or ever. Small writes into a page that has room move no head.
bool PipelineTotals::has_moved(const Pipe& pipe) const {
  const auto last = last_pipes_.find(pipe.id);
  if (!pipe.ring)
    return last != last_pipes_.end() && pipe.total_bytes.value_or(0) > last->second.bytes;
  if (last == last_pipes_.end() || !last->second.ring) return pipe.ring->head != 0;
  const RingCounts& before = *last->second.ring;
  return before.head != pipe.ring->head || before.tail != pipe.ring->tail ||
         before.slots != pipe.ring->slots || before.queued_bytes != pipe.ring->queued_bytes;
}

// ---- how long ---------------------------------------------------------------------

// Of what was watched until now.
void PipelineTotals::take_clocks(uint64_t now_ns) {
  if (!has_clocks()) return window_.clear();
  window_.add(now_ns, instruments_->observer().times(now_ns), instruments_->samples());
}

// Full or empty since the pass before. A ring that stood still was so all the time, which is as
// good as any number of samples; without BPF this pass is the only one.
void PipelineTotals::set_level(Pipe& pipe, const ScannedPipe& scanned) const {
  const auto last = last_pipes_.find(pipe.id);
  if (pipe.ring && (last == last_pipes_.end() || has_moved(pipe))) {
    pipe.level = window_.ring(pipe.id);
    return;
  }
  // Looks at a connection are since then, too: those of a longer time, as a scrape may come soon
  // after a pass.
  if (pipe.socket && pipe.level.has_value() && pipe.level->samples > 1) return;
  const std::optional<RingFill> fill = fill_of(scanned, false);
  if (!fill) return;
  const uint64_t samples = pipe.ring ? kLeastSamples : 1;
  pipe.level =
      Reading<RingLevel>::of({fill->used, double(fill->empty), double(fill->full), samples});
}

void PipelineTotals::set_shares(Part& part, double seconds) const {
  for (Stage& stage : part.pipeline.stages) {
    StageTimes times = window_.times(stage.id, 1);
    stage.shares = std::move(times.shares);
    stage.blocked_in = std::move(times.blocked_in);
    const auto before = last_stages_.find(stage.id);
    const bool coarse = !stage.shares.has_value() && (!part.moves || !has_clocks());
    if (!coarse || before == last_stages_.end() || !before->second.cpu_ns || !stage.cpu_ns)
      continue;
    const double used_ns = double(*stage.cpu_ns - std::min(*stage.cpu_ns, *before->second.cpu_ns));
    stage.shares =
        Reading<StageShares>::of(shares_of_standing(stage, used_ns / double(kSecond) / seconds));
  }
}

void PipelineTotals::ask_outside(Part& part) const {
  InnerSockets inner;
  for (const Pipe& pipe : part.pipeline.pipes) inner.add(pipe);
  for (Stage& stage : part.pipeline.stages) {
    if (const auto before = last_stages_.find(stage.id); before != last_stages_.end()) {
      stage.outside = before->second.outside;
      stage.polls_peer = before->second.polls_peer;
      stage.polls_nothing = before->second.polls_nothing;
    }
    const auto threads = table_.index().threads(stage.id);
    find_outside(parts_, threads, inner, stage);
    uint32_t looks = 1;  // each halves what those before it have said
    look_at_poll(parts_, threads, 2, looks, stage);
  }
}

// ---- totals -----------------------------------------------------------------------

// Of one that drains, one side of which has exited, those that it had.
std::vector<std::string> PipelineTotals::labels_of(const Part& part, const Pipe& pipe) const {
  std::vector<std::string> labels = {part.name, part.cgroup, part.pipeline.name_at(pipe.writers),
                                     part.pipeline.name_at(pipe.readers)};
  const auto last = last_pipes_.find(pipe.id);
  const bool has_both = !labels[2].empty() && !labels[3].empty();
  if (has_both || last == last_pipes_.end() || last->second.labels.empty()) return labels;
  return last->second.labels;
}

std::vector<std::string> PipelineTotals::labels_of(const Part& part, const Stage& stage) {
  return {part.name, stage.cgroup, stage.name};
}

// Pipes and stages of the pass before, which was then, that have ended since.
void PipelineTotals::add_ended(const std::vector<Part>& parts, uint64_t before_ns) {
  std::set<ProcessId> stages;
  for (const Part& part : parts)
    for (const Stage& stage : part.pipeline.stages) stages.insert(stage.id);
  for (const auto& [id, last] : last_stages_) {
    if (stages.contains(id)) continue;
    const StageTimes times = window_.times(id, 1);
    if (!times.shares.has_value()) continue;
    StageTotals& totals = stages_.at(last.labels, last_ns_, last.preferred);
    const auto shares = parts_of(*times.shares);
    for (size_t i = 0; i < shares.size(); ++i)
      totals.seconds[i] += shares[i] * double(times.wall_ns) / double(kSecond);
  }
  if (!unseen_) return;
  for (const auto& [id, last] : last_pipes_) {
    const bool has_moved = last.ring && last.ring->head != 0;
    if (table_.known(id) || last.labels.empty() || !has_moved) continue;
    const auto end = last.looks ? exited_.end_of(*last.looks) : std::nullopt;
    if (!end) {
      ++unknown_ends_;
      continue;
    }
    PipeTotals& totals = pipes_.at(last.labels, last_ns_, last.preferred);
    totals.bytes += double(end->bytes - std::min(end->bytes, last.bytes));
    if (end->at_ns > before_ns)
      add_level(window_.ring(id), double(end->at_ns - before_ns) / double(kSecond), totals);
  }
}

void PipelineTotals::add_unseen(const PipeScan& scan) {
  const ExitedBytes::Unseen more = exited_.unseen([&](PipeId id) {
    return table_.known(id) || std::ranges::binary_search(scan.pipes, id, {}, &ScannedPipe::id);
  });
  unseen_->pipes += more.pipes;
  unseen_->least += more.least;
  unseen_->most += more.most;
}

void PipelineTotals::add(const Part& part, double seconds) {
  bool is_summed = false;
  for (const Pipe& pipe : part.pipeline.pipes) {
    if (pipe.own)
      ++own_pipes_;
    else
      is_summed = add_pipe(part, pipe, seconds) || is_summed;
  }
  summed_ += is_summed;
  for (const Stage& stage : part.pipeline.stages) {
    StageTotals& totals = stages_.at(labels_of(part, stage), last_ns_, part.preferred());
    ++totals.processes;
    if (!stage.shares.has_value()) {
      totals.unobserved_s += std::min(seconds, double(stage.age_ns) / double(kSecond));
      continue;
    }
    const auto shares = parts_of(*stage.shares);
    for (size_t i = 0; i < shares.size(); ++i) totals.seconds[i] += shares[i] * seconds;
  }
}

// Whether it has no series of its own.
bool PipelineTotals::add_pipe(const Part& part, const Pipe& pipe, double seconds) {
  const auto last = last_pipes_.find(pipe.id);
  PipeTotals& totals = pipes_.at(labels_of(part, pipe), last_ns_, part.preferred());
  ++totals.pipes;
  totals.locked += pipe.lock.has_value();
  totals.capacity_bytes += number_of(pipe.capacity);
  totals.queued_bytes += number_of(pipe.queued);
  const uint64_t before = last == last_pipes_.end() ? 0 : last->second.bytes;
  // What an old one moved before it was found is not of this time.
  const bool is_known = last != last_pipes_.end() || !pipe.older;
  if (is_known && pipe.total_bytes)
    totals.bytes += double(*pipe.total_bytes - std::min(*pipe.total_bytes, before));
  if (last != last_pipes_.end()) add_level(pipe.level, seconds, totals);
  return &totals == &pipes_.other();
}

void PipelineTotals::add_bottleneck(Part& part, uint64_t now_ns) {
  part.pipeline.verdict = judge_pipeline(part.pipeline);
  const Verdict& verdict = part.pipeline.verdict;
  const auto blamed = std::ranges::find_if(
      part.pipeline.stages, [&](const Stage& stage) { return verdict.stage == stage.id; });
  const bool has_stage = blamed != part.pipeline.stages.end();
  BottleneckTotals& totals = bottlenecks_.at(
      {part.name, part.cgroup, std::string(name_of(verdict.kind)), has_stage ? blamed->name : ""},
      now_ns, part.preferred());
  ++totals.pipelines;
  if (!has_stage) return;
  if (!parts_.read_quotas) return;
  const auto& throttling =
      quotas_.of(parts_.memberships_of(blamed->id.pid), now_ns, kSecond).throttling;
  if (throttling) totals.throttled = std::max(totals.throttled.value_or(0), throttling->share);
}

// ---- for the next pass --------------------------------------------------------------

void PipelineTotals::remember(const std::vector<Part>& parts) {
  std::map<PipeId, LastPipe> pipes;
  std::map<ProcessId, LastStage> stages;
  std::set<ProcessId> movers;
  for (const Part& part : parts) {
    const auto sides = sides_of(part.pipeline, table_.index());
    for (size_t i = 0; i < sides.size(); ++i) {
      const Pipe& pipe = part.pipeline.pipes[i];
      std::vector<std::string> labels = labels_of(part, pipe);
      LastPipe& now = pipes[pipe.id];
      // Who has exited since was at its side, too.
      if (const auto last = last_pipes_.find(pipe.id); last != last_pipes_.end())
        now = std::move(last->second);
      now.ring = pipe.ring;
      now.bytes = std::max(now.bytes, pipe.total_bytes.value_or(0));
      if (pipe.own || !unseen_) continue;
      now.labels = std::move(labels);
      now.preferred = part.preferred();
      if (sides[i]) (now.looks ? *now.looks : now.looks.emplace()).add(*sides[i], !pipe.older);
      if (!now.looks) continue;
      for (const auto* side : {&now.looks->last.writers, &now.looks->last.readers})
        for (const PipeMover& mover : *side) movers.insert(mover.process);
    }
    for (const Stage& stage : part.pipeline.stages)
      stages[stage.id] = {stage.cpu_ns, stage.outside, stage.polls_peer,       stage.polls_nothing,
                          part.tools,   part.members,  labels_of(part, stage), part.preferred()};
  }
  last_pipes_ = std::move(pipes);
  last_stages_ = std::move(stages);
  exited_.keep(movers);
}

// The pipelines in which something moves, as far as there is room.
void PipelineTotals::watch(const std::vector<Part>& parts) {
  unwatched_ = 0;
  sampled_.clear();
  if (scan().source != ScanSource::bpf) return;
  if (!instruments_) {
    instruments_ = std::make_unique<PipelineInstruments>(parts_, scan());
    instruments_->wait();
  }
  std::set<PipeId> wanted;
  std::set<ProcessId> stages, at_sockets;
  for (const Part& part : parts) {
    if (!part.moves) continue;
    if (wanted.size() + part.pipeline.pipes.size() > observe::StageObserver::kMostPipes) {
      unwatched_ += part.pipeline.pipes.size();
      continue;
    }
    for (const Pipe& pipe : part.pipeline.pipes) wanted.insert(pipe.id);
    const bool has_socket = std::ranges::any_of(
        part.pipeline.pipes, [](const Pipe& pipe) { return pipe.socket.has_value(); });
    for (const Stage& stage : part.pipeline.stages) {
      stages.insert(stage.id);
      if (has_socket && at_sockets.size() < kMostSampled) at_sockets.insert(stage.id);
    }
  }
  sampled_.assign(at_sockets.begin(), at_sockets.end());
  std::vector<ScannedPipe> pipes;
  std::vector<ScannedTask> threads;
  std::ranges::copy_if(scan().pipes, std::back_inserter(pipes),
                       [&](const ScannedPipe& pipe) { return wanted.contains(pipe.id); });
  std::ranges::copy_if(scan().tasks, std::back_inserter(threads), [&](const ScannedTask& task) {
    return !task.zombie && stages.contains(task.process);
  });
  instruments_->watch(scan(), threads, pipes);
  window_.keep(stages, wanted);
}

std::vector<std::string> PipelineTotals::take_notices() {
  return instruments_ ? instruments_->take_notices() : std::vector<std::string>();
}

}  // namespace pipetop

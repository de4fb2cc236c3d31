#include "engine/pipeline/watch_table.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kFactsNs = 60 * kSecond;  // after so long a command line is read again
constexpr uint64_t kRefreshPasses = 128;     // in which all rows are asked for theirs
constexpr uint64_t kForgetPasses = 64;

bool same_holders(const PipeScan& a, const PipeScan& b) {
  return std::ranges::equal(a.pipes, b.pipes, [](const ScannedPipe& x, const ScannedPipe& y) {
    return x.id == y.id && x.ends == y.ends;
  });
}

bool waits_in_write(const Doing& doing, PipeId pipe) {
  return doing.wait == WaitsFor::pipe_write && doing.pipe == pipe;
}

}  // namespace

WatchTable::WatchTable(const WatchParts& parts, uint64_t window_ns)
    : parts_(parts), window_ns_(window_ns), processes_(parts.read_facts), io_rates_(parts) {}

void WatchTable::update(PipeScan scan, uint64_t now_ns) {
  if (passes_ > 0) scanned_ns_ = scan_->at_ns - scan_->took_ns;  // when it began
  const bool same = same_holders(*scan_, scan);
  auto newer = std::make_unique<PipeScan>(std::move(scan));
  auto index = std::make_unique<ScanIndex>(*newer);
  std::vector<ScannedProcess> states = process_states(*newer, *index);
  // What refers to the scan before goes first.
  measure_cpu(std::move(states), now_ns);
  index_ = std::move(index);
  scan_ = std::move(newer);
  boot_ns_ = parts_.boot_ns();
  ++passes_;
  see(*scan_, *index_);
  contested_.see(*scan_, *index_, moving_);
  remember(now_ns);
  find_parts(same);
  number_parts();
  if (scan_->source == ScanSource::proc) measure_io();
  make_rows(now_ns);
  if (passes_ % kForgetPasses == 0) processes_.forget(*index_);
}

void WatchTable::see(const PipeScan& scan, const ScanIndex& index) {
  for (const ScannedTask& task : scan.tasks) {
    const bool moves = task.running || task.runnable || task.wait == WaitsFor::pipe_read ||
                       task.wait == WaitsFor::pipe_write;
    if (!moves || task.fd < 0) continue;
    if (const auto pipe = index.pipe_at(task.process, task.fd))
      moving_.insert({*pipe, task.process});
  }
}

// In two sorted lists, the pipes that were known and those of the scan.
void WatchTable::remember(uint64_t now_ns) {
  known_of_.clear();
  known_of_.reserve(scan_->pipes.size());
  auto known = known_.begin();
  for (const ScannedPipe& pipe : scan_->pipes) {
    while (known != known_.end() && known->first < pipe.id) known = known_.erase(known);
    if (known == known_.end() || known->first != pipe.id)
      known = known_.emplace_hint(known, std::piecewise_construct, std::tuple(pipe.id),
                                  std::tuple(now_ns, scanned_ns_));
    known_of_.push_back(&known->second);
    ++known;
  }
  known_.erase(known, known_.end());
  for (size_t i = 0; i < scan_->pipes.size(); ++i) {
    const ScannedPipe& pipe = scan_->pipes[i];
    const bool waits = !pipe.ring && std::ranges::any_of(pipe.ends, [&](const PipeEnd& end) {
      const ScannedProcess* state = state_of(end.process);
      return state && waits_in_write(state->doing, pipe.id);
    });
    known_of_[i]->history.look(pipe, window_ns_, waits);
  }
}

void WatchTable::measure_io() {
  size_t i = 0;
  io_rates_.update(*scan_, active_, [&](const ScannedPipe& pipe, std::optional<uint64_t> bytes) {
    KnownPipe& known = *known_of_[i++];
    if (!known.is_open) known.history.add(pipe.at_ns, bytes);
  });
}

void WatchTable::find_parts(bool same_holders) {
  // What its holders do meanwhile matters, too, but less.
  const bool is_due = passes_ % kForgetPasses == 0;
  if (same_holders && moving_.size() == moving_then_ && !is_due) return;
  std::erase_if(moving_, [&](const auto& seen) {
    return !index_->pipe(seen.first) || index_->threads(seen.second).empty();
  });
  moving_then_ = moving_.size();
  const Families families(scan_->tasks);
  shapes_ = pipelines(*scan_, moving_, families);
  active_.clear();
  for (const ScannedPipe& pipe : scan_->pipes)
    active_.push_back(active_ends(pipe, moving_, families));
}

// A part keeps the lowest number that its pipes had: what is sorted by it stays where it is.
void WatchTable::number_parts() {
  std::set<size_t> given;
  for (const PipelineShape& shape : shapes_) {
    size_t number = 0;
    for (const size_t i : shape.pipes) {
      const size_t before = known_of_[i]->pipeline;
      if (before != 0 && !given.contains(before) && (number == 0 || before < number))
        number = before;
    }
    if (number == 0) number = next_part_++;
    given.insert(number);
    for (const size_t i : shape.pipes) known_of_[i]->pipeline = number;
  }
}

// Takes the difference to the states before, which are sorted as the new ones are.
void WatchTable::measure_cpu(std::vector<ScannedProcess> states, uint64_t now_ns) {
  auto before = states_.begin();
  const double ns = double(now_ns - std::min(now_ns, states_ns_));
  for (ScannedProcess& state : states) {
    while (before != states_.end() && before->id < state.id) ++before;
    if (before == states_.end() || before->id != state.id || ns <= 0) continue;
    // Threads that have exited took theirs with them: what the others used isn't known.
    if (state.cpu_ns < before->cpu_ns) continue;
    state.cpu = double(state.cpu_ns - before->cpu_ns) / ns;
  }
  states_ = std::move(states);
  states_ns_ = now_ns;
}

const ScannedProcess* WatchTable::state_of(ProcessId process) const {
  const auto found = std::ranges::lower_bound(states_, process, {}, &ScannedProcess::id);
  return found != states_.end() && found->id == process ? &*found : nullptr;
}

KnownPipe* WatchTable::known(PipeId id) {
  const auto found = known_.find(id);
  return found == known_.end() ? nullptr : &found->second;
}

// A row whose pipe is as before keeps its names and ends: making them anew for ten thousand pipes
// would take longer than the scan.
void WatchTable::make_rows(uint64_t now_ns) {
  newest_ = 1 - newest_;
  std::vector<PipeRow>& rows = rows_[newest_].own();
  const auto same = [](const PipeRow& row, const ScannedPipe& pipe) {
    return row.pipe.id == pipe.id;
  };
  if (!std::ranges::equal(rows, scan_->pipes, same)) {
    std::vector<PipeRow> before = std::exchange(rows, {});
    rows.resize(scan_->pipes.size());
    auto old = before.begin();
    for (size_t i = 0; i < rows.size(); ++i) {
      const PipeId id = scan_->pipes[i].id;
      while (old != before.end() && old->pipe.id < id) ++old;
      if (old != before.end() && old->pipe.id == id) rows[i] = std::move(*old++);
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool as_before = rows[i].pipe.id == scan_->pipes[i].id && !rows[i].stages.empty() &&
                           has_ends(rows[i].pipe, scan_->pipes[i], active_[i]);
    if (!as_before) make_row(rows[i], i);
    // In two passes on end: there are two vectors of rows.
    const bool is_due = (i + passes_ / 2) % (kRefreshPasses / 2) == 0;
    refresh(rows[i], i, now_ns, !as_before || is_due);
  }
}

void WatchTable::make_row(PipeRow& row, size_t i) {
  const ScannedPipe& pipe = scan_->pipes[i];
  row = {};
  // Ends are sorted by process.
  fill_ends(row.pipe, pipe, active_[i], [&](ProcessId process) {
    if (row.stages.empty() || row.stages.back().id != process)
      row.stages.emplace_back().id = process;
    return row.stages.size() - 1;
  });
  row.pipe.own = is_own(pipe);
  KnownPipe& known = *known_of_[i];
  const bool may_be_fifo = pipe.id.device != parts_.pipe_device || pipe.id.device == 0;
  for (const PipeEnd& end : pipe.ends) {
    if (!may_be_fifo || !known.path.empty()) break;
    known.path = fifo_path(parts_.link_of(end.process.pid, end.fd));
  }
  row.pipe.path = known.path;
}

void WatchTable::refresh(PipeRow& row, size_t i, uint64_t now_ns, bool commands) {
  fill(row.pipe, scan_->pipes[i], known_of_[i]->history);
  row.pipeline = known_of_[i]->pipeline;
  for (StageView& stage : row.stages) {
    const ScannedProcess* state = state_of(stage.id);
    if (!state) {  // it exited between the list of descriptors and that of threads
      stage.gone = true;
      if (stage.name.empty()) stage.name = stage.command = "?";
      continue;
    }
    const bool renamed = stage.name != state->leader->comm;
    fill(stage, *state, boot_ns_);
    stage.cpu = state->cpu ? Reading<double>::of(*state->cpu)
                           : Reading<double>::warming("not measured yet");
    stage.cpu_ns = state->cpu_ns;
    if (!commands && !renamed) continue;
    set_facts(stage, processes_.of(stage.id, state->leader->comm, now_ns, kFactsNs));
  }
}

}  // namespace pipetop

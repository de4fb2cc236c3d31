#include "engine/watch/watch_table.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kFacts_ns = 60 * kSecond;  // after so long a command line is read again
constexpr uint64_t kRefreshPasses = 128;      // in which all rows are asked for theirs
constexpr uint64_t kForgetPasses = 64;
constexpr size_t kMostAsked = 64;  // holders of a pipe, for their command lines

bool same_holders(const PipeScan& a, const PipeScan& b) {
  return std::ranges::equal(a.pipes, b.pipes, [](const ScannedPipe& x, const ScannedPipe& y) {
    return x.id == y.id && x.ends == y.ends;
  });
}

// Which side of a pipe a thread in a call is at: told by how it waits, else by what its descriptor
// is for.
bool is_at(const ScannedTask& task, const ScannedPipe& pipe, bool writing) {
  if (task.wait == WaitsFor::pipe_read || task.wait == WaitsFor::pipe_write)
    return writing == (task.wait == WaitsFor::pipe_write);
  const auto place = [](const PipeEnd& end) { return std::tuple(end.process, end.fd); };
  const auto end =
      std::ranges::lower_bound(pipe.ends, std::tuple(task.process, task.fd), {}, place);
  return end != pipe.ends.end() && place(*end) == std::tuple(task.process, task.fd) &&
         is_on(*end, writing);
}

bool waits_in_write(const StageState& state, PipeId pipe) {
  return state.wait == WaitsFor::pipe_write && state.pipe == pipe;
}

}  // namespace

WatchTable::WatchTable(const WatchParts& parts, uint64_t window_ns)
    : parts_(parts), window_ns_(window_ns), processes_(parts.read_facts), io_rates_(parts) {}

void WatchTable::update(PipeScan scan, uint64_t now_ns) {
  begin(std::move(scan), now_ns);
  while (!go_on(observe::never_late)) continue;
}

void WatchTable::begin(PipeScan scan, uint64_t now_ns) {
  if (has_passed()) scanned_ns_ = last_.scan->at_ns - last_.scan->took_ns;  // when it began
  next_ = Pass();
  *next_->scan = std::move(scan);
  next_->now_ns = now_ns;
  ++passes_;
}

const std::array<WatchTable::Step, 7> WatchTable::kSteps = {
    &WatchTable::find_states, &WatchTable::see_movers,  &WatchTable::remember,
    &WatchTable::find_parts,  &WatchTable::find_active, &WatchTable::number_parts,
    &WatchTable::make_rows};

bool WatchTable::go_on(const observe::IsLate& is_late) {
  while ((this->*kSteps[next_->step])(is_late)) {
    if (++next_->step < kSteps.size()) {
      if (is_late()) break;
      continue;
    }
    last_ = std::move(*next_);
    last_.families.reset();
    next_.reset();
    newest_ = 1 - newest_;
    if (passes_ % kForgetPasses == 0) processes_.forget(*last_.index);
    return true;
  }
  return false;
}

bool WatchTable::find_states(const observe::IsLate&) {
  next_->index = std::make_unique<ScanIndex>(*next_->scan);
  measure_cpu(process_states(*next_->scan, *next_->index), next_->now_ns);
  boot_ns_ = parts_.boot_ns();
  return true;
}

bool WatchTable::see_movers(const observe::IsLate&) {
  see(*next_->scan, *next_->index);
  contested_.see(*next_->scan, *next_->index, moving_);
  return true;
}

void WatchTable::see(const PipeScan& scan, const ScanIndex& index) {
  for (const ScannedTask& task : scan.tasks) {
    const bool moves = task.running || task.runnable || task.wait == WaitsFor::pipe_read ||
                       task.wait == WaitsFor::pipe_write;
    if (!moves || task.fd < 0) continue;
    const auto pipe = index.pipe_of(task);
    if (!pipe) continue;
    for (const bool writing : {false, true})
      if (is_at(task, *index.pipe(*pipe), writing)) moving_.insert({*pipe, task.process, writing});
  }
}

// In two sorted lists, the pipes that were known and those of the scan.
bool WatchTable::remember(const observe::IsLate&) {
  const std::vector<ScannedPipe>& pipes = next_->scan->pipes;
  known_of_.clear();
  known_of_.reserve(pipes.size());
  auto known = known_.begin();
  for (const ScannedPipe& pipe : pipes) {
    while (known != known_.end() && known->first < pipe.id) known = known_.erase(known);
    if (known == known_.end() || known->first != pipe.id)
      known = known_.emplace_hint(known, std::piecewise_construct, std::tuple(pipe.id),
                                  std::tuple(next_->now_ns, scanned_ns_));
    known_of_.push_back(&known->second);
    ++known;
  }
  known_.erase(known, known_.end());
  for (size_t i = 0; i < pipes.size(); ++i) {
    const ScannedPipe& pipe = pipes[i];
    const bool waits = !pipe.ring && std::ranges::any_of(pipe.ends, [&](const PipeEnd& end) {
      const ScannedProcess* state = state_of(end.process);
      return state && waits_in_write(state->state, pipe.id);
    });
    known_of_[i]->history.add_sample(pipe, window_ns_, waits);
  }
  return true;
}

void WatchTable::measure_io() {
  size_t i = 0;
  io_rates_.update(*next_->scan, next_->parts->active,
                   [&](const ScannedPipe& pipe, std::optional<uint64_t> bytes) {
                     KnownPipe& known = *known_of_[i++];
                     if (!known.is_open) known.history.add(pipe.at_ns, bytes);
                   });
}

bool WatchTable::find_parts(const observe::IsLate&) {
  const ScanIndex& index = *next_->index;
  // What its holders do meanwhile matters, too, but less.
  const bool is_due = passes_ % kForgetPasses == 0;
  if (moving_.size() == moving_then_ && !is_due && same_holders(*last_.scan, *next_->scan)) {
    next_->parts = last_.parts;
    return true;
  }
  std::erase_if(moving_, [&](const auto& seen) {
    return !index.pipe(seen.pipe) || index.threads(seen.process).empty();
  });
  next_->families = std::make_unique<Families>(next_->scan->tasks);
  next_->parts->shapes = pipelines(*next_->scan, moving_, *next_->families);
  return true;
}

bool WatchTable::find_active(const observe::IsLate&) {
  if (!next_->families) return true;
  for (const ScannedPipe& pipe : next_->scan->pipes)
    next_->parts->active.push_back(active_ends(pipe, moving_, *next_->families));
  moving_then_ = moving_.size();
  return true;
}

// A part keeps the lowest number that its pipes had: what is sorted by it stays where it is.
bool WatchTable::number_parts(const observe::IsLate&) {
  std::set<size_t> given;
  for (const PipelineShape& shape : next_->parts->shapes) {
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
  if (next_->scan->source == ScanSource::proc) measure_io();
  return true;
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
bool WatchTable::make_rows(const observe::IsLate& is_late) {
  constexpr size_t kAtATime = 64;
  std::vector<PipeRow>& rows = rows_[1 - newest_].own();
  if (next_->row == 0) reuse_rows(rows);
  const PipeScan& scan = *next_->scan;
  while (next_->row < rows.size()) {
    const size_t i = next_->row;
    const bool as_before = rows[i].pipe.id == scan.pipes[i].id && !rows[i].stages.empty() &&
                           has_ends(rows[i].pipe, scan.pipes[i], next_->parts->active[i]);
    if (!as_before) make_row(rows[i], i);
    // In two passes on end: there are two vectors of rows.
    const bool is_due = (i + passes_ / 2) % (kRefreshPasses / 2) == 0;
    refresh(rows[i], i, next_->now_ns, !as_before || is_due);
    if (++next_->row % kAtATime == 0 && is_late()) return false;
  }
  return true;
}

// As many as the scan has pipes, those of before in their places.
void WatchTable::reuse_rows(std::vector<PipeRow>& rows) const {
  const std::vector<ScannedPipe>& pipes = next_->scan->pipes;
  const auto same = [](const PipeRow& row, const ScannedPipe& pipe) {
    return row.pipe.id == pipe.id;
  };
  if (std::ranges::equal(rows, pipes, same)) return;
  std::vector<PipeRow> before = std::exchange(rows, {});
  rows.resize(pipes.size());
  auto old = before.begin();
  for (size_t i = 0; i < rows.size(); ++i) {
    while (old != before.end() && old->pipe.id < pipes[i].id) ++old;
    if (old != before.end() && old->pipe.id == pipes[i].id) rows[i] = std::move(*old++);
  }
}

void WatchTable::make_row(PipeRow& row, size_t i) {
  const ScannedPipe& pipe = next_->scan->pipes[i];
  row = {};
  // Ends are sorted by process.
  fill_ends(row.pipe, pipe, next_->parts->active[i], [&](ProcessId process) {
    if (row.stages.empty() || row.stages.back().id != process)
      row.stages.emplace_back().id = process;
    return row.stages.size() - 1;
  });
  row.pipe.own = is_own(pipe);
  KnownPipe& known = *known_of_[i];
  const bool may_be_fifo =
      !pipe.socket && (pipe.id.device != parts_.pipe_device || pipe.id.device == 0);
  for (const PipeEnd& end : pipe.ends) {
    if (!may_be_fifo || !known.path.empty()) break;
    known.path = fifo_path(parts_.link_of(end.process.pid, end.fd));
  }
  row.pipe.path = known.path;
}

void WatchTable::refresh(PipeRow& row, size_t i, uint64_t now_ns, bool commands) {
  fill(row.pipe, next_->scan->pipes[i], known_of_[i]->history);
  row.pipeline = known_of_[i]->pipeline;
  for (Stage& stage : row.stages) {
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
    // Most holders of a pipe that thousands hold are only named: strangers choose how many.
    const bool asks = size_t(&stage - row.stages.data()) < kMostAsked;
    if (!asks && renamed) stage.command = stage.name;
    if (!asks || (!commands && !renamed)) continue;
    set_facts(stage, processes_.of(stage.id, state->leader->comm, now_ns, kFacts_ns));
  }
}

}  // namespace pipetop

#include "engine/watch/watcher.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/text.h"
#include "engine/model/settings.h"

namespace pipetop {
namespace {

// After so long a tick leaves the rest of a pass to the next one, which keys may come before. A
// part that has begun takes some ten ms more.
constexpr uint64_t kPart_ns = 20 * kMs;
constexpr size_t kNotices = 50;
constexpr uint64_t kMeanwhile_ns = 200 * kMs;  // in which a pipeline that is alive moves data

constexpr const char* kNoRecord =
    "no directory for the record of changes: if pipetop and its guardian are both killed, nothing "
    "is "
    "put back; set XDG_RUNTIME_DIR to a directory that is yours alone";

int64_t unix_now_ns() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::shared_ptr<const Snapshot> Watcher::tick(uint64_t now_ns) {
  const bool wants_pass = open_ && open_->wants_pass() && passes_.why.empty();
  const bool is_due =
      parts_cost_ns_ || passes_.pace.is_due(now_ns, wants_pass ? 0 : options_.table_ns);
  bool passes = false;
  if (is_due) {
    if (!attempt(passes_, now_ns, [&] { return passes = pass_in_parts(now_ns); })) give_up_pass();
  }
  if (open_ && (passes || samples_.pace.is_due(now_ns, options_.pipeline_ns)))
    attempt(samples_, now_ns, [&] { return sample(now_ns), true; });
  if (!open_) samples_.why.clear();
  if (tree_) attempt(trees_, now_ns, [&] { return look_at_tree(now_ns), true; });
  if (open_) notify_all(open_->take_notices());
  for (std::string& text : std::exchange(news_, {})) {
    notices_.push_back({now_ns, Severity::info, std::move(text)});
    if (notices_.size() > kNotices) notices_.pop_front();
    is_new_ = true;
  }
  const bool had_news = !notices_.empty() && last_ && notices_.back().at_ns == last_->now_ns;
  if (is_new_ || had_news || !last_) last_ = snapshot(now_ns);
  tell_staleness();
  return last_;
}

// What fails is tried again when it is due: what was seen before stays. `work` returns whether it
// is complete. False: it failed.
template <class Work>
bool Watcher::attempt(Schedule& schedule, uint64_t now_ns, const Work& work) {
  const uint64_t before_ns = schedule.pace.at_ns();
  bool is_complete = false;
  const std::string why = failure_of([&] { is_complete = work(); });
  if (is_complete) schedule.why.clear();
  if (why.empty()) return true;
  if (schedule.why.empty()) schedule.since_ns = before_ns != 0 ? before_ns : now_ns;
  schedule.why = why;
  schedule.pace.failed(now_ns);
  return false;
}

// Half of a pass would be taken for a whole one.
void Watcher::give_up_pass() {
  table_.give_up();
  parts_cost_ns_.reset();
}

// In the last snapshot, which others may have.
void Watcher::tell_staleness() {
  const Schedule* oldest = nullptr;
  for (const Schedule* schedule : {&passes_, &samples_, &trees_})
    if (!schedule->why.empty() && (!oldest || schedule->since_ns < oldest->since_ns))
      oldest = schedule;
  const std::string& why = oldest ? oldest->why : std::string();
  if (last_->stale_because == why) return;
  auto told = std::make_shared<Snapshot>(*last_);
  told->stale_because = why;
  told->stale_since_ns = oldest ? oldest->since_ns : 0;
  last_ = std::move(told);
}

void Watcher::notify_all(std::vector<std::string> texts) {
  std::ranges::move(texts, std::back_inserter(news_));
}

void Watcher::pass(uint64_t now_ns) {
  const uint64_t began_ns = parts_.cpu_ns();
  table_.update(parts_.scanner->scan(), now_ns);
  end_pass(now_ns, parts_.cpu_ns() - began_ns);
}

// True if it is complete.
bool Watcher::pass_in_parts(uint64_t now_ns) {
  if (!options_.in_parts) return pass(now_ns), true;
  const uint64_t began_ns = parts_.cpu_ns(), until_ns = parts_.now_ns() + kPart_ns;
  const observe::IsLate is_late = [&] { return parts_.now_ns() >= until_ns; };
  uint64_t& cost_ns = parts_cost_ns_ ? *parts_cost_ns_ : parts_cost_ns_.emplace(0);
  const bool was_updating = table_.is_updating();
  if (!was_updating)
    if (auto scan = parts_.scanner->scan_on(is_late)) table_.begin(std::move(*scan), now_ns);
  // Something is done in each tick, however late it is.
  const bool is_done =
      table_.is_updating() && (was_updating || !is_late()) && table_.go_on(is_late);
  cost_ns += parts_.cpu_ns() - began_ns;
  if (is_done) end_pass(now_ns, cost_ns);
  return is_done;
}

void Watcher::end_pass(uint64_t now_ns, uint64_t cost_ns) {
  if (open_) open_->pass(now_ns);
  retry_undo();
  parts_cost_ns_.reset();
  passes_.pace.looked(now_ns, cost_ns);
  if (std::exchange(wants_another_, false)) passes_.pace.hurry();
  scan_ms_ = double(cost_ns) / double(kMs);
  is_new_ = true;
}

// As soon as possible: one that is being made has perhaps begun too soon.
void Watcher::want_pass() {
  passes_.pace.hurry();
  wants_another_ = parts_cost_ns_.has_value();
}

void Watcher::sample(uint64_t now_ns) {
  const uint64_t began_ns = parts_.cpu_ns();
  open_->sample(now_ns);
  samples_.pace.looked(now_ns, parts_.cpu_ns() - began_ns);
  is_new_ = true;
}

std::shared_ptr<const Snapshot> Watcher::snapshot(uint64_t now_ns) {
  auto s = std::make_shared<Snapshot>();
  const PipeScan& scan = table_.scan();
  s->now_ns = now_ns;
  s->unix_ns = unix_now_ns();
  s->no_bpf = scan.reason;
  s->table = {table_.rows(), scan.source,         scan_ms_,   scan.idle_sockets, scan.unreadable,
              scan.left_out, table_.has_passed(), tree_view_, scan.self_pipes};
  if (open_) {
    open_->describe(now_ns, *s);
    note_rates(s->throughput);
  }
  s->interventions = interventions_.done();
  s->notices.assign(notices_.begin(), notices_.end());
  is_new_ = false;
  return s;
}

// ---- opening -----------------------------------------------------------------

void Watcher::begin(PipelineMembers members) {
  close();
  const uint64_t now_ns = parts_.now_ns();
  if (!instruments_) instruments_ = std::make_unique<PipelineInstruments>(parts_, table_.scan());
  open_.emplace(parts_, options_, table_, std::move(members), std::move(instruments_));
  open_->pass(now_ns);
  sample(now_ns);
}

void Watcher::prepare() {
  if (passes_.pace.at_ns() == 0) pass(parts_.now_ns());
  if (!instruments_) instruments_ = std::make_unique<PipelineInstruments>(parts_, table_.scan());
  instruments_->wait();
}

void Watcher::count_children() {
  prepare();
  instruments_->count_children();
  pass(parts_.now_ns());  // a pipe that is not there yet is counted from its beginning
}

void Watcher::open(PipeId pipe) {
  if (!options_.in_parts && !table_.known(pipe)) pass(parts_.now_ns());
  find(pipe);
  begin(PipelineMembers(std::set{pipe}));
}

const ScannedPipe& Watcher::find(PipeId pipe) const {
  if (const ScannedPipe* found = table_.index().pipe(pipe)) return *found;
  throw Error(fmt::format("pipe {} is closed; choose another one", pipe.inode));
}

// How many of its stages were seen to move data.
size_t Watcher::moving_in(const PipelineShape& shape) const {
  std::set<ProcessId> moving;
  for (const size_t i : shape.pipes)
    for (const PipeEnd& end : table_.scan().pipes[i].ends)
      if (was_seen(table_.moving(), table_.scan().pipes[i].id, end.process))
        moving.insert(end.process);
  return moving.size();
}

// How many of its pipes have moved data since, as far as that is seen.
size_t Watcher::moved_in(const PipelineShape& shape, const PipeScan& before) const {
  return size_t(std::ranges::count_if(shape.pipes, [&](size_t i) {
    const ScannedPipe& now = table_.scan().pipes[i];
    const auto then = std::ranges::lower_bound(before.pipes, now.id, {}, &ScannedPipe::id);
    if (then == before.pipes.end() || then->id != now.id) return false;
    const auto differ = [](const auto& a, const auto& b, auto member) {
      return a && b && (*a).*member != (*b).*member;
    };
    return differ(now.ring, then->ring, &RingCounts::head) ||
           differ(now.ring, then->ring, &RingCounts::tail) ||
           differ(now.socket, then->socket, &SocketLink::bytes) || now.queued != then->queued;
  }));
}

std::string Watcher::name_of_part(const PipelineShape& shape) const {
  std::vector<std::string> names;
  for (const ProcessId stage : shape.stages) {
    const auto threads = table_.index().threads(stage);
    names.push_back(threads.empty() ? "?" : one_line(leader(threads).comm));
  }
  return fmt::format("{}", fmt::join(names, " | "));
}

// A script or make: what it runs comes and goes, and it moves no data of these pipes. An
// interactive shell's pipelines have nothing to do with each other.
bool Watcher::is_for_its_children(ProcessId process, const PipelineShape& shape) const {
  if (parts_.leads_session(process.pid) || parts_.children_of(process.pid).empty()) return false;
  return std::ranges::all_of(shape.pipes, [&](size_t i) {
    bool reads = false, writes = false;
    for (const PipeEnd& end : table_.scan().pipes[i].ends) {
      if (end.process != process) continue;
      reads = reads || is_for_reading(end);
      writes = writes || is_for_writing(end);
    }
    const bool moves = was_seen(table_.moving(), table_.scan().pipes[i].id, process);
    return reads == writes || !moves;
  });
}

// What it means to watch a shell: the pipelines that it runs. Of several the liveliest.
void Watcher::open(ProcessId process) {
  struct Candidate {
    const PipelineShape* shape;
    // Pipes that moved meanwhile; stages that are among its descendants, and that were seen to move
    // data; ends that are its standard input or output, and not where it logs; stages.
    std::tuple<size_t, size_t, size_t, size_t, size_t> weight;
  };
  bool has_own_pipe = false;  // both sides of it belong
  const auto find = [&](const PipeScan& before) {
    Descendants tree(process.pid, parts_.parent_of);
    const auto belongs = [&](ProcessId holder) {
      const auto threads = table_.index().threads(holder);
      return tree.contains(holder, threads.empty() ? 0 : leader(threads).parent);
    };
    std::vector<Candidate> candidates;
    for (const PipelineShape& shape : table_.shapes()) {
      size_t ends = 0, main_ends = 0;
      for (const size_t i : shape.pipes) {
        bool reads = false, writes = false;
        for (const PipeEnd& end : table_.scan().pipes[i].ends) {
          if (!belongs(end.process)) continue;
          ++ends;
          main_ends += end.fd == STDIN_FILENO || end.fd == STDOUT_FILENO;
          reads = reads || is_for_reading(end);
          writes = writes || is_for_writing(end);
        }
        has_own_pipe = has_own_pipe || (reads && writes);
      }
      if (ends == 0) continue;
      const auto own = std::ranges::count_if(shape.stages, belongs);
      candidates.push_back({&shape,
                            {moved_in(shape, before), size_t(own), moving_in(shape), main_ends,
                             shape.stages.size()}});
    }
    return candidates;
  };
  pass(parts_.now_ns());
  std::vector<Candidate> candidates = find({});
  const auto is_chain = [](const Candidate& one) { return one.shape->stages.size() > 1; };
  if (std::ranges::count_if(candidates, is_chain) > 1) {
    // A script's last stage, and all that waits for it, have its log as their output, too.
    const PipeScan before = table_.scan();
    parts_.let_pass(kMeanwhile_ns);
    pass(parts_.now_ns());
    candidates = find(before);
  }
  if (candidates.empty()) throw Error(why_no_pipe(process.pid, table_.scan(), parts_));
  const auto best = std::ranges::max_element(candidates, {}, &Candidate::weight);
  // A loop that reads a line now and then is a stage, though nothing of it was seen to move yet.
  if (has_own_pipe && is_for_its_children(process, *best->shape)) {
    begin(PipelineMembers(Descendants(process.pid, parts_.parent_of)));
    return;
  }
  std::vector<std::string> others;
  for (const Candidate& candidate : candidates)
    if (candidate.shape != best->shape && is_chain(candidate))
      others.push_back(name_of_part(*candidate.shape));
  std::set<PipeId> pipes;
  for (const size_t i : best->shape->pipes) pipes.insert(table_.scan().pipes[i].id);
  begin(PipelineMembers(std::move(pipes)));
  if (!others.empty())
    notify(fmt::format("process {} has other pipelines, too: {}", process.pid,
                       fmt::join(others, "; ")));
}

void Watcher::open(const WatchTarget& target) {
  if (target.pid != 0 && target.fd < 0) return open(find_process(target.pid, parts_));
  pass(parts_.now_ns());
  open(find_pipe(target, table_.scan(), parts_));
}

void Watcher::open_tree(pid_t root, pid_t adopter) {
  if (passes_.pace.at_ns() == 0) pass(parts_.now_ns());
  begin(PipelineMembers(Descendants(root, parts_.parent_of, adopter != 0 ? adopter : parts_.self)));
  if (const auto process = parts_.identify(root)) tree_.emplace(parts_, *process);
}

void Watcher::open_tree(const WatchTarget& target) {
  const ProcessId process = find_process(target.pid, parts_);
  open_tree(process.pid, process.pid);
}

// A person, or a line of JSON, sees it twice a second.
void Watcher::look_at_tree(uint64_t now_ns) {
  constexpr uint64_t kView_ns = kSecond / 2;
  if (open_ && open_->view()) tree_->connect(*open_->view());
  tree_->look(now_ns);
  if (tree_view_ && now_ns < tree_view_ns_ + kView_ns) return;
  if (open_) tree_->blame(open_->blamed(), now_ns);
  tree_view_ = std::make_shared<ProcessTreeView>(tree_->view(runs()));
  tree_view_ns_ = now_ns;
  is_new_ = true;
}

std::optional<ProcessTreeView> Watcher::tree() {
  if (!tree_) return {};
  tree_->look(parts_.now_ns(), true);
  return tree_->view(runs());
}

void Watcher::end_tree() {
  if (!tree_) return;
  tree_->look(parts_.now_ns(), true);
  for (const ProcessId process : tree_->living())
    if (parts_.identify(process.pid) == process) ::kill(process.pid, SIGTERM);
}

void Watcher::close() {
  tree_.reset();
  tree_view_.reset();
  if (!open_) return;
  notify_all(open_->take_notices());
  instruments_ = open_->take_instruments();
  instruments_->rest();
  open_.reset();
  is_new_ = true;
}

std::optional<Pipeline> Watcher::overall() const { return open_ ? open_->overall() : std::nullopt; }

std::vector<PipelineRun> Watcher::runs() const {
  return open_ ? open_->runs() : std::vector<PipelineRun>();
}

bool Watcher::has_ended() const {
  bool has_ended = false;
  (void)failure_of([&] { has_ended = open_ && open_->has_ended(); });
  return has_ended;
}

void Watcher::select(std::optional<ProcessId> stage) {
  if (open_) open_->select(stage);
}

void Watcher::count_bytes(bool on) {
  if (open_)
    open_->count_bytes(on);
  else if (on)
    throw Error("bytes are counted in one pipeline; open it first");
  is_new_ = true;
}

// ---- changes of other people's pipes -------------------------------------------

// The newest change is in force.
std::string Watcher::changed(PipeId pipe, std::string key) {
  Intervention& done = *interventions_.newest();
  if (!interventions_.has_record() && done.step == 1) notify(kNoRecord);
  done.at_ns = parts_.now_ns();
  done.pipe = pipe;
  if (open_) open_->begin_segment(done.at_ns, pipe, done.text, std::move(key));
  want_pass();  // what it looks like now
  is_new_ = true;
  return done.text;
}

std::string Watcher::resize(PipeId pipe, bool larger) {
  const ScannedPipe& scanned = find(pipe);
  if (scanned.socket)
    throw Error("this is a socket, and its queues are the kernel's to size; choose a pipe");
  if (scanned.lock) {
    PipeLock lock = *scanned.lock;
    lock.name = one_line(lock.name);
    throw Error(
        fmt::format("pipe {} is {}; try it again when that goes on", pipe.inode, lock_text(lock)),
        Exit::refused);
  }
  const uint64_t bytes =
      scanned.ring ? scanned.ring->slots * kPageBytes : scanned.capacity.value_or(0);
  if (bytes == 0) throw Error(fmt::format("the size of pipe {} is not known yet", pipe.inode));
  if (!larger && bytes <= kPageBytes)
    throw Error(fmt::format("pipe {} has one slot already: no pipe is smaller", pipe.inode));
  const size_t before = interventions_.done().size();
  const uint64_t granted =
      interventions_.resize(pipe, scanned.ends, larger ? 2 * bytes : bytes / 2);
  if (interventions_.done().size() > before) return changed(pipe, larger ? "}" : "{");
  want_pass();  // the last one is out of date: somebody else has resized it
  return fmt::format("pipe {} has {} already", pipe.inode, bytes_text(double(granted)));
}

// Notes the rates before and after the change that began the current segment.
void Watcher::note_rates(const Throughput& throughput) {
  Intervention* const newest = interventions_.newest();
  if (!newest || newest->at_ns != throughput.current.begin_ns || !throughput.previous) return;
  if (is_settled(throughput.previous->rate))
    newest->before_bytes_per_s = throughput.previous->rate->mean;
  if (is_settled(throughput.current.rate))
    newest->after_bytes_per_s = throughput.current.rate->mean;
}

void Watcher::settle_undone(size_t in_place_before, std::optional<PipeId> measured,
                            std::string key) {
  if (open_ && interventions_.done().size() < in_place_before)
    open_->begin_segment(parts_.now_ns(), measured, "put back", std::move(key));
  want_pass();
  is_new_ = true;
}

std::string Watcher::undo_changes(bool all) {
  const size_t before = interventions_.done().size();
  const auto measured = before > 0 ? interventions_.newest()->pipe : std::nullopt;
  try {
    std::string text = all ? interventions_.undo_all() : interventions_.undo();
    settle_undone(before, measured, all ? "0" : "u");
    return text;
  } catch (const Error&) {
    settle_undone(before, measured, all ? "0" : "u");
    throw;
  }
}

// A pipe is only touched if its bytes have room.
void Watcher::retry_undo() {
  const auto may_fit = [this](PipeId id, uint64_t bytes) {
    const ScannedPipe* pipe = table_.index().pipe(id);
    if (!pipe) return true;
    if (pipe->lock) return false;
    return (pipe->ring ? pipe->ring->used() * kPageBytes : pipe->queued.value_or(0)) <= bytes;
  };
  const size_t before = interventions_.done().size();
  std::vector<std::string> news = interventions_.retry(may_fit);
  if (news.empty()) return;
  settle_undone(before, {}, "");
  notify_all(std::move(news));
}

ScenePipeline::ScenePipeline(const std::string& command, const std::string& target,
                             const WatchOptions& options)
    : watcher_(options) {
  if (command.empty()) {
    watcher_.open(parse_target(target));
    return;
  }
  watcher_.prepare();
  command_.emplace(command);
  watcher_.open_tree(command_->keeper(), command_->keeper());
}

bool has_moved(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline.pipes,
                             [](const Pipe& pipe) { return pipe.total_bytes.value_or(0) > 0; });
}

std::string ScenePipeline::why_over() {
  const std::optional<int> code = command_ ? command_->exit_code() : std::nullopt;
  if (!code) return {};
  const std::string error = command_->first_error();
  return fmt::format("the command has ended with status {}{}{}", *code, error.empty() ? "" : ": ",
                     error);
}

}  // namespace pipetop

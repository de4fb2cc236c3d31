#include "engine/workload/pipe/pipe_workload.h"

#include <algorithm>
#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/host/buffer.h"
#include "engine/judge/verdict.h"
#include "engine/process/privileges.h"
#include "engine/process/worker_process.h"
#include "engine/worker/pipe_command.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// Pages can become huge, or stop being huge, long after a change.
constexpr uint64_t kHugeInterval = 2'000'000'000;

int work(ControlBlock& block, Role role) {
  return role == Role::writer ? run_writer(block, kWorkerFirstFd)
                              : run_reader(block, kWorkerFirstFd);
}

std::optional<PipeReport> granted(const Worker& worker) {
  const auto report = worker.report();
  return report ? std::optional(words_of<PipeReport>(report->words)) : std::nullopt;
}

}  // namespace

void LiveChange::begin(const PipeSettings& planned) {
  // A step that was still allowed when the last single steps ended is not made in the next ones.
  if (!planned_.single_step)
    for (Worker* worker : {&writer_, &reader_}) worker->revoke_step();
  planned_ = planned;
  order_ = Order::flow;
  ring_bound_ = std::max(pipe_.capacity_bytes(), planned.pipe_size);
  resize_refused_ = false;
  resize_error_ = 0;
  publish();
}

void LiveChange::begin_epoch() {
  ++epoch_;
  publish();
}

void LiveChange::quit() {
  order_ = Order::quit;
  publish();
}

WorkerCommand LiveChange::command_for(Role role) const {
  const bool writes = role == Role::writer;
  const Order order = writes && holding_ && order_ == Order::flow ? Order::hold : order_;
  PipeCommand command;
  command.technique =
      writes ? static_cast<uint8_t>(planned_.write_with) : static_cast<uint8_t>(planned_.read_with);
  command.wait = wait_of(planned_, role);
  command.pages = planned_.pages;
  command.buffers = planned_.buffers;
  command.payload = planned_.payload;
  command.gift = planned_.gift;
  command.touch_pages = planned_.touch_pages;
  command.lock_memory = planned_.lock_memory;
  command.buf_bytes = planned_.buf_size;
  // Only the writer's buffers depend on the ring's size.
  command.ring_bytes = writes ? ring_bound_ : 0;
  command.epoch = epoch_;
  // Drains as fast as possible while we wait for it.
  if (planned_.slow_motion && !holding_) {
    command.slow_ring_bytes = resize_refused_ ? pipe_.capacity_bytes() : planned_.pipe_size;
    command.single_step = planned_.single_step;
  }
  return command_of(order, command);
}

void LiveChange::publish() {
  writer_.publish(command_for(Role::writer));
  reader_.publish(command_for(Role::reader));
}

bool LiveChange::advance() {
  bool acknowledged = true;
  for (const Worker* worker : {&writer_, &reader_}) {
    if (worker->report()) continue;
    worker->wake();
    acknowledged = false;
  }
  if (!acknowledged || order_ != Order::flow || !resize()) return false;
  if (!holding_) return true;
  holding_ = false;
  publish();
  return false;
}

// False while the ring is still too full.
bool LiveChange::resize() {
  if (resize_refused_ || pipe_.capacity_bytes() == planned_.pipe_size) return true;
  const int error = pipe_.resize(planned_.pipe_size);
  if (error == EBUSY) {
    holding_ = true;
    publish();
    return false;
  }
  resize_error_ = error;
  resize_refused_ = error != 0;
  if (!resize_refused_) return true;
  publish();  // slow motion uses the actual size
  return false;
}

WorkloadEntry pipe_entry() {
  return {.kind = WorkloadKind::pipe,
          .terms = {.name = "pipe",
                    .help = "a writer and a reader process, connected by a pipe",
                    .unit = {"GiB/s", "gib_per_s", "bytes", kGiB},
                    .roles = {"writer", "reader"},
                    .part = "pair",
                    .prepares = "buffers",
                    .does = "transfer",
                    .has_ring = true},
          .knobs = pipe_knobs,
          .hot_keys = pipe_hot_keys,
          .presets = built_in_presets,
          .validate = validate_pipe,
          .make = [](const WorkloadContext& context) -> std::unique_ptr<Workload> {
            return std::make_unique<PipeWorkload>(context);
          },
          .work = work,
          .worker_capabilities = capabilities({CAP_IPC_LOCK, CAP_SYS_RESOURCE}),
          .purpose = "for lock_memory and tee"};
}

PipeWorkload::PipeWorkload(const WorkloadContext& context)
    : machine_(context.machine), pool_(context.pool) {
  pipes_.push_back(std::make_unique<PipeOwner>());
}

void PipeWorkload::set_pairs(uint32_t count) {
  while (pairs_.size() > count) {
    pool_.remove(pairs_.back()->writer);
    pool_.remove(pairs_.back()->reader);
    pairs_.pop_back();
    pipes_.pop_back();
  }
  while (pairs_.size() < count) {
    if (pipes_.size() == pairs_.size()) pipes_.push_back(std::make_unique<PipeOwner>());
    PipeOwner& pipe = *pipes_.back();
    Worker& writer = pool_.add(Role::writer, {pipe.write_fd()});
    Worker& reader = add_reader(pipe, writer);
    pairs_.push_back(std::make_unique<Pair>(Pair{writer, reader, {pipe, writer, reader}}));
  }
}

Worker& PipeWorkload::add_reader(const PipeOwner& pipe, Worker& writer) {
  try {
    return pool_.add(Role::reader, {pipe.read_fd()});
  } catch (const Error&) {
    pool_.remove(writer);  // nobody would ever tell it to stop
    throw;
  }
}

// One pair after the other; the last ones share CPUs if none are left.
void PipeWorkload::place() {
  const std::vector<Cpu>& allowed = machine_.cpus;
  std::vector<Cpu> left = allowed;
  for (const auto& pair : pairs_) {
    PlacementChoice choice = choose_cpus(requested_.pipe, left);
    if (!choice.reason.empty() && left.size() < allowed.size()) {
      left = allowed;
      choice = choose_cpus(requested_.pipe, left);
    }
    std::erase_if(left, [&](const Cpu& cpu) {
      return cpu.number == choice.writer_cpu || cpu.number == choice.reader_cpu;
    });
    if (left.empty()) left = allowed;
    pool_.place(pair->writer, choice.writer_cpu);
    pool_.place(pair->reader, choice.reader_cpu);
  }
}

void PipeWorkload::begin(const Settings& requested) {
  requested_ = requested;
  plan_ = make_plan(requested, machine_);
  set_pairs(requested.pipe.pairs);
  place();
  for (const auto& pair : pairs_) pair->change.begin(plan_.settings.pipe);
  settled_ = false;
  huge_ = Reading<bool>::warming("settling");
}

bool PipeWorkload::advance() {
  bool in_force = true;
  for (const auto& pair : pairs_) in_force = pair->change.advance() && in_force;
  if (in_force && !settled_) check_huge_pages();
  return settled_ = in_force;
}

void PipeWorkload::quit() {
  for (const auto& pair : pairs_) pair->change.quit();
}

// It must not continue in the old epoch.
void PipeWorkload::died(const Worker& worker) {
  settled_ = false;
  for (const auto& pair : pairs_)
    if (&pair->writer == &worker || &pair->reader == &worker) pair->change.begin_epoch();
}

void PipeWorkload::watch(uint64_t now_ns) {
  if (now_ns >= huge_check_ns_ + kHugeInterval) check_huge_pages();
}

void PipeWorkload::check_huge_pages() {
  huge_check_ns_ = monotonic_ns();
  const Worker& writer = pairs_.front()->writer;
  const auto report = writer.report();
  if (!report || report->state != WorkerState::flowing || !writer.alive()) {
    huge_ = Reading<bool>::warming("the writer is not running");
    return;
  }
  huge_ = Reading<bool>::of(true);
  const auto buffers = words_of<PipeReport>(report->words);
  for (const uint64_t address : buffers.buffer_address) {
    if (address == 0) continue;
    const auto one = check_huge(writer.pid(), address, buffers.buffer_bytes);
    const bool worse = !one.has_value() || !*one;
    if (worse && (!huge_.has_value() || *huge_)) huge_ = one;
  }
}

bool PipeWorkload::step(Role role) {
  bool any = false;
  for (const auto& pair : pairs_)
    any = (role == Role::writer ? pair->writer : pair->reader).step() || any;
  return any;
}

std::optional<Passage> PipeWorkload::passage() const {
  const Pair& first = *pairs_.front();
  return Passage{first.writer.counts().items, first.reader.counts().items, first.writer.marks()};
}

std::string PipeWorkload::obstacle(const Settings& next, std::string_view knob) const {
  return obstacle_of(next, knob, machine_, free_huge_pages());
}

Progress PipeWorkload::progress(uint64_t now_ns) const {
  return {pool_.counts(Role::reader).items, now_ns};
}

std::vector<PartProgress> PipeWorkload::parts() const {
  return parts_of(pool_.of(Role::reader), "pair");
}

Effective PipeWorkload::effective(const Seen& seen) const {
  if (pairs_.empty()) return {};
  const Pair& first = *pairs_.front();
  EffectiveFacts facts;
  facts.writer = granted(first.writer);
  facts.reader = granted(first.reader);
  facts.pipe_bytes = pipes_.front()->capacity_bytes();
  facts.resize_error = first.change.resize_error();
  facts.draining = first.change.draining();
  facts.huge = huge_;
  facts.probe = machine_.probe;
  facts.file_probe = machine_.file_probe;
  facts.seen = seen;
  return make_effective(requested_, plan_, facts);
}

std::vector<std::string> PipeWorkload::technique(Role role, const Effective& effective) const {
  const PipeSettings& s = effective.settings.pipe;
  const std::string wait(to_text(wait_of(s, role)));
  if (role == Role::reader)
    return {s.read_with == ReadWith::splice ? "splice → /dev/null" : "read", wait};
  std::string pages(to_text(s.pages));
  if (s.pages != Pages::k4 && effective.pipe.huge.has_value() && !*effective.pipe.huge)
    pages += " (not huge)";
  return {std::string(to_text(s.write_with)), pages, wait};
}

Reading<Integrity> PipeWorkload::integrity() const {
  if (requested_.pipe.payload != Payload::stamped)
    return Reading<Integrity>::unavailable(
        "the payload is constant: nothing to check; set payload stamped");
  if (requested_.pipe.read_with != ReadWith::read)
    return Reading<Integrity>::unavailable(
        "unverifiable: nobody reads the bytes; set read_with read");
  Integrity totals;
  for (const auto& pair : pairs_) totals += pair->reader.integrity();
  return Reading<Integrity>::of(totals);
}

Reading<Verdict> PipeWorkload::verdict(const Snapshot& s) const {
  if (pairs_.size() > 1)
    return Reading<Verdict>::unavailable("the verdict needs a single pair; set pairs 1");
  return judge_pair(s);
}

}  // namespace pipetop

#include "engine/observe/stage_pipes.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "engine/observe/perf_events.h"
#include "engine/process/child.h"
#include "engine/process/foreign_end.h"

namespace pipetop::observe {
namespace {

// A tick costs a virtual machine up to 14 us.
constexpr uint32_t kSamplesHz = 49;

// A pass over the descriptors of one process takes 15 us or so, one over those of all takes less
// than a hundred of those.
constexpr size_t kMostPasses = 64;

constexpr size_t kMostPast = 1024;

}  // namespace

StagePipes::StagePipes() : cpus_(possible_cpus()), nameless_device_(device_of_nameless_pipes()) {
  raise_descriptor_limit();  // an event takes three
  skeleton_ = load_skeleton<pipe_samples_bpf>("the ring sampler", [&](pipe_samples_bpf& open) {
    bpf_map__set_max_entries(open.maps.samples, cpus_ * STAGE_PIPES);
  });
  rings_ = map_array(skeleton_->maps.rings);
  samples_ = map_array(skeleton_->maps.samples);
}

int StagePipes::inodes_fd() const { return bpf_map__fd(skeleton_->maps.inodes); }
int StagePipes::rings_fd() const { return bpf_map__fd(skeleton_->maps.rings); }

void StagePipes::try_clocks() {
  if (!attach_to_process(skeleton_->progs.find_pipe, getpid()))
    throw_refused("attach the search for pipes", errno);
  tick(true);
  tick(false);
}

void StagePipes::tick(bool on) {
  if (on != clocks_.empty()) return;
  clocks_.clear();
  if (!on) return;
  begin_libbpf_log();
  PerfEvents events = open_perf_events(PerfClock::cpu_clock, {kSamplesHz});
  if (events.by_cpu.empty()) throw_refused("perf_event_open", events.error_number);
  std::vector<Link> clocks;
  for (UniqueFd& event : events.by_cpu) {
    Link link(bpf_program__attach_perf_event(skeleton_->progs.count_samples, event.get()));
    if (!link) throw_refused("attach the ring sampler", errno);
    event.release();  // the link closes it
    clocks.push_back(std::move(link));
  }
  clocks_ = std::move(clocks);
}

uint32_t StagePipes::watch(std::span<const ScannedPipe> pipes) {
  std::vector<PipeId> ids;
  for (const ScannedPipe& pipe : pipes) ids.push_back(pipe.id);
  const uint32_t too_many = places_.assign(
      ids, [&](const PipeId& pipe, uint32_t place) { leave(pipe, place); },
      [&](const PipeId& pipe, uint32_t place) { enter(pipe, place); });
  uint32_t count = 0;
  for (const auto& entry : places_.taken()) count = std::max(count, entry.second + 1);
  __atomic_store_n(&skeleton_->bss->pipe_count, count, __ATOMIC_RELAXED);
  tick(count > 0);
  find(pipes);
  return too_many;
}

void StagePipes::enter(const PipeId& pipe, uint32_t place) {
  generation_ = std::max(1u, (generation_ + 1) % (UINT32_MAX / STAGE_PIPES));
  before_[place] = counted(place);
  const uint32_t id = generation_ * STAGE_PIPES + place;
  ring(place) = {};  // a sample that was on its way may have left something
  ring(place).number = pipe.inode;
  ring(place).device = pipe.device;
  ring(place).id = id;
  const stage_inode wanted = {pipe.inode, pipe.device, 0};
  bpf_map_update_elem(bpf_map__fd(skeleton_->maps.wanted_pipes), &wanted, &id, BPF_ANY);
}

void StagePipes::leave(const PipeId& pipe, uint32_t place) {
  past_[ring(place).id] = pipe;
  if (past_.size() > kMostPast) past_.erase(past_.begin());
  const stage_inode wanted = {pipe.inode, pipe.device, 0};
  const __u64 inode = ring(place).inode;
  bpf_map_delete_elem(bpf_map__fd(skeleton_->maps.wanted_pipes), &wanted);
  uint32_t id = 0;
  if (inode != 0 && bpf_map_lookup_elem(inodes_fd(), &inode, &id) == 0 && id == ring(place).id)
    bpf_map_delete_elem(inodes_fd(), &inode);
  __atomic_store_n(&ring(place).pipe, 0, __ATOMIC_SEQ_CST);
  ring(place) = {};
}

bool StagePipes::is_lost(const PipeId& pipe) const {
  const auto found = places_.taken().find(pipe);
  return found != places_.taken().end() && peek(ring(found->second).pipe) == 0;
}

// Through the descriptors of processes that hold them.
void StagePipes::find(std::span<const ScannedPipe> pipes) {
  std::set<pid_t> asked;
  for (const ScannedPipe& pipe : pipes) {
    for (const PipeEnd& end : pipe.ends) {
      if (!is_lost(pipe.id) || asked.size() >= kMostPasses) break;
      if (!asked.insert(end.process.pid).second) continue;
      const Link pass = attach_to_process(skeleton_->progs.find_pipe, end.process.pid);
      if (pass) (void)run_iterator(pass);
    }
  }
  if (asked.size() < kMostPasses) return;
  const Link pass(bpf_program__attach_iter(skeleton_->progs.find_pipe, nullptr));
  if (pass) (void)run_iterator(pass);
}

StagePipes::Counts StagePipes::counted(uint32_t place) const {
  Counts sum;
  for (uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    const auto& tally = static_cast<const stage_tally*>(samples_.data())[cpu * STAGE_PIPES + place];
    sum.samples += peek(tally.samples);
    sum.empty += peek(tally.empty);
    sum.full += peek(tally.full);
    sum.used += peek(tally.used);
  }
  return sum;
}

std::vector<RingTally> StagePipes::samples() const {
  std::vector<RingTally> rings;
  for (const auto& [pipe, place] : places_.taken()) {
    const Counts now = counted(place);
    const Counts& before = before_[place];
    if (now.samples == before.samples) continue;
    rings.push_back({pipe, now.samples - before.samples, now.empty - before.empty,
                     now.full - before.full,
                     double(now.used - before.used) / (1 << STAGE_SHARE_BITS)});
  }
  return rings;
}

std::optional<PipeId> StagePipes::with_id(uint32_t id) const {
  const stage_ring& now = ring(id % STAGE_PIPES);
  if (id != 0 && now.id == id) return PipeId{now.device, now.number};
  const auto past = past_.find(id);
  return past == past_.end() ? std::optional<PipeId>() : past->second;
}

std::optional<PipeId> StagePipes::with_inode(uint64_t inode, bool named) const {
  if (inode == 0) return {};
  for (const auto& entry : places_.taken())
    if (entry.first.inode == inode && (entry.first.device != nameless_device_) == named)
      return entry.first;
  return {};
}

}  // namespace pipetop::observe

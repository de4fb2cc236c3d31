#include "engine/observe/stage_observer.h"

#include <bpf/bpf.h>
#include <stages.skel.h>

#include <algorithm>
#include <cerrno>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/observe/end_bytes.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/place_table.h"
#include "engine/observe/stage_account.h"
#include "engine/observe/stage_pipes.h"
#include "engine/observe/task_time.h"
#include "engine/observe/waits.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

static_assert(StageObserver::kMostThreads == STAGE_THREADS);
static_assert(StageObserver::kMostPipes == STAGE_PIPES);
static_assert(StageObserver::kMostEnds == STAGE_ENDS && STAGE_ENDS == STAGE_PROCESSES);

// The watched threads, as bpf/stages.bpf.c finds them and follows them.
class StageThreads {
 public:
  // Throws Error.
  explicit StageThreads(const StagePipes& pipes) {
    skeleton_ = load_skeleton<stages_bpf>("the observer of stages", [&](stages_bpf& open) {
      open.rodata->ns_per_tick = ns_per_tick();
      fill_calls(open.rodata->calls);
      if (bpf_map__reuse_fd(open.maps.inodes, pipes.inodes_fd()) != 0 ||
          bpf_map__reuse_fd(open.maps.rings, pipes.rings_fd()) != 0)
        throw_refused("share the watched pipes", errno);
    });
    records_ = map_array(skeleton_->maps.threads);
    inspection_.reset(bpf_program__attach_iter(skeleton_->progs.inspect, nullptr));
    if (!inspection_) throw_refused("attach the search for threads", errno);
  }

  // Returns how many are too many. While there is one, the programs are attached. Throws Error.
  uint32_t watch(std::span<const ScannedTask> tasks) {
    std::vector<ThreadId> threads;
    for (const ScannedTask& task : tasks)
      if (!task.zombie) threads.push_back({task.process, task.tid});
    if (threads == given_ && too_many_ == 0) return 0;
    // Before anything is found, so that no event is missed after it.
    follow(!threads.empty());
    bool is_new = false;
    too_many_ = places_.assign(
        threads, [&](const ThreadId&, uint32_t place) { leave(place); },
        [&](const ThreadId& thread, uint32_t place) {
          enter(thread, place);
          is_new = true;
        });
    if (is_new && !inspect()) throw SystemError("search for threads", errno);
    given_ = std::move(threads);
    return too_many_;
  }

  // What a wait of this process is for.
  using Explain =
      std::function<StageWait(const ProcessId& process, stage_wait wait, uint32_t number)>;
  std::vector<ThreadTimes> times(uint64_t now_ns, const Explain& explain) {
    if (std::ranges::any_of(places_.taken(), [&](const auto& entry) {
          return is_worth_inspecting(record(entry.second), now_ns);
        }))
      (void)inspect();  // or the next time
    std::vector<ThreadTimes> all;
    for (const auto& entry : places_.taken()) {
      const ThreadId& thread = entry.first;
      const auto now = read_between_changes(record(entry.second), [] {});
      if (!now) continue;
      auto times = accounts_[entry.second].times(
          *now, now_ns,
          [&](stage_wait wait, uint32_t number) { return explain(thread.process, wait, number); });
      if (!times) continue;
      times->process = thread.process;
      times->tid = thread.tid;
      all.push_back(std::move(*times));
    }
    return all;
  }

  // Whether the kernel allows it all. Throws Error.
  void try_programs() {
    follow(true);
    follow(false);
  }

 private:
  void follow(bool on) {
    if (on != links_.empty()) return;
    links_.clear();
    if (!on) return;
    begin_libbpf_log();
    const auto& programs = skeleton_->progs;
    for (const bpf_program* program : {programs.on_switch, programs.on_wakeup, programs.on_exec}) {
      links_.emplace_back(bpf_program__attach(program));
      if (links_.back()) continue;
      const int error = errno;
      links_.clear();
      throw_refused("attach the observer of stages", error);
    }
  }

  void enter(const ThreadId& thread, uint32_t place) {
    stage_thread& now = record(place);
    now = {};
    now.time.state = TASK_UNKNOWN;
    now.tid = static_cast<uint32_t>(thread.tid);
    now.pid = static_cast<uint32_t>(thread.process.pid);
    now.start_ticks = thread.process.start_ticks;
    accounts_[place] = {};
    bpf_map_update_elem(bpf_map__fd(skeleton_->maps.wanted_threads), &now.tid, &place, BPF_ANY);
  }

  void leave(uint32_t place) {
    const stage_thread& last = record(place);
    accounts_.erase(place);
    // Its number may be another one's by now.
    const int wanted = bpf_map__fd(skeleton_->maps.wanted_threads);
    uint32_t value = 0;
    if (bpf_map_lookup_elem(wanted, &last.tid, &value) == 0 && value == place)
      bpf_map_delete_elem(wanted, &last.tid);
    if (last.task == 0) return;
    uint16_t* link = &skeleton_->bss->buckets[last.number % STAGE_BUCKETS];
    while (*link != 0 && *link != place + 1) link = &record(*link - 1u).next;
    if (*link != 0) __atomic_store_n(link, last.next, __ATOMIC_RELAXED);
  }

  // False, with errno set, on failure.
  bool inspect() { return run_iterator(inspection_); }

  stage_thread& record(uint32_t place) const {
    return static_cast<stage_thread*>(records_.data())[place];
  }

  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<stages_bpf> skeleton_;
  Mapping records_;
  Link inspection_;
  std::vector<Link> links_;

  std::vector<ThreadId> given_;  // the last time
  uint32_t too_many_ = 0;
  PlaceTable<ThreadId> places_{STAGE_THREADS};
  std::map<uint32_t, StageAccount> accounts_;  // by place
};

class BpfStageObserver final : public StageObserver {
 public:
  // Refusals must be noticed now.
  BpfStageObserver() : threads_(pipes_) {
    pipes_.try_clocks();
    threads_.try_programs();
  }

  // Pipes first: a sleeping thread is asked which of them it waits for.
  void watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> all) override {
    std::vector<ScannedPipe> pipes;
    sockets_.clear();
    for (const ScannedPipe& pipe : all) {
      if (!pipe.socket) {
        pipes.push_back(pipe);
        continue;
      }
      const bool joins = !pipe.socket->from_outside && pipe.socket->read_inode != 0;
      if (!pipe.socket->from_outside) sockets_[{pipe.id.inode, true}] = {pipe.id, joins};
      if (pipe.socket->read_inode) sockets_[{pipe.socket->read_inode, false}] = {pipe.id, joins};
    }
    const uint32_t pipes_too_many = pipes_.watch(pipes);
    dropped_ = pipes_too_many + threads_.watch(threads);
    processes_.clear();
    for (const ScannedTask& thread : threads) processes_.insert(thread.process);
    if (bytes_) bytes_->watch(processes_);
  }

  uint32_t dropped() const override { return dropped_; }

  std::vector<ThreadTimes> times(uint64_t now_ns) override {
    return threads_.times(now_ns, [&](const ProcessId& process, stage_wait wait, uint32_t number) {
      const bool writing = wait == STAGE_PIPE_WRITE || wait == STAGE_FD_WRITE;
      const WaitsFor of_pipe = writing ? WaitsFor::pipe_write : WaitsFor::pipe_read;
      if (wait == STAGE_PIPE_READ || wait == STAGE_PIPE_WRITE)
        return StageWait{of_pipe, pipes_.with_id(number)};
      const DescriptorWait other = descriptors_.of(process, static_cast<int>(number), now_ns);
      const bool is_socket = other.wait == WaitsFor::network;
      const auto pipe = is_socket ? socket_with(other.inode, writing)
                                  : pipes_.with_inode(other.inode, other.named);
      if (is_socket && !pipe) {
        const auto answered = sockets_.find({other.inode, !writing});
        return StageWait{other.wait, {}, answered != sockets_.end() && answered->second.joins};
      }
      const bool is_pipe = pipe || other.wait == WaitsFor::pipe_read;
      return StageWait{is_pipe ? of_pipe : other.wait, pipe};
    });
  }

  std::vector<RingTally> samples() override { return pipes_.samples(); }

  void count_bytes(bool on) override {
    if (on == counts_bytes()) return;
    bytes_.reset();
    if (!on) return;
    EndByteCounter& counter = bytes_.emplace();
    try {
      counter.watch(processes_);
    } catch (...) {
      bytes_.reset();
      throw;
    }
  }
  void count_children() override {
    if (bytes_) bytes_->count_children();
  }
  bool counts_bytes() const override { return bytes_.has_value(); }
  std::vector<EndBytes> take_bytes() override {
    std::vector<EndBytes> moved = bytes_ ? bytes_->take() : std::vector<EndBytes>();
    // What a socket is read from is the other side's.
    for (EndBytes& end : moved)
      if (const auto edge = socket_with(end.pipe.inode, false); edge && !end.writing)
        end.pipe = *edge;
    return moved;
  }
  bool missed_bytes() const override { return bytes_ && bytes_->overflowed(); }

 private:
  std::optional<PipeId> socket_with(uint64_t inode, bool writing) const {
    const auto found = sockets_.find({inode, writing});
    return found == sockets_.end() ? std::nullopt : std::optional(found->second.id);
  }

  struct SocketPipe {
    PipeId id;
    bool joins = false;  // both sides are here
  };

  StagePipes pipes_;
  StageThreads threads_;
  std::map<std::pair<uint64_t, bool>, SocketPipe> sockets_;  // watched; by inode, for writing
  std::set<ProcessId> processes_;                            // that are watched
  std::optional<EndByteCounter> bytes_;
  DescriptorWaits descriptors_;
  uint32_t dropped_ = 0;
};

}  // namespace

std::unique_ptr<StageObserver> make_stage_observer() {
  return std::make_unique<BpfStageObserver>();
}

}  // namespace pipetop::observe

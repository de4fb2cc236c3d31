#include "engine/observe/stage_threads.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/observe/waits.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {

StageThreads::StageThreads(const StagePipes& pipes) {
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

void StageThreads::try_programs() {
  follow(true);
  follow(false);
}

void StageThreads::follow(bool on) {
  if (on != links_.empty()) return;
  links_.clear();
  if (!on) return;
  begin_libbpf_log();
  for (const bpf_program* program : {skeleton_->progs.on_switch, skeleton_->progs.on_wakeup}) {
    links_.emplace_back(bpf_program__attach(program));
    if (links_.back()) continue;
    const int error = errno;
    links_.clear();
    throw_refused("attach the observer of stages", error);
  }
}

uint32_t StageThreads::watch(std::span<const ScannedTask> tasks) {
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

void StageThreads::enter(const ThreadId& thread, uint32_t place) {
  stage_thread& now = record(place);
  now = {};
  now.state = STAGE_UNKNOWN;
  now.tid = static_cast<uint32_t>(thread.tid);
  now.pid = static_cast<uint32_t>(thread.process.pid);
  now.start_ticks = thread.process.start_ticks;
  accounts_[place] = {};
  bpf_map_update_elem(bpf_map__fd(skeleton_->maps.wanted_threads), &now.tid, &place, BPF_ANY);
}

void StageThreads::leave(uint32_t place) {
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

bool StageThreads::inspect() { return run_iterator(inspection_); }

std::vector<ThreadTimes> StageThreads::times(uint64_t now_ns, const Explain& explain) {
  if (std::ranges::any_of(places_.taken(), [&](const auto& entry) {
        return is_worth_inspecting(record(entry.second), now_ns);
      }))
    (void)inspect();  // or the next time
  std::vector<ThreadTimes> all;
  for (const auto& entry : places_.taken()) {
    const ThreadId& thread = entry.first;
    const auto now = read_between_changes(record(entry.second));
    if (!now) continue;
    auto times = accounts_[entry.second].times(*now, now_ns, [&](stage_wait wait, uint32_t number) {
      return explain(thread.process, wait, number);
    });
    if (!times) continue;
    times->process = thread.process;
    times->tid = thread.tid;
    all.push_back(std::move(*times));
  }
  return all;
}

}  // namespace pipetop::observe

#include "engine/observe/stage_threads.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/observe/stage_calls.h"

namespace pipetop::observe {
namespace {

constexpr size_t kMostPastProcesses = 4096;

}  // namespace

StageThreads::StageThreads(const StagePipes& pipes) {
  skeleton_ = load_skeleton<stages_bpf>("the observer of stages", [&](stages_bpf& open) {
    open.rodata->ns_per_tick = 1'000'000'000 / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
    fill_stage_calls(open.rodata->calls);
    if (bpf_map__reuse_fd(open.maps.inodes, pipes.inodes_fd()) != 0 ||
        bpf_map__reuse_fd(open.maps.rings, pipes.rings_fd()) != 0)
      throw_refused("share the watched pipes", errno);
  });
  records_ = map_array(skeleton_->maps.threads);
  inspection_.reset(bpf_program__attach_iter(skeleton_->progs.inspect, nullptr));
  if (!inspection_) throw_refused("attach the search for threads", errno);
}

int StageThreads::processes_fd() const { return bpf_map__fd(skeleton_->maps.processes); }

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
  number_processes(tasks);
  // Before anything is found, so that no event is missed after it.
  follow(!threads.empty());
  bool is_new = false;
  too_many_ = places_.assign(
      threads, [&](const ThreadId& thread, uint32_t place) { leave(thread, place); },
      [&](const ThreadId& thread, uint32_t place) {
        enter(thread, place);
        is_new = true;
      });
  if (is_new && !inspect()) throw SystemError("search for threads", errno);
  given_ = std::move(threads);
  return too_many_;
}

// Numbers are not given again; pids are.
void StageThreads::number_processes(std::span<const ScannedTask> tasks) {
  std::set<ProcessId> now;
  for (const ScannedTask& task : tasks) now.insert(task.process);
  std::erase_if(numbers_, [&](const auto& entry) { return !now.contains(entry.first); });
  for (const ProcessId& process : now) {
    if (numbers_.contains(process)) continue;
    numbers_[process] = ++last_number_;
    processes_[last_number_] = process;
  }
  while (processes_.size() > numbers_.size() + kMostPastProcesses) {
    const auto old = std::ranges::find_if(
        processes_, [&](const auto& entry) { return !numbers_.contains(entry.second); });
    if (old == processes_.end()) break;
    processes_.erase(old);
  }
}

void StageThreads::enter(const ThreadId& thread, uint32_t place) {
  stage_thread& now = record(place);
  now = {};
  now.state = STAGE_UNKNOWN;
  now.tid = static_cast<uint32_t>(thread.tid);
  now.pid = static_cast<uint32_t>(thread.process.pid);
  now.start_ticks = thread.process.start_ticks;
  now.process = numbers_[thread.process];
  accounts_[place] = {};
  bpf_map_update_elem(bpf_map__fd(skeleton_->maps.wanted_threads), &now.tid, &place, BPF_ANY);
}

// Deletes what is still this thread's: its numbers may be another one's by now.
void StageThreads::leave(const ThreadId& thread, uint32_t place) {
  const stage_thread& last = record(place);
  accounts_.erase(place);
  uint32_t value = 0;
  const auto remove = [&](const bpf_map* map, const void* key, uint32_t of) {
    const int fd = bpf_map__fd(map);
    if (bpf_map_lookup_elem(fd, key, &value) == 0 && value == of) bpf_map_delete_elem(fd, key);
  };
  remove(skeleton_->maps.wanted_threads, &last.tid, place);
  if (last.task == 0) return;
  if (!numbers_.contains(thread.process))
    remove(skeleton_->maps.processes, &last.tgid, last.process);
  uint16_t* link = &skeleton_->bss->buckets[last.number % STAGE_BUCKETS];
  while (*link != 0 && *link != place + 1) link = &record(*link - 1u).next;
  if (*link != 0) __atomic_store_n(link, last.next, __ATOMIC_RELAXED);
}

bool StageThreads::inspect() { return run_iterator(inspection_); }

std::vector<ThreadTimes> StageThreads::times(uint64_t now_ns, const Explain& explain) {
  if (std::ranges::any_of(places_.taken(), [&](const auto& entry) {
        return is_worth_a_look(record(entry.second), now_ns);
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

std::optional<ProcessId> StageThreads::process_with(uint32_t number) const {
  const auto found = processes_.find(number);
  return found == processes_.end() ? std::optional<ProcessId>() : found->second;
}

bool StageThreads::is_watched(uint32_t number) const {
  const auto process = process_with(number);
  const auto found = process ? numbers_.find(*process) : numbers_.end();
  return found != numbers_.end() && found->second == number;
}

}  // namespace pipetop::observe

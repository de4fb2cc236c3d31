#include "engine/observe/stage_account.h"

#include <algorithm>

#include "engine/observe/task_time.h"
#include "engine/observe/waits.h"

namespace pipetop::observe {
namespace {

// A shell opens a pipe for each command whose output it wants.
constexpr size_t kMostPipesOfThread = 64;

size_t index(WaitsFor wait) { return static_cast<size_t>(wait); }
stage_wait kind_of(uint64_t key) { return static_cast<stage_wait>(key >> 32); }
uint32_t number_of(uint64_t key) { return static_cast<uint32_t>(key); }
bool is_for_descriptor(uint32_t wait) {
  return wait == STAGE_PIPE_READ || wait == STAGE_PIPE_WRITE || wait == STAGE_FD_READ ||
         wait == STAGE_FD_WRITE;
}
bool is_writing(uint32_t wait) { return wait == STAGE_PIPE_WRITE || wait == STAGE_FD_WRITE; }

}  // namespace

bool is_worth_inspecting(const stage_thread& record, uint64_t now_ns) {
  // It has ended, or has been replaced by another thread of its process that called exec.
  if (peek(record.task) == 0) return false;
  const uint32_t state = peek(record.time.state);
  const uint64_t settled_ns = peek(record.time.since_ns) + TASK_SETTLED_NS;
  return state == TASK_NOBODY ||
         (state == TASK_UNKNOWN && now_ns >= settled_ns && peek(record.time.seen_ns) < settled_ns);
}

// A place that was given to another key meanwhile has lost what it had gained since the last time.
void StageAccount::collect(const stage_thread& record) {
  for (size_t i = 0; i < last_.size(); ++i) {
    const stage_place& now = record.places[i];
    if (now.key == 0) continue;
    const bool goes_on = now.key == last_[i].key && now.ns >= last_[i].ns;
    keys_[now.key].total_ns += now.ns - (goes_on ? last_[i].ns : 0);
    last_[i] = now;
  }
}

void StageAccount::assign(uint64_t open_key, uint64_t open_ns, const Explain& explain) {
  for (auto& [key, sum] : keys_) {
    const uint64_t ns = sum.total_ns + (key == open_key ? open_ns : 0);
    if (ns <= sum.assigned_ns) continue;
    const StageWait why = explain(kind_of(key), number_of(key));
    by_descriptor_[index(why.wait)] += ns - sum.assigned_ns;
    if (why.peer) peer_ns_ += ns - sum.assigned_ns;
    if (why.pipe) {
      End& end = ends_[{*why.pipe, is_writing(kind_of(key))}];
      end.ns += ns - sum.assigned_ns;
      end.turn = turn_;
    }
    sum.assigned_ns = ns;
  }
}

void StageAccount::forget(uint64_t open_key) {
  std::erase_if(keys_, [&](const auto& entry) {
    return entry.first != open_key &&
           std::ranges::find(last_, entry.first, &stage_place::key) == last_.end();
  });
  while (ends_.size() > kMostPipesOfThread)
    ends_.erase(
        std::ranges::min_element(ends_, {}, [](const auto& entry) { return entry.second.turn; }));
}

std::optional<ThreadTimes> StageAccount::times(const stage_thread& record, uint64_t now_ns,
                                               const Explain& explain) {
  if (record.task == 0) return {};
  const bool is_seen = record.time.state == TASK_UNKNOWN;
  task_time time = record.time;
  const auto open_ns = bring_up_to(now_ns, time);
  if (!open_ns) return {};
  const uint32_t now = is_seen ? record.seen_wait : record.wait;
  const uint64_t now_key = is_seen ? record.seen_key : record.key;
  const bool asleep = time.state == TASK_BLOCKED;
  const bool at_descriptor = asleep && is_for_descriptor(now);
  const uint64_t open_key = at_descriptor ? now_key : 0;
  ++turn_;
  collect(record);
  if (at_descriptor) keys_.try_emplace(open_key);
  assign(open_key, *open_ns, explain);
  forget(open_key);

  ThreadTimes times;
  times.on_cpu_ns = time.ns[TASK_ON_CPU];
  times.runnable_ns = time.ns[TASK_RUNNABLE];
  times.wait_ns = by_descriptor_;
  times.peer_ns = peer_ns_;
  times.sleeps = time.sleeps;
  times.wall_ns = times.on_cpu_ns + times.runnable_ns;
  uint64_t unassigned_ns = 0;  // of places that gave way
  for (uint32_t wait = STAGE_PIPE_READ; wait < STAGE_WAITS; ++wait) {
    const uint64_t ns = record.wait_ns[wait] + (asleep && now == wait ? *open_ns : 0);
    (is_for_descriptor(wait) ? unassigned_ns : times.wait_ns[index(waits_for(wait))]) += ns;
    times.wall_ns += ns;
  }
  for (const uint64_t ns : by_descriptor_) unassigned_ns -= std::min(unassigned_ns, ns);
  times.wait_ns[index(WaitsFor::other)] += unassigned_ns;
  for (const auto& [end, waited] : ends_) times.pipes.push_back({end.first, end.second, waited.ns});

  times.running = time.state == TASK_ON_CPU;
  times.runnable = time.state == TASK_RUNNABLE;
  if (!asleep) return times;
  const StageWait why =
      at_descriptor ? explain(kind_of(now_key), number_of(now_key)) : StageWait{waits_for(now), {}};
  times.now = why.wait;
  times.now_pipe = why.pipe;
  return times;
}

}  // namespace pipetop::observe

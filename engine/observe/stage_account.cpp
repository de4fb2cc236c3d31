#include "engine/observe/stage_account.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine/observe/libbpf.h"
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

// As it is at the moment, also if no event has shown it yet.
struct Present {
  uint32_t state = STAGE_NOBODY;
  uint32_t wait = STAGE_OTHER;
  uint64_t key = 0;
  uint64_t open_ns = 0;  // in this state
};

std::optional<Present> present(const stage_thread& record, uint64_t now_ns) {
  if (record.task == 0) return {};
  Present now{record.state, record.wait, record.key};
  if (record.state == STAGE_UNKNOWN) {
    if (record.seen_ns < record.since_ns + kSettled_ns) return {};
    now = {record.seen, record.seen_wait, record.seen_key};
  }
  if (now.state < STAGE_STATES && now_ns > record.since_ns) now.open_ns = now_ns - record.since_ns;
  return now;
}

}  // namespace

std::optional<stage_thread> read_between_changes(const stage_thread& record) {
  std::array<uint64_t, sizeof(stage_thread) / sizeof(uint64_t)> words;
  const auto* changing = reinterpret_cast<const uint64_t*>(&record);
  for (int i = 0; i < kReadAttempts; ++i) {
    const uint32_t before = __atomic_load_n(&record.sequence, __ATOMIC_ACQUIRE);
    if (before % 2 != 0) continue;
    for (size_t at = 0; at < words.size(); ++at) words[at] = peek(changing[at]);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (peek(record.sequence) != before) continue;
    stage_thread copy;
    std::memcpy(&copy, words.data(), sizeof copy);
    return copy;
  }
  return {};
}

bool is_worth_inspecting(const stage_thread& record, uint64_t now_ns) {
  // It has ended, or has been replaced by another thread of its process that called exec.
  if (peek(record.task) != 0 && peek(record.state) == STAGE_NOBODY) return true;
  return peek(record.task) != 0 && peek(record.state) == STAGE_UNKNOWN &&
         now_ns >= peek(record.since_ns) + kSettled_ns &&
         peek(record.seen_ns) < peek(record.since_ns) + kSettled_ns;
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
  const auto now = present(record, now_ns);
  if (!now) return {};
  const bool asleep = now->state == STAGE_BLOCKED;
  const bool at_descriptor = asleep && is_for_descriptor(now->wait);
  const uint64_t open_key = at_descriptor ? now->key : 0;
  ++turn_;
  collect(record);
  if (at_descriptor) keys_.try_emplace(open_key);
  assign(open_key, now->open_ns, explain);
  forget(open_key);

  ThreadTimes times;
  times.on_cpu_ns = record.on_cpu_ns + (now->state == STAGE_ON_CPU ? now->open_ns : 0);
  times.runnable_ns = record.runnable_ns + (now->state == STAGE_RUNNABLE ? now->open_ns : 0);
  times.wait_ns = by_descriptor_;
  times.sleeps = record.sleeps;
  times.wall_ns = times.on_cpu_ns + times.runnable_ns;
  uint64_t unassigned_ns = 0;  // of places that gave way
  for (uint32_t wait = STAGE_PIPE_READ; wait < STAGE_WAITS; ++wait) {
    const uint64_t ns = record.wait_ns[wait] + (asleep && now->wait == wait ? now->open_ns : 0);
    (is_for_descriptor(wait) ? unassigned_ns : times.wait_ns[index(waits_for(wait))]) += ns;
    times.wall_ns += ns;
  }
  for (const uint64_t ns : by_descriptor_) unassigned_ns -= std::min(unassigned_ns, ns);
  times.wait_ns[index(WaitsFor::other)] += unassigned_ns;
  for (const auto& [end, waited] : ends_) times.pipes.push_back({end.first, end.second, waited.ns});

  times.running = now->state == STAGE_ON_CPU;
  times.runnable = now->state == STAGE_RUNNABLE;
  if (!asleep) return times;
  const StageWait why = at_descriptor ? explain(kind_of(now->key), number_of(now->key))
                                      : StageWait{waits_for(now->wait), {}};
  times.now = why.wait;
  times.now_pipe = why.pipe;
  return times;
}

}  // namespace pipetop::observe

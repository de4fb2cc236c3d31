// How records that begin with a task_time are read while a BPF program writes them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>

#include "bpf/task_time.h"
#include "engine/base/clock.h"
#include "engine/observe/libbpf.h"

namespace pipetop::observe {

// An update takes less than a microsecond, unless the host stops its CPU in the middle.
constexpr int kReadAttempts = 10'000;

// The record as it was between two changes; nothing if it changed during every attempt. `also`
// reads what is changed with it, and may be called several times.
template <class Record, class Also>
std::optional<Record> read_between_changes(const Record& record, const Also& also) {
  std::array<uint64_t, sizeof(Record) / sizeof(uint64_t)> words;
  const auto* changing = reinterpret_cast<const uint64_t*>(&record);
  for (int i = 0; i < kReadAttempts; ++i) {
    const uint32_t before = __atomic_load_n(&record.time.sequence, __ATOMIC_ACQUIRE);
    if (before % 2 != 0) continue;
    for (size_t at = 0; at < words.size(); ++at) words[at] = peek(changing[at]);
    also();
    std::atomic_thread_fence(std::memory_order_acquire);
    if (peek(record.time.sequence) != before) continue;
    Record copy;
    std::memcpy(&copy, words.data(), sizeof copy);
    return copy;
  }
  return {};
}

// Brings a copy up to `now_ns`, which was the time before it was made: sets the state to what the
// iterator saw if no event has shown it, and counts the current interval. Returns that interval's
// length; nothing while the state is not known.
inline std::optional<uint64_t> bring_up_to(uint64_t now_ns, task_time& time) {
  if (time.state == TASK_UNKNOWN) {
    if (time.seen_ns < time.since_ns + TASK_SETTLED_NS) return {};
    time.state = time.seen;
  }
  if (time.state >= TASK_STATES || now_ns <= time.since_ns) return 0;
  const uint64_t ns = now_ns - time.since_ns;
  time.ns[time.state] += ns;
  return ns;
}

}  // namespace pipetop::observe

#include "engine/model/control_block.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace pipetop {
namespace {

// Shared data is copied as relaxed 64-bit words: a copy may be torn, which the
// generation reveals, but there is never a data race.
template <class T>
T load_words(const T& from) {
  T copy;
  auto* source = reinterpret_cast<const uint64_t*>(&from);
  auto* target = reinterpret_cast<uint64_t*>(&copy);
  for (size_t i = 0; i < sizeof(T) / sizeof(uint64_t); ++i)
    target[i] =
        std::atomic_ref<uint64_t>(const_cast<uint64_t&>(source[i])).load(std::memory_order_relaxed);
  return copy;
}

template <class T>
void store_words(T& to, const T& from) {
  auto* source = reinterpret_cast<const uint64_t*>(&from);
  auto* target = reinterpret_cast<uint64_t*>(&to);
  for (size_t i = 0; i < sizeof(T) / sizeof(uint64_t); ++i)
    std::atomic_ref<uint64_t>(target[i]).store(source[i], std::memory_order_relaxed);
}

// The futex is shared between processes, hence not FUTEX_PRIVATE.
void futex(const std::atomic<uint32_t>& word, int operation, uint32_t value) {
  ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

uint32_t publish_command(ControlBlock& block, const WorkerCommand& command) {
  const uint32_t even = block.generation.load(std::memory_order_relaxed);
  block.generation.store(even + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  store_words(block.command, command);
  block.generation.store(even + 2, std::memory_order_release);
  futex(block.generation, FUTEX_WAKE, INT_MAX);
  return even + 2;
}

NumberedCommand read_command(const ControlBlock& block) {
  for (;;) {
    const uint32_t before = block.generation.load(std::memory_order_acquire);
    if (before % 2 != 0) continue;  // the engine needs nanoseconds to finish
    const WorkerCommand command = load_words(block.command);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (block.generation.load(std::memory_order_relaxed) == before) return {before, command};
  }
}

void publish_report(ControlBlock& block, uint32_t generation, const WorkerReport& report) {
  store_words(block.report, report);
  block.acknowledged.store(generation, std::memory_order_release);
}

std::string_view WorkerReport::reason_text() const {
  return {reason.begin(), std::ranges::find(reason, '\0')};
}

void set_reason(WorkerReport& report, std::string_view text) {
  report.reason = {};
  const size_t length = std::min(text.size(), report.reason.size() - 1);
  std::copy_n(text.begin(), length, report.reason.begin());
}

void publish_failure(ControlBlock& block, int error_number, std::string_view reason) {
  WorkerReport& report = block.report;
  WorkerReport failed;
  set_reason(failed, reason);
  store_words(report.reason, failed.reason);
  std::atomic_ref<uint64_t>(report.error_number)
      .store(static_cast<uint64_t>(error_number), std::memory_order_relaxed);
  std::atomic_ref<WorkerState>(report.state).store(WorkerState::failed, std::memory_order_release);
}

std::optional<WorkerReport> read_report(const ControlBlock& block, uint32_t generation) {
  if (block.acknowledged.load(std::memory_order_acquire) != generation) return {};
  // The state first: publish_failure() writes it last.
  auto& state = const_cast<WorkerState&>(block.report.state);
  const WorkerState first = std::atomic_ref<WorkerState>(state).load(std::memory_order_acquire);
  WorkerReport report = load_words(block.report);
  report.state = first;
  return report;
}

WorkerCounts read_counts(const ControlBlock& block) { return load_words(block.counts); }
WorkerIntegrity read_integrity(const ControlBlock& block) { return load_words(block.integrity); }
WorkerMarks read_marks(const ControlBlock& block) { return load_words(block.marks); }

bool grant_permit(ControlBlock& block) {
  const auto made = static_cast<uint32_t>(read_marks(block).steps);
  if (block.permits.load(std::memory_order_relaxed) != made) return false;
  block.permits.store(made + 1, std::memory_order_release);
  futex(block.permits, FUTEX_WAKE, INT_MAX);
  return true;
}

void revoke_permit(ControlBlock& block) {
  block.permits.store(static_cast<uint32_t>(read_marks(block).steps), std::memory_order_release);
}

bool await_permit(const ControlBlock& block) {
  const uint32_t permits = block.permits.load(std::memory_order_acquire);
  if (permits != static_cast<uint32_t>(block.marks.steps)) return true;
  futex(block.permits, FUTEX_WAIT, permits);
  return false;
}

void wait_for_command(const ControlBlock& block, uint32_t seen) {
  // A signal or a wakeup for another worker ends the call, not the wait.
  while (block.generation.load(std::memory_order_acquire) == seen)
    futex(block.generation, FUTEX_WAIT, seen);
}

}  // namespace pipetop

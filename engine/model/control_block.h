// The shared-memory ABI between the engine and one worker process.
//
// One block per worker, in a memfd of sealed size that both map. Every field
// has exactly one writer; each writer has cache lines of its own, so that
// reading a counter costs the worker one miss and nothing else.
//
// field        writer   readers  order
// identity     engine   worker   written before the worker is started; a worker can forge it for
//                                its successor, so nothing here may grant a right
// generation   engine   worker   seqlock over `command`: odd while it is rewritten;
//                                also the futex word on which a held worker sleeps
// permits      engine   worker   release; how many single steps it may have made, and the futex
//                                word on which it waits for the next one; `marks` has those made
// command      engine   worker   relaxed words, bracketed by `generation`
// report       worker   engine   relaxed words, published by `acknowledged` (release)
// counts       worker   engine   relaxed; they outlive a restart of the worker
// integrity    reader   engine   relaxed
// marks        worker   engine   relaxed; they outlive a restart, too
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "engine/model/counts.h"

namespace pipetop {

inline constexpr uint32_t kControlMagic = 0x50544f50;  // "PTOP"
inline constexpr uint32_t kControlVersion = 7;
inline constexpr size_t kCacheLine = 64;

enum class Order : uint64_t {
  flow,  // move data
  hold,  // move nothing until the next generation
  quit,  // finish and exit 0
};

inline constexpr size_t kCommandWords = 24;
inline constexpr size_t kReportWords = 12;

// What the engine wants the worker to do. 64-bit words only: it is copied word by
// word so that no reader can race with its writer. The meaning of `words` is up to
// a workload and its workers, see put_words().
struct WorkerCommand {
  Order order = Order::hold;
  std::array<uint64_t, kCommandWords> words = {};

  bool operator==(const WorkerCommand&) const = default;
};

// Converts a workload's own command or report, a struct of at most this many 64-bit words, and
// back.
template <size_t N, class Own>
void put_words(std::array<uint64_t, N>& words, const Own& own) {
  static_assert(std::is_trivially_copyable_v<Own> && sizeof(Own) % sizeof(uint64_t) == 0);
  static_assert(sizeof(Own) <= sizeof words);
  std::memcpy(words.data(), &own, sizeof own);
}
template <class Own, size_t N>
Own words_of(const std::array<uint64_t, N>& words) {
  static_assert(sizeof(Own) <= sizeof words);
  Own own;
  std::memcpy(static_cast<void*>(&own), words.data(), sizeof own);
  return own;
}

template <class Own>
WorkerCommand command_of(Order order, const Own& own) {
  WorkerCommand command{.order = order};
  put_words(command.words, own);
  return command;
}

enum class WorkerState : uint64_t {
  starting,
  flowing,
  held,
  refused,  // it lacks a resource: `reason`, else `error_number` says why; holds
  failed,   // its work failed: `reason`, else `error_number` says why; holds
};

// The worker's answer to the command of the acknowledged generation.
struct WorkerReport {
  WorkerState state = WorkerState::starting;
  uint64_t error_number = 0;                      // errno of `refused` and `failed`
  std::array<uint64_t, kReportWords> words = {};  // the workload's own report, see put_words()
  // "why; remedy" for a missing resource, 0-terminated; "" if errno is enough.
  std::array<char, 192> reason = {};

  std::string_view reason_text() const;
};

struct ControlBlock {
  // identity
  uint32_t magic = kControlMagic;
  uint32_t version = kControlVersion;
  uint32_t role = 0;        // Role
  uint32_t parent_pid = 0;  // the engine; the worker must not outlive it
  uint32_t workload = 0;    // WorkloadKind

  alignas(kCacheLine) std::atomic<uint32_t> generation;
  std::atomic<uint32_t> permits;
  alignas(8) WorkerCommand command;

  alignas(kCacheLine) std::atomic<uint32_t> acknowledged;  // the generation of `report`
  alignas(8) WorkerReport report;

  alignas(kCacheLine) WorkerCounts counts;
  alignas(kCacheLine) WorkerIntegrity integrity;
  alignas(kCacheLine) WorkerMarks marks;
};

// ---- the engine's side ----

// Makes `command` the newest and wakes a held worker. Returns its generation.
uint32_t publish_command(ControlBlock& block, const WorkerCommand& command);

// The report for `generation`; nothing until the worker has acknowledged it.
std::optional<WorkerReport> read_report(const ControlBlock& block, uint32_t generation);

WorkerCounts read_counts(const ControlBlock& block);
WorkerIntegrity read_integrity(const ControlBlock& block);
WorkerMarks read_marks(const ControlBlock& block);

// Allows one more single step, and wakes a worker that waits for it. False if it has not made the
// last one yet.
bool grant_permit(ControlBlock& block);
// Takes back a step that was not made; only while the worker makes none.
void revoke_permit(ControlBlock& block);

// ---- the worker's side ----

struct NumberedCommand {
  uint32_t generation = 0;
  WorkerCommand command;
};
// A consistent command, never a mix of two.
NumberedCommand read_command(const ControlBlock& block);

// Truncates the text to the available room.
void set_reason(WorkerReport& report, std::string_view text);

// Publishes the answer to `generation`.
void publish_report(ControlBlock& block, uint32_t generation, const WorkerReport& report);

// Amends the published report: a transfer failed later on.
void publish_failure(ControlBlock& block, int error_number, std::string_view reason = {});

// Each counter has one writer, so adding needs no locked instruction.
inline void set(uint64_t& counter, uint64_t n) {
  std::atomic_ref<uint64_t>(counter).store(n, std::memory_order_relaxed);
}
inline void add(uint64_t& counter, uint64_t n) { set(counter, counter + n); }

// Whether a single step is allowed now. If not, it sleeps until one may be, or until a signal: ask
// again after looking for a newer command.
bool await_permit(const ControlBlock& block);

// Sleeps until the generation differs from `seen`.
void wait_for_command(const ControlBlock& block, uint32_t seen);

static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint64_t>) == 8);
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);
static_assert(std::is_trivially_copyable_v<WorkerCommand> && sizeof(WorkerCommand) % 8 == 0);
static_assert(std::is_trivially_copyable_v<WorkerReport> && sizeof(WorkerReport) % 8 == 0);
static_assert(std::is_standard_layout_v<ControlBlock>);
static_assert(sizeof(WorkerCounts) <= 2 * kCacheLine && sizeof(WorkerIntegrity) <= kCacheLine &&
              sizeof(WorkerMarks) <= kCacheLine);
static_assert(offsetof(ControlBlock, generation) == 64);
static_assert(offsetof(ControlBlock, permits) == 68);
static_assert(offsetof(ControlBlock, command) == 72);
static_assert(sizeof(WorkerCommand) == 200);
static_assert(offsetof(ControlBlock, acknowledged) == 320);
static_assert(offsetof(ControlBlock, counts) == 640);
static_assert(offsetof(ControlBlock, marks) == 832);
static_assert(sizeof(ControlBlock) == 896);

}  // namespace pipetop

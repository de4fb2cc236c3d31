// The life of a worker of any workload: take a command, prepare, acknowledge, work
// until the next one.
#pragma once

#include <cerrno>
#include <cstdint>

#include "engine/control_block.h"

namespace pipetop {

// Why a loop returned.
enum class LoopEnd { changed, failed };  // failed: errno says why

// One relaxed load: whether there is a newer command than that of `generation`.
inline bool is_changed(const ControlBlock& block, uint32_t generation) {
  return block.generation.load(std::memory_order_relaxed) != generation;
}

// prepare(own command, report) -> false if it was refused what it needs, the report
// saying why; work(own command, generation) -> why it ended, soon after is_changed().
// Returns the exit status.
template <class Own, class Prepare, class Work>
int run_worker(ControlBlock& block, Prepare prepare, Work work) {
  for (;;) {
    const auto [generation, command] = read_command(block);
    const Own own = words_of<Own>(command);
    WorkerReport report;
    report.state = WorkerState::held;
    if (command.order == Order::flow)
      report.state = prepare(own, report) ? WorkerState::flowing : WorkerState::refused;
    publish_report(block, generation, report);
    if (command.order == Order::quit) return 0;
    if (report.state == WorkerState::flowing) {
      if (work(own, generation) == LoopEnd::changed) continue;
      publish_failure(block, errno);
    }
    wait_for_command(block, generation);
  }
}

}  // namespace pipetop

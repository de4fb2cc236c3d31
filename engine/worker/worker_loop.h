// The main loop of a worker of any workload: take a command, prepare, acknowledge,
// work until the next one.
#pragma once

#include <cerrno>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/model/control_block.h"

namespace pipetop {

// Why a loop returned.
enum class LoopEnd { changed, failed };  // failed: errno says why

// Whether there is a newer command than that of `generation`; one relaxed load.
inline bool is_changed(const ControlBlock& block, uint32_t generation) {
  return block.generation.load(std::memory_order_relaxed) != generation;
}

// The errno of an error that has its own message.
inline int errno_of(const Error& error) {
  return error.exit() == Exit::unsupported ? EOPNOTSUPP : EPERM;
}

// The result of prepare(), see run_worker().
template <class Own, class Prepare>
WorkerReport prepared(const Own& own, uint32_t generation, Prepare& prepare) {
  WorkerReport report;
  try {
    report.state = prepare(own, generation, report) ? WorkerState::flowing : WorkerState::refused;
  } catch (const Error& error) {
    report.state = WorkerState::refused;
    report.error_number = static_cast<uint64_t>(errno_of(error));
    set_reason(report, error.what());
  }
  return report;
}

// Whether work() ended because of a newer command; else publishes why.
template <class Own, class Work>
bool worked(ControlBlock& block, const Own& own, uint32_t generation, Work& work) {
  try {
    if (work(own, generation) == LoopEnd::changed) return true;
    publish_failure(block, errno);
  } catch (const Error& error) {
    publish_failure(block, errno_of(error), error.what());
  }
  return false;
}

// prepare(own command, its generation, report) -> false if a resource is missing, with the reason
// in the report; work(own command, generation) -> why it ended, soon after is_changed(). Both may
// throw Error with the reason instead. Returns the exit status.
template <class Own, class Prepare, class Work>
int run_worker(ControlBlock& block, Prepare prepare, Work work) {
  for (;;) {
    const auto [generation, command] = read_command(block);
    const Own own = words_of<Own>(command.words);
    WorkerReport report{.state = WorkerState::held};
    if (command.order == Order::flow) report = prepared(own, generation, prepare);
    publish_report(block, generation, report);
    if (command.order == Order::quit) return 0;
    if (report.state == WorkerState::flowing && worked(block, own, generation, work)) continue;
    wait_for_command(block, generation);
  }
}

}  // namespace pipetop

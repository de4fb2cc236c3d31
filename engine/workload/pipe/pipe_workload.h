// Pipes, each with a writer and a reader process: pipetop's main workload.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/settings.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker_process.h"
#include "engine/worker/pipe_command.h"
#include "engine/workload/pipe/pipe_plan.h"
#include "engine/workload/workload.h"

namespace pipetop {

// The live-change protocol: brings both workers and the ring to the planned settings while data
// flows.
//
//   1. Both get their commands, with an upper bound for the ring's capacity before
//      and after; workers re-allocate buffers whose safety depends on it.
//   2. When both have acknowledged, the ring is resized. On EBUSY it holds more than
//      will fit, so the writer is held until the reader has drained it.
//   3. The writer continues.
//
// A signal wakes sleeping workers. It may arrive between a worker's check and its sleep, so
// advance() repeats it until there is an acknowledgement.
class LiveChange {
 public:
  LiveChange(PipeOwner& pipe, Worker& writer, Worker& reader)
      : pipe_(pipe), writer_(writer), reader_(reader) {}

  // `planned` has a definite pipe_size.
  void begin(const PipeSettings& planned);

  // A worker was replaced: what it had not counted yet is unknown, so stamps start
  // a new epoch.
  void begin_epoch();

  // Tells both to finish and exit.
  void quit();

  // Does the next step if possible. True when everything is in effect.
  bool advance();

  // errno of the last failed resize, 0 if there was none.
  int resize_error() const { return resize_error_; }
  bool draining() const { return holding_; }

 private:
  void publish();
  WorkerCommand command_for(Role role) const;
  bool resize();

  PipeOwner& pipe_;
  Worker& writer_;
  Worker& reader_;
  PipeSettings planned_;
  uint64_t ring_bound_ = 0;
  uint64_t epoch_ = kFirstEpoch;
  Order order_ = Order::hold;
  bool holding_ = false;
  bool resize_refused_ = false;
  int resize_error_ = 0;
};

WorkloadEntry pipe_entry();

class PipeWorkload final : public Workload {
 public:
  explicit PipeWorkload(const WorkloadContext& context);

  void begin(const Settings& requested) override;
  bool advance() override;
  void quit() override;
  void died(const Worker& worker) override;
  void watch(uint64_t now_ns) override;
  bool step(Role role) override;
  Progress progress(uint64_t now_ns) const override;
  std::vector<PartProgress> parts() const override;
  Effective effective(const Seen& seen) const override;
  int pipe_fd() const override { return pipes_.front()->read_fd(); }
  std::optional<Passage> passage() const override;
  std::string obstacle(const Settings& next, std::string_view knob) const override;
  std::vector<std::string> technique(Role role, const Effective& effective) const override;
  Reading<Integrity> integrity() const override;
  Reading<Verdict> verdict(const Snapshot& s) const override;

 private:
  // Its pipe outlives it: the first one is observed.
  struct Pair {
    Worker& writer;
    Worker& reader;
    LiveChange change;
  };
  void set_pairs(uint32_t count);
  Worker& add_reader(const PipeOwner& pipe, Worker& writer);
  void place();
  void check_huge_pages();

  const Capabilities& machine_;
  WorkerPool& pool_;
  std::vector<std::unique_ptr<PipeOwner>> pipes_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  Settings requested_;
  Effective plan_;
  bool settled_ = false;
  Reading<bool> huge_ = Reading<bool>::warming("settling");
  uint64_t huge_check_ns_ = 0;
};

}  // namespace pipetop

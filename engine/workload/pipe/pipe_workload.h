// Pipes, each with a writer and a reader process: pipetop's main workload.
#pragma once

#include <memory>
#include <vector>

#include "engine/process/pipe_owner.h"
#include "engine/workload/pipe/live_change.h"
#include "engine/workload/pipe/pipe_plan.h"
#include "engine/workload/workload.h"

namespace pipetop {

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

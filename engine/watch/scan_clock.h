// A StageClock without BPF: what each scan saw counts for the time since the last one. Coarse, but
// of the same form: shares of looks.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/observe/stage_clock.h"

namespace pipetop {

class ScanClock final : public observe::StageClock {
 public:
  // `reason`: why there is no BPF.
  explicit ScanClock(std::string reason) : reason_(std::move(reason)) {}

  void set_reason(std::string reason) { reason_ = std::move(reason); }

  // A later scan, of the processes that are watched or more.
  void add(const PipeScan& scan);

  void watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> pipes) override;
  uint32_t dropped() const override { return 0; }
  std::vector<observe::ThreadTimes> times(uint64_t now_ns) override;
  std::vector<observe::RingTally> samples() override;

  void count_bytes(bool on) override;  // throws: it can't

 private:
  struct Thread {
    observe::ThreadTimes times;
    uint64_t sampled_ns = 0;            // 0: not yet
    uint64_t cpu_ns = 0;                // at the last look
    uint64_t busy_ns = 0, used_ns = 0;  // seen on or waiting for a CPU; on one, by its own count
  };

  static void look(Thread& thread, const ScannedTask& task, uint64_t at_ns);
  void look(observe::RingTally& ring, const ScannedPipe& pipe, bool writer_waits);

  std::string reason_;
  std::map<observe::ThreadId, Thread> threads_;
  std::map<PipeId, observe::RingTally> rings_;
  std::map<PipeId, uint64_t> sampled_ns_;
};

}  // namespace pipetop

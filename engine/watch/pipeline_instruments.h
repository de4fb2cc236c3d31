// What observes the open pipeline besides scans: the times of its threads, frames of its rings, the
// functions of two stages. Each can be missing on its own, and says why.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/observe/stage_observer.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

template <class T>
class AsyncResult {
 public:
  AsyncResult() = default;
  // `launch`: std::launch::deferred makes it at the first poll().
  AsyncResult(std::launch launch, const std::function<std::unique_ptr<T>()>& make)
      : future_(std::async(launch, make)) {}

  // Whether it has come, or has been refused, since the last call.
  bool poll() {
    const auto no_time = std::chrono::seconds(0);
    if (!future_.valid() || future_.wait_for(no_time) == std::future_status::timeout) return false;
    wait();
    return true;
  }

  void wait() {
    if (!future_.valid()) return;
    refusal_ = failure_of([&] { value_ = future_.get(); });
  }

  bool begun() const { return future_.valid() || value_ || !refusal_.empty(); }
  T* get() const { return value_.get(); }                  // null: not yet, or never
  const std::string& refusal() const { return refusal_; }  // why; remedy

 private:
  std::future<std::unique_ptr<T>> future_;
  std::unique_ptr<T> value_;
  std::string refusal_;
};

// A StageObserver without BPF: what each scan saw counts for the time since the last one. Coarse,
// but of the same form: shares of samples.
class ScanObserver final : public observe::StageObserver {
 public:
  // `reason`: why there is no BPF.
  explicit ScanObserver(std::string reason) : reason_(std::move(reason)) {}

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
    uint64_t cpu_ns = 0;                // at the last sample
    uint64_t busy_ns = 0, used_ns = 0;  // seen on or waiting for a CPU; on one, by its own count
  };

  static void add(Thread& thread, const ScannedTask& task, uint64_t at_ns);
  void add(observe::RingTally& ring, const ScannedPipe& pipe, bool writer_waits);

  std::string reason_;
  std::map<observe::ThreadId, Thread> threads_;
  std::map<PipeId, observe::RingTally> rings_;
  std::map<PipeId, uint64_t> sampled_ns_;
};

class PipelineInstruments {
 public:
  // `scan`: where scans come from, and if that is not BPF, why. They come as soon as they are made;
  // until then times are of looks only. The parts outlive it.
  PipelineInstruments(const WatchParts& parts, const PipeScan& scan);

  // Until they are there, but for the functions, which come when they are first asked for.
  void wait();

  // Nothing is watched, and nothing is paid for, until the next watch(): another pipeline can use
  // what was loaded.
  void rest();

  observe::StageObserver& observer() { return observer_.get() ? *observer_.get() : scan_observer_; }
  // Whether its times are of samples only.
  bool is_coarse() const { return !observer_.get(); }

  std::vector<observe::RingTally> samples();  // of all that is watched

  // The observer's next sample, and what it watches from now on. Returns whether it is another one
  // than before.
  bool watch(const PipeScan& scan, std::span<const ScannedTask> threads,
             std::span<const ScannedPipe> pipes);

  // Counts for what is watched, and for what that starts from now on. Throws Error.
  void count_bytes(bool on);
  // Counts for all that this process starts from now on, without a gap. Throws Error.
  void count_children();
  // Since when it does so; nothing: it doesn't.
  std::optional<uint64_t> counts_children_since_ns() const { return counts_children_since_ns_; }

  Reading<RingFrame> frame(const ScannedPipe& pipe);

  // Who is sampled from now on. To be called at least ten times a second.
  void sample(std::optional<ProcessId> blamed, std::optional<ProcessId> selected, uint64_t now_ns);
  Reading<FunctionTable> functions(ProcessId process) const;

  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

 private:
  void receive();
  void say_dropped();
  void say_missed();

  const WatchParts& parts_;
  const bool has_bpf_;
  ScanObserver scan_observer_;
  AsyncResult<observe::StageObserver> observer_;
  AsyncResult<observe::ForeignRings> rings_;
  AsyncResult<StageFunctions> functions_;
  const std::string no_bpf_;  // why; remedy
  std::optional<ProcessId> blamed_, selected_;
  std::vector<std::pair<ProcessId, pid_t>> watched_threads_;
  std::vector<PipeId> watched_pipes_;
  std::optional<uint64_t> counts_children_since_ns_;
  const observe::StageObserver* used_ = nullptr;  // by the last sample
  bool said_dropped_ = false, said_refusal_ = false, said_missed_ = false;
  std::vector<std::string> notices_;
};

}  // namespace pipetop

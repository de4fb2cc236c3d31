#include "engine/observe/stage_clock.h"

#include <optional>
#include <set>

#include "engine/observe/end_bytes.h"
#include "engine/observe/stage_pipes.h"
#include "engine/observe/stage_threads.h"
#include "engine/observe/waits.h"

namespace pipetop::observe {
namespace {

static_assert(StageClock::kMostThreads == STAGE_THREADS);
static_assert(StageClock::kMostPipes == STAGE_PIPES);
static_assert(StageClock::kMostEnds == STAGE_ENDS && STAGE_ENDS == STAGE_PROCESSES);

class BpfStageClock final : public StageClock {
 public:
  // Refusals must be noticed now.
  BpfStageClock() : threads_(pipes_) {
    pipes_.try_clocks();
    threads_.try_programs();
  }

  // Pipes first: a sleeping thread is asked which of them it waits for.
  void watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> pipes) override {
    const uint32_t pipes_too_many = pipes_.watch(pipes);
    dropped_ = pipes_too_many + threads_.watch(threads);
    processes_.clear();
    for (const ScannedTask& thread : threads) processes_.insert(thread.process);
    if (bytes_) bytes_->watch(processes_);
  }

  uint32_t dropped() const override { return dropped_; }

  std::vector<ThreadTimes> times(uint64_t now_ns) override {
    return threads_.times(now_ns, [&](const ProcessId& process, stage_wait wait, uint32_t number) {
      const bool writing = wait == STAGE_PIPE_WRITE || wait == STAGE_FD_WRITE;
      const WaitsFor of_pipe = writing ? WaitsFor::pipe_write : WaitsFor::pipe_read;
      if (wait == STAGE_PIPE_READ || wait == STAGE_PIPE_WRITE)
        return StageWait{of_pipe, pipes_.with_id(number)};
      const DescriptorWait other = descriptors_.of(process, static_cast<int>(number), now_ns);
      const auto pipe = pipes_.with_inode(other.inode, other.named);
      const bool is_pipe = pipe || other.wait == WaitsFor::pipe_read;
      return StageWait{is_pipe ? of_pipe : other.wait, pipe};
    });
  }

  std::vector<RingTally> samples() override { return pipes_.samples(); }

  void count_bytes(bool on) override {
    if (on == counts_bytes()) return;
    bytes_.reset();
    if (!on) return;
    EndByteCounter& counter = bytes_.emplace();
    try {
      counter.watch(processes_);
    } catch (...) {
      bytes_.reset();
      throw;
    }
  }
  void count_children() override {
    if (bytes_) bytes_->count_children();
  }
  bool counts_bytes() const override { return bytes_.has_value(); }
  std::vector<EndBytes> take_bytes() override {
    return bytes_ ? bytes_->take() : std::vector<EndBytes>();
  }
  bool missed_bytes() const override { return bytes_ && bytes_->overflowed(); }

 private:
  StagePipes pipes_;
  StageThreads threads_;
  std::set<ProcessId> processes_;  // that are watched
  std::optional<EndByteCounter> bytes_;
  DescriptorWaits descriptors_;
  uint32_t dropped_ = 0;
};

}  // namespace

std::unique_ptr<StageClock> make_stage_clock() { return std::make_unique<BpfStageClock>(); }

}  // namespace pipetop::observe

// The watched threads, as bpf/stages.bpf.c finds them and follows them.
#pragma once

#include <stages.skel.h>
#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bpf/stages.h"
#include "engine/base/mapping.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/place_table.h"
#include "engine/observe/stage_account.h"
#include "engine/observe/stage_clock.h"
#include "engine/observe/stage_pipes.h"

namespace pipetop::observe {

class StageThreads {
 public:
  explicit StageThreads(const StagePipes& pipes);  // throws Error

  // Returns how many are too many. While there is one, the programs are attached. Throws Error.
  uint32_t watch(std::span<const ScannedTask> tasks);

  // What a wait of this process is for.
  using Explain =
      std::function<StageWait(const ProcessId& process, stage_wait wait, uint32_t number)>;
  std::vector<ThreadTimes> times(uint64_t now_ns, const Explain& explain);

  // Whether the kernel allows it all. Throws Error.
  void try_programs();

 private:
  struct ThreadId {
    ProcessId process;
    pid_t tid = 0;

    auto operator<=>(const ThreadId&) const = default;
  };

  void follow(bool on);
  void enter(const ThreadId& thread, uint32_t place);
  void leave(uint32_t place);
  bool inspect();  // false, with errno set, on failure
  stage_thread& record(uint32_t place) const {
    return static_cast<stage_thread*>(records_.data())[place];
  }

  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<stages_bpf> skeleton_;
  Mapping records_;
  Link inspection_;
  std::vector<Link> links_;

  std::vector<ThreadId> given_;  // the last time
  uint32_t too_many_ = 0;
  PlaceTable<ThreadId> places_{STAGE_THREADS};
  std::map<uint32_t, StageAccount> accounts_;  // by place
};

}  // namespace pipetop::observe

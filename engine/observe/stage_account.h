// The times of one thread, from what bpf/stages.bpf.c counts of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "bpf/stages.h"
#include "engine/observe/stage_observer.h"

namespace pipetop::observe {

// What a wait for a pipe or a descriptor is for.
struct StageWait {
  WaitsFor wait = WaitsFor::other;
  std::optional<PipeId> pipe;
  bool peer = false;  // see ThreadTimes::peer_ns
};

// Time in reads and writes is assigned when it is first seen, because the descriptor may mean
// something else later. So nothing that was reported is taken back.
class StageAccount {
 public:
  // Takes a key's upper and lower half, see bpf/stages.h.
  using Explain = std::function<StageWait(stage_wait wait, uint32_t number)>;

  // Times up to `now_ns`, without names; nothing while the thread's state is not known.
  std::optional<ThreadTimes> times(const stage_thread& record, uint64_t now_ns,
                                   const Explain& explain);

 private:
  struct Key {
    uint64_t total_ns = 0, assigned_ns = 0;
  };

  struct End {
    uint64_t ns = 0;
    uint64_t turn = 0;  // in which it last grew
  };

  void collect(const stage_thread& record);
  void assign(uint64_t open_key, uint64_t open_ns, const Explain& explain);
  void forget(uint64_t open_key);

  uint64_t turn_ = 0;
  std::array<stage_place, STAGE_PLACES> last_{};
  std::map<uint64_t, Key> keys_;
  std::map<std::pair<PipeId, bool>, End> ends_;  // with whether it wrote
  std::array<uint64_t, kWaits> by_descriptor_{};
  uint64_t peer_ns_ = 0;
};

// As of now: whether an iteration over all threads would tell more.
bool is_worth_inspecting(const stage_thread& record, uint64_t now_ns);

}  // namespace pipetop::observe

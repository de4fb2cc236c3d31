// What was changed in other people's processes, with the rate before and after.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/watch/interventions.h"
#include "engine/watch/pipe_history.h"

namespace pipetop {

class InterventionLog {
 public:
  // The rates of a pipe; null: it is gone, or not tracked.
  using HistoryOf = std::function<const PipeCurves*(PipeId)>;

  // The newest change. `measured`: the pipe whose rate tells what it did.
  void add(uint64_t now_ns, const Interventions::Done& done, std::optional<PipeId> measured,
           std::optional<ProcessId> stage, const HistoryOf& history_of);

  // Forgets what is no longer in `done`: it was put back. Learns what waits to be.
  void keep(uint64_t now_ns, const std::vector<Interventions::Done>& done);

  // Looks at the rates since. To be called now and then: histories are not kept for ever.
  void update(uint64_t now_ns, const HistoryOf& history_of);

  std::vector<Intervention> list() const;

 private:
  struct Entry {
    Intervention view;
    uint64_t done_at_ns = 0;  // as Interventions has it
    std::optional<PipeId> measured;
    uint64_t until_ns = 0;  // of the rates after it: the next change to the same pipe, at most
  };

  uint64_t last_change_ns(PipeId pipe, uint64_t before_ns) const;

  std::vector<Entry> entries_;            // oldest first
  std::map<PipeId, uint64_t> undone_ns_;  // when something that the pipe measured was put back
};

}  // namespace pipetop

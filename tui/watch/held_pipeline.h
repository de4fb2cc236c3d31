// The figures of a pipeline, no more often than they can be read; see tui/state/held_figures.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

class HeldPipeline {
 public:
  using Shared = std::shared_ptr<const Snapshot>;

  // Takes each snapshot, with or without a pipeline. Returns the one whose figures are shown: it
  // has the same stages and pipes, in the same order. What becomes known or unknown, another size,
  // and another verdict are shown at once.
  const Shared& hold(const Shared& now, uint64_t for_ns);

  // The next one is shown at once.
  void let_go() { held_.reset(); }

 private:
  // What makes the held figures wrong as soon as it changes.
  struct Occasion {
    std::vector<ProcessId> stages;
    std::vector<PipeId> pipes;
    std::vector<uint64_t> states;
    bool operator==(const Occasion&) const = default;
  };
  static Occasion occasion_of(const Snapshot& s);

  Shared held_;
  Occasion occasion_;
};

}  // namespace pipetop::tui

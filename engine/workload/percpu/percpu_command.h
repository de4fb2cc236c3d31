// The engine's command to the workers that insert rules, and their reports.
#pragma once

#include <cstdint>

#include "engine/model/settings.h"

namespace pipetop::percpu {

inline constexpr Role kInserter{};  // the only role

struct InsertCommand {
  uint64_t kind = 0;       // ActionKind
  uint64_t no_percpu = 0;  // 0 or 1
  uint64_t rules = 0;      // at most, in the kernel
  uint64_t batch = 1;      // rules per call
  uint64_t measure = 0;    // 0 or 1: measure the memory per rule first
  uint64_t life = 0;       // of this process: a successor answers for itself
};

struct InsertReport {
  uint64_t with_filters = 0;  // 0 or 1: the rules come with filters (Road::filter)
  uint64_t measured = 0;      // 0 or 1; 0: the report's reason says why not
  double percpu_bytes = 0;    // of a rule, once measured
  double slab_bytes = 0;
};

}  // namespace pipetop::percpu

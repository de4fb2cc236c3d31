// What the engine tells the workers that insert rules, and what they tell of them.
#pragma once

#include <cstdint>

#include "engine/model/role.h"

namespace pipetop::percpu {

inline constexpr Role kInserter{};  // the only role

struct InsertCommand {
  uint64_t kind = 0;       // ActionKind
  uint64_t no_percpu = 0;  // 0 or 1
  uint64_t rules = 0;      // in the kernel at most
  uint64_t batch = 1;      // rules a call
  uint64_t measure = 0;    // 0 or 1: find out first what a rule takes of the memory
  uint64_t life = 0;       // of its process: a successor answers for itself
};

struct InsertReport {
  uint64_t with_filters = 0;  // 0 or 1: the rules come with filters (Road::filter)
  uint64_t measured = 0;      // 0 or 1; 0: the report's reason says why not
  double percpu_bytes = 0;    // of a rule, once measured
  double slab_bytes = 0;
};

}  // namespace pipetop::percpu

// What a workload counts, and the names of its parts: all that front ends, meters and printers know
// about it.
#pragma once

#include <array>
#include <string_view>

#include "engine/model/settings.h"

namespace pipetop {

struct Unit {
  std::string_view rate;   // "GiB/s"
  std::string_view key;    // of the rate, in JSON and CSV: "gib_per_s"
  std::string_view items;  // what is counted: "bytes"
  double count = 1;        // this many items are one unit of the rate
};

struct WorkloadTerms {
  std::string_view name;  // as in YAML
  std::string_view help;  // one line, no full stop
  Unit unit;
  std::array<std::string_view, kRoles> roles;  // by Role; "" for one that does not exist
  std::string_view part;                       // one of several alike: "pair", "client"
  std::string_view prepares, does;             // of a worker: "buffers", "transfer"
  // The knob whose values a run compares by default; "": it measures one setting.
  std::string_view compares = {};
  bool has_ring = false;  // there is a pipe to observe
};

}  // namespace pipetop

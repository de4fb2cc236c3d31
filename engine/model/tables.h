// The tables of a workload: its terms, knobs, hot keys and presets. YAML, the command line, the
// dashboard, the printers and the help page share them.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/settings.h"

namespace pipetop {

class Workload;
struct WorkloadContext;
struct ControlBlock;

struct Unit {
  std::string_view rate;   // "GiB/s"
  std::string_view key;    // of the rate, in JSON and CSV: "gib_per_s"
  std::string_view items;  // what is counted: "bytes"
  double count = 1;        // this many items are one unit of the rate
};

// What a workload counts, and the names of its parts.
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
  // Some of its processes are faster than others for all their life: a round of a comparison needs
  // new ones.
  bool process_has_its_pace = false;
};

// A watched pipeline has stages in place of roles.
inline constexpr WorkloadTerms kPipelineTerms = {
    .name = "pipeline",
    .help = "",
    .unit = {.rate = "B/s", .key = "bytes_per_s", .items = "bytes"},
    .roles = {},
    .part = "stage",
    .prepares = "",
    .does = ""};

enum class KnobKind { choice, boolean, size, number, cpu };

// A flag of the article's programs: sets the knob to `value`.
struct ArticleFlag {
  std::string_view flag;   // without the dashes
  std::string_view value;  // the knob's value
};

// A setting that can be changed while data flows.
struct Knob {
  std::string_view name;  // as in YAML, JSON, and the flag --name
  KnobKind kind;
  std::span<const std::string_view> values;  // for a choice, else ""
  ArticleFlag article;                       // flag == "" if the article has no such flag
  std::string_view help;                     // one line, no full stop

  // The value as text, as accepted by set(). "" for `wait` if the roles differ, and
  // for a CPU that is not chosen.
  std::string (*get)(const Settings&);
  // Throws Error, which names the value and what is expected.
  void (*set)(Settings&, std::string_view value);
};

// A key that changes one knob while data flows.
struct HotKey {
  char key;
  std::string_view knob;                  // the name of the knob it changes
  std::string_view label;                 // "vmsplice", "busy", "buf -"
  void (*press)(Settings&);               // stays within the valid range
  std::string (*value)(const Settings&);  // shown in the key bar: "vmsplice", "128KiB"
  bool (*lit)(const Settings&);           // differs from the default; nullptr: not a toggle
  std::string_view help = {};             // one line, no full stop; "": the knob's
};

// Named settings.
struct Preset {
  std::string name;   // "vmsplice_splice"
  std::string title;  // "vmsplice, splice"
  Settings settings;
  double article_gib_per_s = 0;  // the article's figure; 0 if it has none

  // The settings that it leads to: it leaves the observers as they are.
  Settings from(const Settings& now) const {
    Settings next = settings;
    next.observers = now.observers;
    return next;
  }
};

// A row of the table of workloads; see engine/workload/workload.h.
struct WorkloadEntry {
  WorkloadKind kind;
  WorkloadTerms terms;
  std::span<const Knob> (*knobs)();
  std::span<const HotKey> (*hot_keys)();
  std::span<const Preset> (*presets)();                       // the first is the default
  void (*validate)(const Settings&);                          // throws Error
  std::unique_ptr<Workload> (*make)(const WorkloadContext&);  // throws Error
  int (*work)(ControlBlock&, Role);                           // in the worker's process, to its end
  uint64_t worker_capabilities = 0;                           // that root's workers keep
  std::string_view purpose = {};                              // of these
};

// nullptr if there is none of that name.
inline const Knob* find_knob(std::span<const Knob> knobs, std::string_view name) {
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  return found == knobs.end() ? nullptr : &*found;
}
inline const Preset* find_preset(std::span<const Preset> presets, std::string_view name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  return found == presets.end() ? nullptr : &*found;
}

}  // namespace pipetop

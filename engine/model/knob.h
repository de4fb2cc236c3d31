// A knob: a setting of a workload that can be changed while data flows. Each
// workload has a table of them, shared by YAML, the command line, the dashboard and
// the help page.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/settings.h"

namespace pipetop {

enum class KnobKind { choice, boolean, size, number, cpu };

// A flag of the article's programs: sets the knob to `value`.
struct ArticleFlag {
  std::string_view flag;   // without the dashes
  std::string_view value;  // the knob's value
};

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
};

// nullptr if there is none of that name.
inline const Knob* find_knob(std::span<const Knob> knobs, std::string_view name) {
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  return found == knobs.end() ? nullptr : &*found;
}

}  // namespace pipetop

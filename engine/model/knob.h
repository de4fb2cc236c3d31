// A knob: one thing about a workload that can be changed while data flows. Each
// workload has a table of them, and YAML, the command line, the dashboard and the
// help page read the same one.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/settings.h"

namespace pipetop {

enum class KnobKind { choice, boolean, size, number, cpu };

// A spelling of the article's programs: giving the flag sets the knob to value.
struct ArticleFlag {
  std::string_view flag;   // without the dashes
  std::string_view value;  // the knob value it stands for
};

struct Knob {
  std::string_view name;  // as in YAML, JSON, and the flag --name
  KnobKind kind;
  std::span<const std::string_view> values;  // of a choice, "" else
  ArticleFlag article;                       // flag == "" if the article has none
  std::string_view help;                     // one line, no full stop

  // The value as text, exactly as it can be given back to set(). "" for `wait`
  // when the roles differ, and for a CPU that is not chosen.
  std::string (*get)(const Settings&);
  // Throws Error with words that name the value and what would be right.
  void (*set)(Settings&, std::string_view value);
};

// A key that changes one knob while data flows.
struct HotKey {
  char key;
  std::string_view knob;                  // the name of the knob it changes
  std::string_view label;                 // "vmsplice", "busy", "buf -"
  void (*press)(Settings&);               // stays within the valid range
  std::string (*value)(const Settings&);  // what the key bar shows: "vmsplice", "128KiB"
  bool (*lit)(const Settings&);           // away from the plain default; nullptr: not a toggle
};

// nullptr when there is none of that name.
inline const Knob* find_knob(std::span<const Knob> knobs, std::string_view name) {
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  return found == knobs.end() ? nullptr : &*found;
}

}  // namespace pipetop

// The knobs of all workloads: names, values, hot keys, flags and help. YAML, the
// command line, the dashboard and the help page all read them from here; each
// workload has a table of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/settings.h"

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

// All of them, a workload after the other. `wait` stands for both roles.
std::span<const Knob> knobs();

// Those of a workload, a part of knobs().
std::span<const Knob> knobs_of(WorkloadKind kind);
inline std::span<const Knob> knobs_of(const Settings& s) { return knobs_of(s.workload); }
WorkloadKind workload_of(const Knob& knob);  // one of knobs()

// In the order in which the key bar shows them.
std::span<const HotKey> hot_keys(WorkloadKind kind);
inline std::span<const HotKey> hot_keys(const Settings& s) { return hot_keys(s.workload); }

// nullptr when there is none of that name.
const Knob* find_knob(std::string_view name);

// Throws Error with the nearest name when there is no such knob.
const Knob& knob(std::string_view name);

std::string_view to_text(Role);  // of a pipe
std::string_view to_text(WriteWith);
std::string_view to_text(ReadWith);
std::string_view to_text(Wait);
std::string_view to_text(Pages);
std::string_view to_text(Buffers);
std::string_view to_text(Placement);
std::string_view to_text(Payload);

// What holds between knobs, e.g. placement `cpus` needs both CPUs. Throws Error.
void validate(const Settings&);

inline constexpr uint64_t kKernelDefaultPipeBytes = 16 * kPageBytes;

// The article's rule for vmsplice: half a buffer. The others that lend pages have
// the same, so that between them only the technique changes. Else the kernel's
// default (0).
uint64_t wanted_pipe_bytes(const Settings&);

}  // namespace pipetop

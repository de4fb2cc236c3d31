#include "tui/print/changed_knobs.h"

#include <fmt/format.h>

#include "engine/knobs.h"

namespace pipetop::tui {
namespace {

// `wait` stands for both roles while they agree, `writer.cpu` for placement cpus.
bool is_said_by_another(const Knob& knob, const Settings& settings) {
  const bool waits_agree = settings.writer_wait == settings.reader_wait;
  if (knob.name == "writer.wait" || knob.name == "reader.wait") return waits_agree;
  if (knob.name == "placement") return settings.placement == Placement::cpus;
  if (knob.name == "writer.cpu" || knob.name == "reader.cpu")
    return settings.placement != Placement::cpus;
  return false;
}

}  // namespace

std::string changed_knobs(const Settings& settings) {
  const Settings defaults;
  std::string text;
  for (const Knob& knob : knobs_of(settings)) {
    const std::string value = knob.get(settings);
    if (value.empty() || value == knob.get(defaults) || is_said_by_another(knob, settings))
      continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", knob.name, value);
  }
  return text.empty() ? "all defaults" : text;
}

}  // namespace pipetop::tui

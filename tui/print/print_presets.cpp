#include "tui/print/print_presets.h"

#include <fmt/core.h>

#include <algorithm>

#include "tui/print/changed_knobs.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {

std::string print_presets_human(std::span<const Preset> presets) {
  size_t width = 0;
  for (const Preset& preset : presets) width = std::max(width, preset.name.size());
  std::string text;
  for (const Preset& preset : presets)
    text += fmt::format("{:<{}}  {}\n{:<{}}    {}\n", preset.name, width, preset.title, "", width,
                        changed_knobs(preset.settings));
  return text;
}

std::string print_presets_json(std::span<const Preset> presets) {
  Json json = {{"schema", kSchema}, {"presets", Json::array()}};
  for (const Preset& preset : presets) {
    Json entry = {
        {"name", preset.name}, {"title", preset.title}, {"settings", knobs_json(preset.settings)}};
    put_article(entry, preset);
    json["presets"].push_back(entry);
  }
  return to_lines(json);
}

}  // namespace pipetop::tui

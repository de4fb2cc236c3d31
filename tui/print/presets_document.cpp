#include "tui/print/document.h"
#include "tui/print/phrases.h"
#include "tui/print/text_table.h"

namespace pipetop::tui {

Document presets_document(std::span<const Preset> presets) {
  TextTable table({{""}, {""}});
  Json list = Json::array();
  for (const Preset& preset : presets) {
    table.add({preset.name, preset.title});
    table.add({"", "  " + changed_knobs(preset.settings)});
    list.push_back({{"name", preset.name},
                    {"title", preset.title},
                    {"settings", knobs_json(preset.settings)}});
    put_article(list.back(), preset);
  }
  return {"presets", {{"presets", std::move(list)}}, table.text()};
}

}  // namespace pipetop::tui

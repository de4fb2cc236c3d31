#include "tui/print/tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/clock.h"
#include "engine/base/numbers.h"
#include "tui/draw/numbers.h"
#include "tui/print/human_text.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {

std::string tree_text(const ProcessTreeView& tree, int columns) {
  constexpr int kFigures = 27;  // what the columns before the last one take
  TextTable table({{"share", '>'}, {"for", '>'}, {"CPU", '>'}, {"runs", '>'}, {"process"}});
  const size_t room = size_t(std::max(20, columns - kFigures));
  for (const TreeRow& row : tree.rows) {
    std::string name = std::string(2 * row.depth, ' ');
    const std::string after = bottleneck_text(row, tree);
    const size_t rest = after.empty() ? 0 : after.size() + 2;
    const size_t left = room - std::min(room, name.size() + rest);
    name += beginning(row.name, int(std::max<size_t>(left, 8)));
    if (!after.empty()) name += "  " + after;
    table.add({whole_percent_text(time_share(row, tree)), seconds_text(row.ran_ns),
               seconds_text(row.cpu_ns, 2), fmt::format("{}", row.runs), std::move(name)});
  }
  std::string text =
      table.text() + "looked at ten times a second: what was shorter may be missing\n";
  if (tree.left_out > 0) text += fmt::format("{} more processes are not listed\n", tree.left_out);
  return text;
}

Json tree_json(const ProcessTreeView& tree) {
  Json rows = Json::array();
  for (const TreeRow& row : tree.rows) {
    Json json = {{"depth", row.depth},
                 {"name", row.name},
                 {"pipeline", row.is_pipeline},
                 {"runs", row.runs},
                 {"live", row.live},
                 {"ran_ns", row.ran_ns},
                 {"time_share", rounded(time_share(row, tree))},
                 {"cpu_ns", row.cpu_ns}};
    if (row.process) json["pid"] = row.process->pid;
    if (!row.bottleneck.empty()) {
      json["bottleneck"] = row.bottleneck;
      json["bottleneck_ns"] = row.bottleneck_ns;
    }
    rows.push_back(std::move(json));
  }
  return {{"length_ns", tree.length_ns}, {"left_out", tree.left_out}, {"rows", std::move(rows)}};
}

}  // namespace pipetop::tui

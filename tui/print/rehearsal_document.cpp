#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/version.h"
#include "engine/experiment/rehearsal.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

// "1.02 .. 1.10", of several rounds.
std::string range_of(const std::vector<double>& rates) {
  const auto [least, most] = std::ranges::minmax(rates);
  return fmt::format("{} .. {}", rate_text(least), rate_text(most));
}

std::string rehearsal_text(const Rehearsal& rehearsal) {
  TextTable table({{"#", '>'},
                   {"scene", '<', 0, 40},
                   {"rate", '>', 8},
                   {""},
                   {"vs before", '>'},
                   {"vs first", '>'},
                   {"s", '>', 5},
                   {""}});
  uint64_t all_ns = 0;
  for (size_t i = 0; i < rehearsal.scenes.size(); ++i) {
    const RehearsedScene& scene = rehearsal.scenes[i];
    const bool good = scene.disappoints.empty();
    table.add({std::to_string(i + 1), scene.scene.title, shown_rate(scene.rate),
               scene.rate.has_value() ? std::string(unit_of(scene.scene.settings).rate) : "",
               two_decimals(scene.to_previous), two_decimals(scene.to_first),
               fmt::format("{:.1f}", double(scene.taken_ns) / 1e9),
               good ? scene.hazards.empty() ? "ok" : "ok, but" : "fails"});
    if (scene.rates.size() > 1) table.add({"", "  rounds: " + range_of(scene.rates)});
    if (!scene.shows.empty()) table.add({"", "  shows: " + scene.shows});
    for (const std::string& why : scene.disappoints) table.add({"", "  fails: " + why});
    for (const std::string& hazard : scene.hazards) table.add({"", "  note: " + hazard});
    all_ns += scene.taken_ns;
  }
  std::string text = table.text();
  const size_t bad = rehearsal.disappointing();
  text += fmt::format(
      "\n{} in {}: {}\n", counted(rehearsal.scenes.size(), "scene"), seconds_text(all_ns, 0),
      bad == 0 ? "all scenes pass on this machine"
               : fmt::format("{} fail{} on this machine", bad, bad == 1 ? "s" : ""));
  if (rehearsal.scenes.size() < rehearsal.planned)
    text += fmt::format("ended early: the talk has {}\n", counted(rehearsal.planned, "scene"));
  return text;
}

Json scene_json(const RehearsedScene& scene, size_t number) {
  const Settings& settings = scene.scene.settings;
  const bool watches = scene.scene.watch.has_value();
  Json json = {{"scene", number},
               {"title", scene.scene.title},
               {"workload", watches ? Json() : Json(terms_of(settings).name)},
               {"requested", watches ? Json() : knobs_json(settings)},
               {"unit", watches ? Json() : Json(unit_of(settings).rate)},
               {"watch", watches ? Json(scene.scene.watch->text()) : Json()},
               {"shows", watches ? Json(scene.shows) : Json()}};
  put(json, "rate", scene.rate);
  json["rates"] = scene.rates;
  put(json, "ratio_to_previous", scene.to_previous);
  put(json, "ratio_to_first", scene.to_first);
  put(json, "verdict", scene.verdict, [](const Verdict& v) -> Json { return v.because; });
  json["duration_ns"] = scene.taken_ns;
  json["expect"] =
      list_json(scene.scene.expect, [](const Expectation& e) -> Json { return to_text(e); });
  json["ok"] = scene.disappoints.empty();
  json["disappoints"] = scene.disappoints;
  json["hazards"] = scene.hazards;
  return json;
}

}  // namespace

Document rehearsal_document(const Rehearsal& rehearsal) {
  Document document{"rehearsal",
                    {{"version", kVersion},
                     {"planned", rehearsal.planned},
                     {"rounds", rehearsal.rounds},
                     {"ok", rehearsal.disappointing() == 0},
                     {"scenes", Json::array()}},
                    rehearsal_text(rehearsal)};
  put(document.tree, "steal_share", rehearsal.steal_share);
  add_columns(document.columns, "", "",
              {"scene", "title", "workload", "rate", "unit", "ratio_to_previous", "ratio_to_first",
               "duration_ns", "ok"});
  for (size_t i = 0; i < rehearsal.scenes.size(); ++i) {
    Json json = scene_json(rehearsal.scenes[i], i + 1);
    document.rows.push_back(json);
    document.tree["scenes"].push_back(std::move(json));
  }
  return document;
}

}  // namespace pipetop::tui

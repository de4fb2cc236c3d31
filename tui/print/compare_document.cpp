#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/version.h"
#include "engine/experiment/compare.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

constexpr size_t kFew = 5;  // rounds

std::string_view name_of(RungChange::Outcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"faster", "slower", "same", "unknown"};
  return kNames[static_cast<size_t>(outcome)];
}

constexpr const char* kNoRatio = "there is no ratio to 0";

std::string ratio_or_none(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-";
}

std::string unpaired_text(const UnpairedComparison& r) {
  if (!r.is_known) return ratio_or_none(r.ratio) + " [?]";
  return fmt::format("{} [{} .. {}]", ratio_or_none(r.ratio), ratio_or_none(r.low),
                     ratio_or_none(r.high));
}

bool lacks_ratio(const UnpairedComparison& r) {
  return !std::isfinite(r.ratio) || (r.is_known && !std::isfinite(r.high));
}

std::string only_text(const std::vector<std::string>& names, const std::string& file) {
  return names.empty() ? "" : fmt::format("only in {}: {}\n", file, fmt::join(names, ", "));
}

std::string compare_text(const ResultComparison& comparison) {
  std::string text = fmt::format("{} -> {}\n\n", comparison.before, comparison.after);
  TextTable table({{"", '<', 0, 40},
                   {"", '>'},
                   {"before", '>', 8},
                   {"after", '>', 8},
                   {"ratio", '>', 24},
                   {""}});
  bool few = false, no_ratio = false;
  for (const RungChange& change : comparison.rungs) {
    few = few || std::min(change.rounds_before, change.rounds_after) < kFew;
    no_ratio = no_ratio || lacks_ratio(change.ratio);
    table.add({change.name, change.unit, rate_text(change.before), rate_text(change.after),
               unpaired_text(change.ratio), outcome_text(change)});
    for (const std::string& function : change.functions) table.add({"  " + function});
  }
  text += table.text();
  if (!comparison.rungs.empty())
    text += fmt::format(
        "\nintervals: {:.4g} %{}, by {}\n", 100 * comparison.level,
        comparison.rungs.size() > 1 ? " each, so that all of them hold" : "",
        comparison.in_turns ? "Wilcoxon's test on pairs" : "the Mann-Whitney test on rounds");
  if (no_ratio) text += fmt::format("-: {}\n", kNoRatio);
  if (few) text += fmt::format("fewer than {} rounds tell little\n", kFew);
  text += only_text(comparison.only_before, comparison.before) +
          only_text(comparison.only_after, comparison.after);
  for (const std::string& doubt : comparison.doubts) text += fmt::format("doubt: {}\n", doubt);
  for (const FactChange& fact : comparison.facts)
    text += fmt::format("{}: {} -> {}\n", fact.fact, fact.before, fact.after);
  return text;
}

Json rung_json(const RungChange& change) {
  Json json = {{"name", change.name},
               {"unit", change.unit},
               {"before", rounded(change.before)},
               {"after", rounded(change.after)},
               {"rounds_before", change.rounds_before},
               {"rounds_after", change.rounds_after}};
  const auto put_ratio = [&](std::string_view name, bool is_known, double ratio) {
    put_if(is_known && std::isfinite(ratio), json, name, rounded(ratio),
           is_known ? kNoRatio : "too few rounds");
  };
  put_ratio("ratio", true, change.ratio.ratio);
  put_ratio("low", change.ratio.is_known, change.ratio.low);
  put_ratio("high", change.ratio.is_known, change.ratio.high);
  json["chance"] = rounded(change.ratio.chance);
  json["outcome"] = name_of(change.outcome);
  put_if(change.outcome == RungChange::Outcome::unknown, json, "more_rounds", change.more_rounds,
         "it is known");
  json["functions"] = change.functions;
  return json;
}

}  // namespace

std::string outcome_text(const RungChange& change) {
  using Outcome = RungChange::Outcome;
  if (change.outcome == Outcome::same)
    return fmt::format("same within {:.1f} %", 100 * change.within);
  if (change.outcome != Outcome::unknown) return std::string(name_of(change.outcome));
  return "can't tell: needs about " + counted(change.more_rounds, "more round");
}

Document compare_document(std::span<const ResultComparison> comparisons) {
  Document document{"comparison",
                    {{"version", kVersion},
                     {"before", comparisons.front().before},
                     {"comparisons", Json::array()}}};
  add_columns(document.columns, "", "",
              {"name", "file", "unit", "before", "after", "rounds_before", "rounds_after", "ratio",
               "low", "high", "chance", "outcome", "more_rounds"});
  for (const ResultComparison& comparison : comparisons) {
    document.human += (document.human.empty() ? "" : "\n") + compare_text(comparison);
    Json json = {{"after", comparison.after},
                 {"level", rounded(comparison.level)},
                 {"only_before", comparison.only_before},
                 {"only_after", comparison.only_after},
                 {"doubts", comparison.doubts},
                 {"rungs", Json::array()}};
    json["machines"] = list_json(comparison.facts, [](const FactChange& fact) -> Json {
      return {{"fact", fact.fact}, {"before", fact.before}, {"after", fact.after}};
    });
    for (const RungChange& change : comparison.rungs) {
      json["rungs"].push_back(rung_json(change));
      document.rows.push_back(json["rungs"].back());
      document.rows.back()["file"] = comparison.after;
    }
    document.tree["comparisons"].push_back(std::move(json));
  }
  return document;
}

}  // namespace pipetop::tui

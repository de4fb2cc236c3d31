#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/version.h"
#include "engine/experiment/ladder.h"
#include "engine/meter/statistics.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

constexpr size_t kSweepFunctions = 14;
constexpr double kWorthSaying = 0.005;  // of the samples

bool is_number(const Sweep& sweep) { return sweep.plan.knob->kind == KnobKind::number; }

// A value's runs, in the order of the rounds.
std::vector<const Trial*> runs_of(const Sweep& sweep, size_t value) {
  std::vector<const Trial*> runs;
  for (const LadderRun& run : sweep.report.ladder.runs)
    if (run.rung == value) runs.push_back(&run.trial);
  return runs;
}
const Trial& last_run(const Sweep& sweep, size_t value) { return *runs_of(sweep, value).back(); }

// Relative to this many times the first value.
Reading<double> efficiency(const Sweep& sweep, size_t value) {
  if (!is_number(sweep)) return Reading<double>::unavailable("the values are not numbers");
  const auto& values = sweep.plan.values;
  const LadderRung& rung = sweep.report.rungs[value];
  if (!rung.times_first.has_value()) return Reading<double>::warming(rung.times_first.reason);
  return Reading<double>::of(rung.over_first.ratio * std::stod(values.front()) /
                             std::stod(values[value]));
}

std::string rates_text(const Sweep& sweep) {
  TextTable table({{std::string(sweep.plan.knob->name), '>', 8},
                   {std::string(unit_of(sweep.settings(0)).rate), '>', 10},
                   {"middle half", '>', 18},
                   {"ratio", '>', 21},
                   {is_number(sweep) ? "efficiency" : "", '>'}});
  for (size_t i = 0; i < sweep.plan.values.size(); ++i) {
    const LadderRung& rung = sweep.report.rungs[i];
    const Spread& rates = *rung.rate;
    const Reading<double> share = efficiency(sweep, i);
    table.add({sweep.plan.values[i], rate_text(rates.median),
               fmt::format("{} .. {}", rate_text(rates.lower), rate_text(rates.upper)),
               rung.times_first.has_value() ? factor_text(rung.over_first) : kUnknown,
               share.has_value() ? fmt::format("{:.0f} %", 100 * *share) : ""});
  }
  return table.text();
}

std::string parts_text(const Sweep& sweep) {
  std::string text;
  for (size_t i = 0; i < sweep.plan.values.size(); ++i) {
    const std::vector<PartReadings>& parts = last_run(sweep, i).end.parts;
    if (parts.size() < 2) continue;
    text += fmt::format("  {}:", sweep.report.preset(i).name);
    for (const PartReadings& part : parts)
      text += fmt::format("  {} {}", part.name, shown_rate(part.rate));
    text += "\n";
  }
  return text.empty() ? text : "\nEach of them, in the last round\n" + text;
}

// A line per figure, a column per value.
std::string figures_text(const Sweep& sweep) {
  std::vector<TextColumn> columns = {{"", '<', 28}};
  columns.resize(1 + sweep.plan.values.size(), {"", '>', 10});
  TextTable table(columns);
  for (const Figure& figure : last_run(sweep, 0).end.figures) {
    std::vector<std::string> cells = {"  " + figure.name};
    for (size_t i = 0; i < sweep.plan.values.size(); ++i) {
      const std::vector<Figure>& figures = last_run(sweep, i).end.figures;
      const auto same = std::ranges::find(figures, figure.key, &Figure::key);
      const bool known = same != figures.end() && same->value.has_value();
      cells.push_back(known ? figure_text(same->kind, *same->value) : kUnknown);
    }
    table.add(cells);
  }
  const std::string text = table.text();
  return text.empty() ? text : "\n" + text;
}

std::string mismatches_text(const Sweep& sweep) {
  std::string text;
  for (const std::string& line : mismatches_of(sweep.report)) text += fmt::format("  {}\n", line);
  return text.empty() ? text : "\n" + text;
}

// One function at each value.
struct Shares {
  std::vector<double> self, children;

  double change() const {
    const auto [least, most] = std::ranges::minmax(children);
    return most - least;
  }
};

using SharesByName = std::map<std::string_view, Shares>;

// Unknown if those of one value are.
Reading<SharesByName> shares_of(const Sweep& sweep, Role role) {
  SharesByName by_name;
  const size_t values = sweep.plan.values.size();
  for (size_t i = 0; i < values; ++i) {
    const Reading<FunctionTable>& table = last_run(sweep, i).segment.role(role).functions;
    if (!table.has_value()) return Reading<SharesByName>::warming(table.reason);
    for (const FunctionRow& row : table->rows()) {
      Shares& shares = by_name[row.name];
      shares.self.resize(values);
      shares.children.resize(values);
      shares.self[i] = table->share(row.self_samples);
      shares.children[i] = table->share(row.children_samples);
    }
  }
  return Reading<SharesByName>::of(std::move(by_name));
}

// The functions that differ most, because they explain the rates.
std::string functions_text(const Sweep& sweep, Role role) {
  const std::string_view name = role_name(sweep.settings(0), role);
  const Reading<SharesByName> by_name = shares_of(sweep, role);
  if (!by_name.has_value())
    return fmt::format("\n{}: functions unknown: {}\n", name, by_name.reason);
  std::vector<std::pair<std::string_view, Shares>> rows(by_name->begin(), by_name->end());
  std::ranges::stable_sort(rows, std::greater{}, [](const auto& r) { return r.second.change(); });
  std::vector<TextColumn> columns;
  for (const Preset& rung : sweep.report.ladder.options.rungs)
    columns.push_back({rung.name, '>', 16});
  columns.push_back({"function"});
  TextTable table(columns);
  for (size_t i = 0; i < std::min(rows.size(), kSweepFunctions); ++i) {
    const auto& [function, shares] = rows[i];
    if (shares.change() < kWorthSaying) break;
    std::vector<std::string> cells;
    for (size_t v = 0; v < sweep.plan.values.size(); ++v)
      cells.push_back(
          fmt::format("{:.1f} ({:>4.1f})", 100 * shares.children[v], 100 * shares.self[v]));
    cells.emplace_back(function);
    table.add(cells);
  }
  return fmt::format("\n{}: where the time goes, % incl. children (self)\n", name) + table.text();
}

std::string sweep_text(const Sweep& sweep) {
  const Settings& settings = sweep.settings(0);
  std::string text = fmt::format("{}: {} compared, {}, interleaved\n\n", terms_of(settings).name,
                                 sweep.plan.knob->name, counted(sweep.rounds(), "round")) +
                     rates_text(sweep) + parts_text(sweep) + figures_text(sweep) +
                     mismatches_text(sweep);
  for (const Role role : roles_of(settings)) text += functions_text(sweep, role);
  return text;
}

Json sweep_run_json(const Trial& run, uint32_t round, const Unit& unit) {
  Json json = {{"round", round}, {std::string(unit.key), rounded(run.rate())}};
  put(json, "steal_share", run.steal_share);
  json["noise"] = noise_json(run);
  json["parts"] = list_json(run.end.parts, [&](const PartReadings& part) {
    Json one = {{"name", part.name}};
    put(one, unit.key, part.rate);
    return one;
  });
  return json;
}

Json row_json(const Sweep& sweep, size_t i) {
  const Settings& settings = sweep.settings(i);
  const Unit& unit = unit_of(settings);
  const LadderRung& rung = sweep.report.rungs[i];
  Json json = {{"value", sweep.plan.values[i]}, {"requested", knobs_json(settings)}};
  json[unit.key] = whole_spread_json(*rung.rate);
  put(json, "times", rung.times_first, [](const Spread& s) { return rounded(s.median); });
  put(json, "times_first", rung.times_first,
      [&](const Spread& spread) { return ratios_json(spread, rung.over_first); });
  put(json, "efficiency", efficiency(sweep, i));
  const Trial& last = last_run(sweep, i);
  json["figures"] = figures_json(last.end.figures);
  for (const Role role : roles_of(settings))
    put(json, fmt::format("{}_functions", role_name(settings, role)),
        last.segment.role(role).functions, functions_json);
  json["runs"] = Json::array();
  for (uint32_t round = 1; const Trial* run : runs_of(sweep, i))
    json["runs"].push_back(sweep_run_json(*run, round++, unit));
  return json;
}

}  // namespace

Document sweep_document(const Sweep& sweep) {
  const Settings& settings = sweep.settings(0);
  const std::string knob(sweep.plan.knob->name);
  Document document{"sweep",
                    {{"version", kVersion},
                     {"host", host_json(last_run(sweep, 0).end.host.get(),
                                        Reading<double>::unavailable("each run has its own"))},
                     {"workload", terms_of(settings).name},
                     {"knob", knob},
                     {"rounds", sweep.rounds()},
                     {"rows", Json::array()}},
                    sweep_text(sweep)};
  add_columns(document.columns, "", "", {knob, "round", unit_of(settings).key, "steal_share"});
  document.columns.push_back({"noise", "/noise/words"});
  for (size_t i = 0; i < sweep.plan.values.size(); ++i) {
    document.tree["rows"].push_back(row_json(sweep, i));
    for (Json run : document.tree["rows"].back()["runs"]) {
      run[knob] = sweep.plan.values[i];
      document.rows.push_back(std::move(run));
    }
  }
  return document;
}

}  // namespace pipetop::tui

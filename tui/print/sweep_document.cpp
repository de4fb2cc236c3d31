#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/version.h"
#include "engine/experiment/sweep.h"
#include "engine/meter/statistics.h"
#include "engine/registry/terms.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

constexpr size_t kSweepFunctions = 14;
constexpr double kWorthSaying = 0.005;  // of the samples

bool is_number(const Sweep& sweep) { return sweep.plan.knob->kind == KnobKind::number; }

double median_times(const Sweep& sweep, const SweepRow& row) {
  return median(row.times(sweep.rows.front()));
}

// Relative to this many times the first row.
Reading<double> efficiency(const Sweep& sweep, const SweepRow& row) {
  if (!is_number(sweep)) return Reading<double>::unavailable("the values are not numbers");
  return Reading<double>::of(median_times(sweep, row) * std::stod(sweep.rows.front().value) /
                             std::stod(row.value));
}

// "clients 2"
std::string name_of(const Sweep& sweep, const SweepRow& row) {
  return fmt::format("{} {}", sweep.plan.knob->name, row.value);
}

std::string rates_text(const Sweep& sweep) {
  TextTable table({{std::string(sweep.plan.knob->name), '>', 8},
                   {std::string(unit_of(sweep.rows.front().settings).rate), '>', 10},
                   {"middle half", '>', 18},
                   {"ratio", '>', 7},
                   {is_number(sweep) ? "efficiency" : "", '>'}});
  for (const SweepRow& row : sweep.rows) {
    const Spread rates = spread_of(row.rates());
    const Reading<double> share = efficiency(sweep, row);
    table.add({row.value, fmt::format("{:.2f}", rates.median),
               fmt::format("{:.2f} .. {:.2f}", rates.lower, rates.upper),
               fmt::format("{:.2f}", median_times(sweep, row)),
               share.has_value() ? fmt::format("{:.0f} %", 100 * *share) : ""});
  }
  return table.text();
}

std::string parts_text(const Sweep& sweep) {
  std::string text;
  for (const SweepRow& row : sweep.rows) {
    const std::vector<PartView>& parts = row.runs.back().parts;
    if (parts.size() < 2) continue;
    text += fmt::format("  {}:", name_of(sweep, row));
    for (const PartView& part : parts)
      text += part.rate.has_value() ? fmt::format("  {} {:.2f}", part.name, *part.rate)
                                    : fmt::format("  {} ?", part.name);
    text += "\n";
  }
  return text.empty() ? text : "\nEach of them, in the last round\n" + text;
}

// A line per figure, a column per value.
std::string figures_text(const Sweep& sweep) {
  std::vector<TextColumn> columns = {{"", '<', 28}};
  columns.resize(1 + sweep.rows.size(), {"", '>', 10});
  TextTable table(columns);
  for (const Figure& figure : sweep.rows.front().figures) {
    std::vector<std::string> cells = {"  " + figure.name};
    for (const SweepRow& row : sweep.rows) {
      const auto same = std::ranges::find(row.figures, figure.key, &Figure::key);
      const bool known = same != row.figures.end() && same->value.has_value();
      cells.push_back(known ? figure_text(same->kind, *same->value) : "unknown");
    }
    table.add(cells);
  }
  const std::string text = table.text();
  return text.empty() ? text : "\n" + text;
}

std::string mismatches_text(const Sweep& sweep) {
  std::string text;
  for (const SweepRow& row : sweep.rows)
    for (const Mismatch& m : row.mismatches)
      text += fmt::format("  {}: {}\n", name_of(sweep, row), mismatch_text(m));
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

std::map<std::string_view, Shares> shares_of(const Sweep& sweep, Role role) {
  std::map<std::string_view, Shares> by_name;
  const size_t values = sweep.rows.size();
  for (size_t i = 0; i < values; ++i) {
    const Reading<FunctionTable>& table = sweep.rows[i].functions[static_cast<size_t>(role)];
    if (!table.has_value()) continue;
    for (const FunctionRow& row : table->rows()) {
      Shares& shares = by_name[row.name];
      shares.self.resize(values);
      shares.children.resize(values);
      shares.self[i] = table->share(row.self_samples);
      shares.children[i] = table->share(row.children_samples);
    }
  }
  return by_name;
}

std::string why_no_functions(const Sweep& sweep, Role role) {
  for (const SweepRow& row : sweep.rows) {
    const auto& functions = row.functions[static_cast<size_t>(role)];
    if (!functions.has_value()) return functions.reason;
  }
  return {};
}

// The functions that differ most, because they explain the rates.
std::string functions_text(const Sweep& sweep, Role role) {
  const std::string_view name = role_name(sweep.rows.front().settings, role);
  if (const std::string why = why_no_functions(sweep, role); !why.empty())
    return fmt::format("\n{}: functions unknown: {}\n", name, why);
  const std::map<std::string_view, Shares> by_name = shares_of(sweep, role);
  std::vector<std::pair<std::string_view, Shares>> rows(by_name.begin(), by_name.end());
  std::ranges::stable_sort(rows, std::greater{}, [](const auto& r) { return r.second.change(); });
  std::vector<TextColumn> columns;
  for (const SweepRow& row : sweep.rows) columns.push_back({name_of(sweep, row), '>', 16});
  columns.push_back({"function"});
  TextTable table(columns);
  for (size_t i = 0; i < std::min(rows.size(), kSweepFunctions); ++i) {
    const auto& [function, shares] = rows[i];
    if (shares.change() < kWorthSaying) break;
    std::vector<std::string> cells;
    for (size_t v = 0; v < sweep.rows.size(); ++v)
      cells.push_back(
          fmt::format("{:.1f} ({:>4.1f})", 100 * shares.children[v], 100 * shares.self[v]));
    cells.emplace_back(function);
    table.add(cells);
  }
  return fmt::format("\n{}: where the time goes, % incl. children (self)\n", name) + table.text();
}

std::string sweep_text(const Sweep& sweep) {
  const Settings& settings = sweep.rows.front().settings;
  std::string text = fmt::format("{}: {} compared, {}, interleaved\n\n", terms_of(settings).name,
                                 sweep.plan.knob->name, counted(uint64_t(sweep.rounds), "round")) +
                     rates_text(sweep) + parts_text(sweep) + figures_text(sweep) +
                     mismatches_text(sweep);
  for (const Role role : roles_of(settings)) text += functions_text(sweep, role);
  return text;
}

Json sweep_run_json(const SweepRun& run, const Unit& unit) {
  Json json = {{"round", run.round + 1}, {std::string(unit.key), rounded(run.rate)}};
  put(json, "steal_share", run.steal_share);
  json["parts"] = list_json(run.parts, [&](const PartView& part) {
    Json one = {{"name", part.name}};
    put(one, unit.key, part.rate);
    return one;
  });
  return json;
}

Json row_json(const Sweep& sweep, const SweepRow& row) {
  const Unit& unit = unit_of(row.settings);
  Json json = {{"value", row.value}, {"requested", knobs_json(row.settings)}};
  json[unit.key] = spread_json(spread_of(row.rates()));
  json["times"] = rounded(median_times(sweep, row));
  put(json, "efficiency", efficiency(sweep, row));
  json["figures"] = figures_json(row.figures);
  for (const Role role : roles_of(row.settings))
    put(json, fmt::format("{}_functions", role_name(row.settings, role)),
        row.functions[static_cast<size_t>(role)], functions_json);
  json["runs"] =
      list_json(row.runs, [&](const SweepRun& run) { return sweep_run_json(run, unit); });
  return json;
}

}  // namespace

Document sweep_document(const Sweep& sweep) {
  const Settings& settings = sweep.rows.front().settings;
  const std::string knob(sweep.plan.knob->name);
  Document document{"sweep",
                    {{"version", kVersion},
                     {"workload", terms_of(settings).name},
                     {"knob", knob},
                     {"rounds", sweep.rounds},
                     {"rows", Json::array()}},
                    sweep_text(sweep)};
  add_columns(document.columns, "", "", {knob, "round", unit_of(settings).key, "steal_share"});
  for (const SweepRow& row : sweep.rows) {
    document.tree["rows"].push_back(row_json(sweep, row));
    for (Json run : document.tree["rows"].back()["runs"]) {
      run[knob] = row.value;
      document.rows.push_back(std::move(run));
    }
  }
  return document;
}

}  // namespace pipetop::tui

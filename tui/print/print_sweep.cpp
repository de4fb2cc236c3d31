#include "tui/print/print_sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/version.h"
#include "engine/meter/statistics.h"
#include "engine/registry/terms.h"
#include "tui/draw/numbers.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {
namespace {

constexpr size_t kFunctionRows = 14;
constexpr double kWorthSaying = 0.005;  // of the samples

bool is_number(const Sweep& sweep) { return sweep.plan.knob->kind == KnobKind::number; }

// Of what the first row, alone, would make if there were so many of it.
Reading<double> efficiency(const Sweep& sweep, const SweepRow& row) {
  if (!is_number(sweep)) return Reading<double>::unavailable("the values are no numbers");
  const double of_first = median(row.times(sweep.rows.front()));
  return Reading<double>::of(of_first * std::stod(sweep.rows.front().value) / std::stod(row.value));
}

std::string quartiles_text(const std::vector<double>& values) {
  return fmt::format("{:.2f} .. {:.2f}", quantile(values, 0.25), quantile(values, 0.75));
}

std::string table(const Sweep& sweep) {
  const Settings& settings = sweep.rows.front().settings;
  const std::string_view knob = sweep.plan.knob->name;
  const int width = std::max(8, static_cast<int>(knob.size()));
  std::string text =
      fmt::format("{:>{}}  {:>10}  {:>18}  {:>7}{}\n", knob, width, unit_of(settings).rate,
                  "middle half", "times", is_number(sweep) ? "  efficiency" : "");
  for (const SweepRow& row : sweep.rows) {
    const std::vector<double> rates = row.rates();
    text += fmt::format("{:>{}}  {:>10.2f}  {:>18}  {:>7.2f}", row.value, width, median(rates),
                        quartiles_text(rates), median(row.times(sweep.rows.front())));
    if (is_number(sweep)) text += fmt::format("  {:>8.0f} %", 100 * *efficiency(sweep, row));
    text += "\n";
  }
  return text;
}

std::string parts_text(const Sweep& sweep) {
  std::string text;
  for (const SweepRow& row : sweep.rows) {
    const std::vector<PartView>& parts = row.runs.back().parts;
    if (parts.size() < 2) continue;
    text += fmt::format("  {} {}:", sweep.plan.knob->name, row.value);
    for (const PartView& part : parts)
      text += part.rate.has_value() ? fmt::format("  {} {:.2f}", part.name, *part.rate)
                                    : fmt::format("  {} ?", part.name);
    text += "\n";
  }
  return text.empty() ? text : "\nEach one, in the last round\n" + text;
}

// A line a figure, a column a value.
std::string figures_text(const Sweep& sweep) {
  std::string text;
  const std::vector<Figure>& first = sweep.rows.front().figures;
  for (const Figure& figure : first) {
    text += fmt::format("  {:<28}", figure.name);
    for (const SweepRow& row : sweep.rows) {
      const auto same = std::ranges::find(row.figures, figure.key, &Figure::key);
      const bool known = same != row.figures.end() && same->value.has_value();
      text += fmt::format("{:>12}", known ? figure_text(same->kind, *same->value) : "unknown");
    }
    text += "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string mismatches_text(const Sweep& sweep) {
  std::string text;
  for (const SweepRow& row : sweep.rows)
    for (const Mismatch& m : row.mismatches)
      text += fmt::format("  {} {}: {}: {} requested, {} effective: {}\n", sweep.plan.knob->name,
                          row.value, m.knob, m.requested, m.effective, m.reason);
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

// Those that differ most, for they tell why the rates do.
std::string functions_text(const Sweep& sweep, Role role) {
  const std::string_view name = role_name(sweep.rows.front().settings, role);
  if (const std::string why = why_no_functions(sweep, role); !why.empty())
    return fmt::format("\n{}: functions unknown: {}\n", name, why);
  const std::map<std::string_view, Shares> by_name = shares_of(sweep, role);
  std::vector<std::pair<std::string_view, Shares>> rows(by_name.begin(), by_name.end());
  std::ranges::stable_sort(rows, std::greater{}, [](const auto& r) { return r.second.change(); });
  std::string text = fmt::format("\n{}: where its time goes, % with children (self)\n  ", name);
  for (const SweepRow& row : sweep.rows)
    text += fmt::format("{:>16}", fmt::format("{} {}", sweep.plan.knob->name, row.value));
  text += "  function\n";
  for (size_t i = 0; i < std::min(rows.size(), kFunctionRows); ++i) {
    if (rows[i].second.change() < kWorthSaying) break;
    text += "  ";
    for (size_t v = 0; v < sweep.rows.size(); ++v)
      text += fmt::format("{:>9.1f} ({:>4.1f})", 100 * rows[i].second.children[v],
                          100 * rows[i].second.self[v]);
    text += fmt::format("  {}\n", rows[i].first);
  }
  return text;
}

// ---- JSON -------------------------------------------------------------------

Json run_json(const SweepRun& run, const Unit& unit) {
  Json json = {{"round", run.round + 1}, {std::string(unit.key), rounded(run.rate)}};
  put(json, "steal_share", run.steal_share);
  json["parts"] = Json::array();
  for (const PartView& part : run.parts) {
    Json one = {{"name", part.name}};
    put(one, std::string(unit.key), part.rate);
    json["parts"].push_back(std::move(one));
  }
  return json;
}

Json functions_json(const FunctionTable& table) {
  Json rows = Json::array();
  for (const FunctionRow& row : table.rows())
    rows.push_back({{"name", row.name},
                    {"self_share", rounded(table.share(row.self_samples))},
                    {"children_share", rounded(table.share(row.children_samples))}});
  return {{"samples", table.samples}, {"lost", table.lost}, {"rows", rows}};
}

Json row_json(const Sweep& sweep, const SweepRow& row) {
  const Unit& unit = unit_of(row.settings);
  const std::vector<double> rates = row.rates(), times = row.times(sweep.rows.front());
  Json json = {{"value", row.value},
               {"requested", knobs_json(row.settings)},
               {std::string(unit.key),
                {{"median", rounded(median(rates))},
                 {"quartiles", {rounded(quantile(rates, 0.25)), rounded(quantile(rates, 0.75))}}}},
               {"times", rounded(median(times))}};
  put(json, "efficiency", efficiency(sweep, row));
  json["figures"] = Json::object();
  for (const Figure& figure : row.figures) put(json["figures"], figure.key, figure.value);
  for (const Role role : roles_of(row.settings)) {
    const auto& functions = row.functions[static_cast<size_t>(role)];
    const std::string key = std::string(role_name(row.settings, role)) + "_functions";
    if (functions.has_value())
      json[key] = functions_json(*functions);
    else
      put_null(json, key, functions.reason);
  }
  json["runs"] = Json::array();
  for (const SweepRun& run : row.runs) json["runs"].push_back(run_json(run, unit));
  return json;
}

}  // namespace

std::string print_sweep_human(const Sweep& sweep) {
  const Settings& settings = sweep.rows.front().settings;
  std::string text =
      fmt::format("{}: {} compared, {} round{} in turns\n\n", terms_of(settings).name,
                  sweep.plan.knob->name, sweep.rounds, sweep.rounds == 1 ? "" : "s");
  text += table(sweep) + parts_text(sweep) + figures_text(sweep) + mismatches_text(sweep);
  for (const Role role : roles_of(settings)) text += functions_text(sweep, role);
  return text;
}

std::string print_sweep_json(const Sweep& sweep) {
  Json json = {{"schema", kSchema},
               {"version", kVersion},
               {"workload", std::string(terms_of(sweep.rows.front().settings).name)},
               {"knob", std::string(sweep.plan.knob->name)},
               {"rounds", sweep.rounds},
               {"rows", Json::array()}};
  for (const SweepRow& row : sweep.rows) json["rows"].push_back(row_json(sweep, row));
  return to_lines(json);
}

std::string print_sweep_csv(const Sweep& sweep) {
  std::string text = fmt::format("{},round,{},steal_share\n", sweep.plan.knob->name,
                                 unit_of(sweep.rows.front().settings).key);
  for (const SweepRow& row : sweep.rows)
    for (const SweepRun& run : row.runs)
      text +=
          fmt::format("{},{},{:.6f},{}\n", row.value, run.round + 1, run.rate,
                      run.steal_share.has_value() ? fmt::format("{:.6f}", *run.steal_share) : "");
  return text;
}

}  // namespace pipetop::tui

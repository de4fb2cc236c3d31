#include "tui/print/stored_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/json.h"

namespace pipetop::tui {
namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Without what differs from one moment to the next.
std::map<std::string, std::string> host_of(const Json& root) {
  std::map<std::string, std::string> facts;
  const auto host = root.find("host");
  if (host == root.end() || !host->is_object()) return facts;
  for (const auto& [name, value] : host->items()) {
    if (name == "mitigations" && value.is_object()) {
      for (const auto& [flaw, state] : value.items()) facts["mitigation " + flaw] = text_of(state);
    } else if (value.is_primitive() && !value.is_null() && name != "psi" && name != "steal_share" &&
               !name.ends_with("_reason")) {
      facts[name] = text_of(value);
    }
  }
  return facts;
}

std::map<std::string, std::string> settings_of(const Json& knobs) {
  std::map<std::string, std::string> settings;
  for (const auto& [name, value] : knobs.items())
    if (!name.ends_with("_reason") && name != "observers") settings[name] = text_of(value);
  return settings;
}

// The unit whose key is among those of `measured`; nullptr if there is none.
const Unit* unit_in(const Json& measured) {
  for (const WorkloadEntry& entry : workloads())
    if (measured.contains(entry.terms.unit.key)) return &entry.terms.unit;
  return nullptr;
}

void add_functions(const std::string& role, const Json& table, double ns_a_page, StoredRung& rung) {
  if (!table.is_object() || !table.contains("rows")) return;
  const double error = table.value("share_error", 0.0);
  for (const Json& row : table.at("rows")) {
    StoredFunction f{row.at("self_share").get<double>(), error, {}};
    if (ns_a_page > 0) f.ns = f.share * ns_a_page;
    rung.functions[role + " " + row.at("name").get<std::string>()] = f;
  }
}

StoredRung rung_of(std::string name, const Json& settings, const Json& runs) {
  StoredRung rung{.name = std::move(name), .settings = settings_of(settings)};
  for (const Json& run : runs) {
    const Unit* unit = unit_in(run);
    if (!unit) continue;
    rung.unit = unit->rate;
    rung.rounds.push_back(run.at(unit->key).get<double>());
  }
  return rung;
}

void add_ladder(const Json& root, StoredResult& result) {
  for (const Json& rung : root.at("rungs"))
    result.rungs.push_back(
        rung_of(rung.at("name").get<std::string>(), rung.at("requested"), rung.at("runs")));
}

void add_sweep(const Json& root, StoredResult& result) {
  const auto knob = root.at("knob").get<std::string>();
  for (const Json& row : root.at("rows")) {
    StoredRung rung = rung_of(fmt::format("{} {}", knob, text_of(row.at("value"))),
                              row.at("requested"), row.at("runs"));
    for (const std::string role : {"writer", "reader", "client", "inserter"})
      if (row.contains(role + "_functions"))
        add_functions(role, row.at(role + "_functions"), 0, rung);
    result.rungs.push_back(std::move(rung));
  }
}

// What was tried last, of the winner and of what it was compared with.
void add_search(const Json& root, StoredResult& result) {
  for (const char* const name : {"winner", "runner_up", "reference"}) {
    const auto found = root.find(name);
    if (found == root.end() || !found->is_object()) continue;
    const Unit* unit = unit_in(*found);
    if (!unit || !found->at(unit->key).contains("trials")) continue;
    result.rungs.push_back({.name = name,
                            .settings = settings_of(found->at("settings")),
                            .unit = std::string(unit->rate),
                            .rounds = found->at(unit->key).at("trials")});
  }
}

// One measurement: a single round.
void add_run(const Json& root, StoredResult& result) {
  const Unit* unit = unit_in(root);
  if (!unit || !root.at(unit->key).is_object()) return;
  const auto rate = root.at(unit->key).at("mean").get<double>();
  StoredRung rung{.name = root.at("name").get<std::string>(),
                  .settings = settings_of(root.at("requested")),
                  .unit = std::string(unit->rate),
                  .rounds = {rate}};
  const auto tables = root.find("functions");
  for (const char* const role : {"writer", "reader", "client", "inserter"}) {
    if (tables == root.end() || !tables->contains(role) || !root.contains(role)) continue;
    const Json& on_cpu = root.at(role).value("on_cpu_share", Json());
    const bool known = on_cpu.is_number() && unit->items == "bytes" && rate > 0;
    constexpr double kPage = 4096;
    const double ns = known ? kPage * 1e9 / (rate * unit->count) * on_cpu.get<double>() : 0;
    add_functions(role, tables->at(role), ns, rung);
  }
  result.rungs.push_back(std::move(rung));
}

// What tells one entry of a list from the others: "4k untouched, 512KiB".
std::string name_of_entry(const Json& entry) {
  std::string name;
  if (const auto found = entry.find(entry.contains("name") ? "name" : "pages");
      found != entry.end())
    name += " " + text_of(*found);
  for (const char* const key : {"ring_bytes", "buffer_bytes"})
    if (const auto found = entry.find(key); found != entry.end() && found->is_number())
      name += " " + format_size(found->get<uint64_t>());
  return name;
}

// "vmsplice_ns_per_page" is the cost "vmsplice".
std::string name_of_cost(std::string name) {
  for (const std::string_view unit : {"_per_page", "_per_slot", "_ns", "_gib_per_s"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return name == "gib_per_s" ? "rate" : name;
}

// Each cost with its single figures: in ns, or in GiB/s. Those of older versions have none.
void add_costs(const std::string& name, const Json& json, bool is_rate, StoredResult& result) {
  if (json.is_array())
    for (const Json& entry : json) add_costs(name + name_of_entry(entry), entry, false, result);
  if (!json.is_object()) return;
  if (const auto values = json.find("values"); values != json.end())
    return result.rungs.push_back({.name = name,
                                   .settings = {{"step", name}},
                                   .unit = std::string(is_rate ? "GiB/s" : kCostUnit),
                                   .rounds = values->get<std::vector<double>>()});
  for (const auto& [key, value] : json.items())
    add_costs(name + (name.empty() ? "" : " ") + name_of_cost(key), value,
              key.ends_with("gib_per_s"), result);
}

void add_limits(const Json& root, StoredResult& result) {
  add_costs("", root, false, result);
  if (result.rungs.empty())
    throw Error(fmt::format(
        "{}: a result of limits without the figures of its rounds: version 0.3.0 writes them",
        result.file));
}

std::string end_name(const Json& ends, const Json& stages) {
  for (const Json& end : ends)
    if (end.value("active", false))
      return stages.at(end.at("stage").get<size_t>()).at("name").get<std::string>();
  return "?";
}

// Each pipe with both ends, by the names there: a single round. --interleave makes more.
void add_watched(const Json& root, StoredResult& result) {
  constexpr double kGiB = 1 << 30;
  // Those of a command, or the one that was watched.
  const Json pipelines = root.contains("pipelines")  ? root.at("pipelines")
                         : root.contains("pipeline") ? Json::array({root.at("pipeline")})
                                                     : Json::array({root});
  std::map<std::string, int> met;
  for (const Json& pipeline : pipelines) {
    for (const Json& pipe : pipeline.at("pipes")) {
      if (!pipe.at("bytes_per_s").is_number()) continue;
      std::string name =
          fmt::format("{} -> {}", end_name(pipe.at("writers"), pipeline.at("stages")),
                      end_name(pipe.at("readers"), pipeline.at("stages")));
      if (const int number = ++met[name]; number > 1) name += fmt::format(" {}", number);
      result.rungs.push_back({.name = name,
                              .settings = {{"pipe", name}},
                              .unit = "GiB/s",
                              .rounds = {pipe.at("bytes_per_s").get<double>() / kGiB}});
    }
  }
}

struct Kind {
  const char *name, *mark;  // the member that only these results have
  void (*add)(const Json&, StoredResult&);
};
constexpr Kind kKinds[] = {{"ladder", "rungs", add_ladder},
                           {"comparison of values", "knob", add_sweep},
                           {"search", "winner", add_search},
                           {"result of limits", "syscall_ns", add_limits},
                           {"summary of watch", "pipeline", add_watched},
                           {"run", "requested", add_run},
                           {"result of watch", "stages", add_watched}};

// A line of CSV: fields may be in quotes, which are doubled in them.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

// The article's name for the rate, which a pipe's table has.
std::string_view unit_of_column(std::string_view column) {
  if (column == "gibibytes_per_second") return "GiB/s";
  for (const WorkloadEntry& entry : workloads())
    if (column == entry.terms.unit.key) return entry.terms.unit.rate;
  return {};
}

// A row is a round; those with the same settings are one rung.
StoredResult read_csv(const std::string& file, const std::string& text) {
  StoredResult result{.file = file, .kind = "table"};
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> columns = csv_fields(lines.front());
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::vector<std::string> fields = csv_fields(lines[i]);
    if (fields.size() != columns.size())
      throw Error(fmt::format("{}:{}: {} fields, and {} columns", file, i + 1, fields.size(),
                              columns.size()));
    StoredRung row;
    std::optional<double> rate;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] == "name") row.name = fields[c];
      if (find_knob(columns[c]) && columns[c] != "observers") row.settings[columns[c]] = fields[c];
      if (const std::string_view unit = unit_of_column(columns[c]); !unit.empty()) {
        row.unit = unit;
        rate = parse_all<double>(fields[c]);
      }
    }
    if (!rate) throw Error(fmt::format("{}:{}: no rate", file, i + 1));
    if (row.name.empty() && !row.settings.empty())
      row.name = row.settings.begin()->first + " " + row.settings.begin()->second;
    auto rung = std::ranges::find(result.rungs, row.settings, &StoredRung::settings);
    if (rung == result.rungs.end()) rung = result.rungs.insert(rung, std::move(row));
    rung->rounds.push_back(*rate);
  }
  return result;
}

bool is_csv(std::string_view text) {
  const auto columns = csv_fields(text.substr(0, text.find('\n')));
  return std::ranges::any_of(columns,
                             [](const std::string& c) { return !unit_of_column(c).empty(); });
}

}  // namespace

std::map<std::string, std::string> stored_settings(const Settings& settings) {
  return settings_of(knobs_json(settings));
}

StoredResult read_stored_result(const std::string& file, const std::string& text) {
  if (is_csv(text)) return read_csv(file, text);
  const Json root = Json::parse(text, nullptr, false);
  if (!root.is_object())
    throw Error(
        fmt::format("{}: no result: give what run, ladder, tune, limits or watch have written with "
                    "--format json, --json or --csv",
                    file));
  const auto kind = std::ranges::find_if(
      kKinds, [&](const Kind& candidate) { return root.contains(candidate.mark); });
  if (kind == std::end(kKinds))
    throw Error(fmt::format(
        "{}: no result of run, ladder, tune, limits or watch, which have rates to compare", file));
  StoredResult result{.file = file, .kind = kind->name};
  try {
    result.host = host_of(root);
    if (const Json host = root.value("host", Json::object()); host.is_object())
      if (const Json steal = host.value("steal_share", Json()); steal.is_number())
        result.steal = steal.get<double>();
    kind->add(root, result);
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("{}: a damaged {}: {}", file, kind->name, e.what()));
  }
  std::erase_if(result.rungs, [](const StoredRung& rung) { return rung.rounds.empty(); });
  if (result.rungs.empty())
    throw Error(fmt::format("{}: a {} without rates: nothing was measured", file, kind->name));
  return result;
}

}  // namespace pipetop::tui

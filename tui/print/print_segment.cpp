#include "tui/print/print_segment.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/config/text_file.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {
namespace {

constexpr size_t kCsvFunctions = 8;  // of a role

struct RateFigure {
  const char* name;
  double RateStats::*member;
};
constexpr RateFigure kFigures[] = {{"mean", &RateStats::mean},
                                   {"median", &RateStats::median},
                                   {"stddev", &RateStats::stddev},
                                   {"min", &RateStats::min},
                                   {"max", &RateStats::max}};

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

// ---- JSON -------------------------------------------------------------------

void put_rate(Json& json, const std::string& key, const Reading<RateStats>& rate) {
  if (!rate.has_value()) return put_null(json, key, rate.reason);
  Json figures;
  for (const RateFigure& figure : kFigures) figures[figure.name] = rounded((*rate).*figure.member);
  figures["samples"] = rate->samples;
  json[key] = figures;
}

void put_functions(Json& json, const Reading<FunctionTable>& functions) {
  if (!functions.has_value()) return put_null(json, "functions", functions.reason);
  Json rows = Json::array();
  for (const FunctionRow& row : functions->rows())
    rows.push_back({{"name", row.name},
                    {"self_share", rounded(functions->share(row.self_samples))},
                    {"children_share", rounded(functions->share(row.children_samples))}});
  json["functions"] = {{"samples", functions->samples}, {"lost", functions->lost}, {"rows", rows}};
}

Json role_json(const SegmentRole& role) {
  Json json;
  put(json, "on_cpu_share", role.shares.on_cpu);
  put(json, "runnable_share", role.shares.runnable);
  put(json, "blocked_share", role.shares.blocked);
  put_functions(json, role.functions);
  return json;
}

// ---- CSV --------------------------------------------------------------------

// As RFC 4180 has it, but a line stays a line.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : one_line(text)) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string share_text(double share) { return fmt::format("{:.6f}", share); }

// Name and value, in the order of the columns.
class Row {
 public:
  void add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  void add(std::string name, const Reading<double>& share) {
    add(std::move(name), share.has_value() ? share_text(*share) : "");
  }

  std::string names() const {
    return line([](const auto& f) { return f.first; });
  }
  std::string values() const {
    return line([](const auto& f) { return f.second; });
  }

 private:
  template <class Text>
  std::string line(Text text) const {
    std::string line;
    for (const auto& f : fields_) line += (line.empty() ? "" : ",") + field(text(f));
    return line + "\n";
  }

  std::vector<std::pair<std::string, std::string>> fields_;
};

// Typed as in JSON: sizes are bytes.
void add_knobs(Row& row, const std::string& prefix, const Settings& settings) {
  const Json json = knobs_json(settings);
  for (const Knob& knob : knobs_of(settings)) {
    const Json& value = json[std::string(knob.name)];
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    row.add(prefix + std::string(knob.name), value.is_null() ? "" : text);
  }
}

void add_rate(Row& row, const Reading<RateStats>& rate) {
  for (const RateFigure& figure : kFigures)
    row.add(figure.name, rate.has_value() ? fmt::format("{:.6f}", (*rate).*figure.member) : "");
  row.add("samples", rate.has_value() ? std::to_string(rate->samples) : "");
}

void add_occupancy(Row& row, const Reading<Occupancy>& occupancy) {
  const auto share = [&](double Occupancy::*member) {
    return occupancy.has_value() ? share_text((*occupancy).*member) : "";
  };
  row.add("occupancy_mean", share(&Occupancy::mean_share));
  row.add("occupancy_empty_share", share(&Occupancy::empty_share));
  row.add("occupancy_full_share", share(&Occupancy::full_share));
  row.add("occupancy_samples", occupancy.has_value() ? std::to_string(occupancy->samples) : "");
}

void add_kinds(Row& row, const Reading<std::array<double, kSlotKinds>>& kinds) {
  for (size_t i = static_cast<size_t>(SlotKind::copy); i < kSlotKinds; ++i)
    row.add(fmt::format("kinds_{}", kKindNames[i]),
            kinds.has_value() ? share_text((*kinds)[i]) : "");
}

// "mutex_spin_on_owner=0.3910;mutex_unlock=0.0470"
std::string top_functions(const FunctionTable& table) {
  std::string text;
  const std::vector<FunctionRow> rows = table.rows();
  for (size_t i = 0; i < std::min(rows.size(), kCsvFunctions); ++i)
    text += fmt::format("{}{}={:.4f}", i == 0 ? "" : ";", rows[i].name,
                        table.share(rows[i].self_samples));
  return text;
}

void add_role(Row& row, const std::string& name, const SegmentRole& role) {
  row.add(name + "_on_cpu_share", role.shares.on_cpu);
  row.add(name + "_runnable_share", role.shares.runnable);
  row.add(name + "_blocked_share", role.shares.blocked);
  const auto& functions = role.functions;
  const bool known = functions.has_value();
  row.add(name + "_samples", known ? std::to_string(functions->samples) : "");
  row.add(name + "_lost", known ? std::to_string(functions->lost) : "");
  row.add(name + "_functions", known ? top_functions(*functions) : "");
}

Row row_of(const Segment& segment, uint64_t start_ns) {
  Row row;
  row.add("number", std::to_string(segment.number));
  row.add("label", segment.label);
  row.add("key", segment.key);
  row.add("begin_s", fmt::format("{:.6f}", seconds(segment.begin_ns - start_ns)));
  row.add("seconds", fmt::format("{:.6f}", seconds(segment.duration_ns)));
  row.add(std::string(unit_of(segment.requested).items), std::to_string(segment.items));
  add_rate(row, segment.rate);
  add_knobs(row, "requested_", segment.requested);
  add_knobs(row, "effective_", segment.effective);
  row.add("pipe_bytes", std::to_string(segment.pipe_bytes));
  for (const Role r : roles_of(segment.requested))
    add_role(row, std::string(role_name(segment.requested, r)), segment.role(r));
  add_occupancy(row, segment.occupancy);
  add_kinds(row, segment.kinds);
  return row;
}

}  // namespace

std::string segment_jsonl(const Segment& segment, uint64_t start_ns) {
  const Unit& unit = unit_of(segment.requested);
  Json json = {{"schema", kSchema},
               {"type", "segment"},
               {"number", segment.number},
               {"label", segment.label},
               {"key", segment.key},
               {"begin_s", rounded(seconds(segment.begin_ns - start_ns))},
               {"seconds", rounded(seconds(segment.duration_ns))},
               {std::string(unit.items), segment.items}};
  put_rate(json, std::string(unit.key), segment.rate);
  json["requested"] = knobs_json(segment.requested);
  json["effective"] = knobs_json(segment.effective);
  json["pipe_bytes"] = segment.pipe_bytes;
  for (const Role r : roles_of(segment.requested))
    json[std::string(role_name(segment.requested, r))] = role_json(segment.role(r));
  put_occupancy(json, segment.occupancy);
  put_kinds(json, segment.kinds);
  return to_line(json);
}

std::string segment_csv_header(const Settings& settings) {
  Segment segment;
  segment.requested = segment.effective = settings;
  return row_of(segment, 0).names();
}

std::string segment_csv_row(const Segment& segment, uint64_t start_ns) {
  return row_of(segment, start_ns).values();
}

}  // namespace pipetop::tui

#include "tui/print/stored_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/json.h"

namespace pipetop::tui {
namespace {

// A file may be anybody's: within these it takes seconds, and some hundred MiB. A call tree of a
// run is nested some hundred times.
constexpr size_t kMostDepth = 1'000, kMostMembers = 1'000, kMostValues = 4'000'000;
constexpr size_t kMostRungs = 2'000, kMostRounds = 100'000, kMostKnobs = 100;  // of each rung

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr const char* kGive =
    "give what run, ladder, tune, limits or watch have written with --format json, --json or --csv";

// Of a result that can be told for one.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What is no number is none here, so that whoever knows its place refuses it.
double figure(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

double share(const Json& json) {
  const double share = figure(json);
  if (!(share >= 0 && share <= 1))
    throw Damage(fmt::format("{} is no share, which is 0 to 1", one_line(json.dump())));
  return share;
}

bool is_rate(double rate) { return rate >= 0 && std::isfinite(rate); }

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

// What a ladder and a search say of themselves.
std::vector<std::string> doubts_of(const Json& root) {
  std::vector<std::string> doubts;
  if (root.value("complete", Json(true)) == false) doubts.push_back("it isn't complete");
  if (root.value("trustworthy", Json(true)) != false) return doubts;
  for (const char* const key : {"reasons", "doubts"})
    for (const Json& reason : root.value(key, Json::array()))
      doubts.push_back("it is untrustworthy: " + one_line(text_of(reason)));
  if (doubts.empty()) doubts.push_back("it is untrustworthy");
  return doubts;
}

std::map<std::string, std::string> settings_of(const Json& knobs) {
  if (knobs.size() > kMostKnobs) throw Damage(fmt::format("more than {} knobs", kMostKnobs));
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
    StoredFunction f{share(row.at("self_share")), error, {}};
    if (ns_a_page > 0 && std::isfinite(ns_a_page)) f.ns = f.share * ns_a_page;
    rung.functions[role + " " + row.at("name").get<std::string>()] = f;
  }
}

StoredRung rung_of(std::string name, const Json& settings, const Json& runs) {
  StoredRung rung{.name = std::move(name), .settings = settings_of(settings)};
  for (const Json& run : runs) {
    const Unit* unit = unit_in(run);
    if (!unit) continue;
    rung.unit = unit->rate;
    rung.rounds.push_back(figure(run.at(unit->key)));
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
    StoredRung rung{.name = name,
                    .settings = settings_of(found->at("settings")),
                    .unit = std::string(unit->rate)};
    for (const Json& trial : found->at(unit->key).at("trials"))
      rung.rounds.push_back(figure(trial));
    result.rungs.push_back(std::move(rung));
  }
}

// One measurement: a single round.
void add_run(const Json& root, StoredResult& result) {
  const Unit* unit = unit_in(root);
  if (!unit || !root.at(unit->key).is_object()) return;
  const double rate = figure(root.at(unit->key).at("mean"));
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
    if (const auto found = entry.find(key); found != entry.end() && found->is_number_unsigned())
      name += " " + format_size(found->get<uint64_t>());
  return name;
}

// "vmsplice_ns_per_page" is the cost "vmsplice".
std::string name_of_cost(std::string name) {
  for (const std::string_view unit : {"_per_page", "_per_slot", "_ns", "_gib_per_s"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return name == "gib_per_s" ? "rate" : name;
}

// Each cost with its single figures: in ns, or in GiB/s. Those of older versions have none. Some
// are differences of two, which may be below 0: then it cost nothing.
void add_costs(const std::string& name, const Json& json, bool are_rates, StoredResult& result) {
  if (json.is_array())
    for (const Json& entry : json)
      add_costs(one_line(name + name_of_entry(entry)), entry, false, result);
  if (!json.is_object()) return;
  if (const auto values = json.find("values"); values != json.end()) {
    StoredRung rung{.name = name,
                    .settings = {{"step", name}},
                    .unit = std::string(are_rates ? "GiB/s" : kCostUnit)};
    for (const Json& value : *values)
      rung.rounds.push_back(are_rates ? figure(value) : std::max(figure(value), 0.0));
    return result.rungs.push_back(std::move(rung));
  }
  for (const auto& [key, value] : json.items())
    add_costs(one_line(name + (name.empty() ? "" : " ") + name_of_cost(key)), value,
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
    if (end.value("active", false) && end.at("stage").is_number_unsigned())
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

// "3:17": the line, and the character in it, of what is at `offset`.
std::string place_in(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto column = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
  return fmt::format("{}:{}", 1 + std::ranges::count(before, '\n'), 1 + column);
}

struct CsvField {
  std::string text;
  size_t offset;
};

// RFC 4180: a field may be in quotes, and have commas, newlines and doubled quotes in them.
class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  // The next row that isn't empty; nothing at the end.
  std::vector<CsvField> row() {
    while (at_ < text_.size() && take_end()) {
    }
    std::vector<CsvField> fields;
    if (at_ == text_.size()) return fields;
    do {
      if (fields.size() == kMostMembers)
        refuse(at_, fmt::format("more than {} fields", kMostMembers));
      fields.push_back(field());
    } while (take(","));
    take_end();
    return fields;
  }

  [[noreturn]] void refuse(size_t offset, std::string_view words) const {
    throw Error(fmt::format("{}:{}: {}", file_, place_in(text_, offset), words));
  }

 private:
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  bool take_end() { return take("\r\n") || take("\n"); }

  bool ends() const {
    const std::string_view rest = text_.substr(at_);
    return rest.empty() || rest.starts_with(',') || rest.starts_with('\n') ||
           rest.starts_with("\r\n");
  }

  CsvField field() {
    CsvField field{{}, at_};
    if (take("\"")) return in_quotes(std::move(field));
    while (!ends()) {
      if (text_[at_] == '"')
        refuse(at_,
               "a quote in a field without quotes: quote the field, and double the quotes in it");
      field.text += text_[at_++];
    }
    return field;
  }

  // The first quote is taken.
  CsvField in_quotes(CsvField field) {
    for (bool doubled = true; doubled;) {
      const size_t quote = text_.find('"', at_);
      if (quote == text_.npos) refuse(field.offset, "a quote that is never closed");
      field.text += text_.substr(at_, quote - at_);
      at_ = quote + 1;
      doubled = take("\"");
      if (doubled) field.text += '"';
    }
    if (!ends()) refuse(at_, "after a closing quote a comma or the end of the line is expected");
    return field;
  }

  const std::string& file_;
  std::string_view text_;
  size_t at_ = 0;
};

constexpr std::string_view kArticlesRate = "gibibytes_per_second";  // which a pipe's table has

std::string_view unit_of_column(std::string_view column) {
  if (column == kArticlesRate) return "GiB/s";
  for (const WorkloadEntry& entry : workloads())
    if (column == entry.terms.unit.key) return entry.terms.unit.rate;
  return {};
}

// A row is a round; those with the same settings are one rung.
void read_csv(std::string_view text, StoredResult& result) {
  result.kind = "table";
  CsvReader reader(result.file, text);
  const std::vector<CsvField> columns = reader.row();
  const auto is_unit = [](const CsvField& column) { return !unit_of_column(column.text).empty(); };
  if (std::ranges::none_of(columns, is_unit))
    reader.refuse(0, "a table without a column of rates, as run and ladder write with --csv");
  std::map<std::map<std::string, std::string>, size_t> rungs;
  for (std::vector<CsvField> fields;
       result.rungs.size() <= kMostRungs && !(fields = reader.row()).empty();) {
    if (fields.size() != columns.size())
      reader.refuse(fields[std::min(fields.size() - 1, columns.size())].offset,
                    fmt::format("{} fields, and {} columns", fields.size(), columns.size()));
    StoredRung row;
    double rate = 0;
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::string& column = columns[c].text;
      if (column == "name") row.name = fields[c].text;
      if (find_knob(column) && column != "observers") row.settings[column] = fields[c].text;
      if (!is_unit(columns[c])) continue;
      row.unit = unit_of_column(column);
      rate = parse_all<double>(fields[c].text).value_or(-1);
      if (!is_rate(rate))
        reader.refuse(fields[c].offset,
                      fmt::format("{}: \"{}\" is no rate", column, one_line(fields[c].text)));
    }
    if (row.name.empty() && !row.settings.empty())
      row.name = row.settings.begin()->first + " " + row.settings.begin()->second;
    const auto [at, is_new] = rungs.emplace(row.settings, result.rungs.size());
    if (is_new) result.rungs.push_back(std::move(row));
    result.rungs[at->second].rounds.push_back(rate);
  }
}

// A result as JSON, of which a hostile one would take all memory, or the stack of who walks it.
class JsonReader {
 public:
  JsonReader(const std::string& file, std::string_view text)
      : file_(file), text_(text), in_(std::string(text)) {}

  Json read() {
    try {
      return Json::parse(in_, [this](int depth, Json::parse_event_t event, const Json&) {
        check(static_cast<size_t>(depth), event);
        return true;
      });
    } catch (const Json::exception& e) {
      const std::string_view words = e.what();
      // "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while ..."
      const size_t syntax = words.find("syntax error");
      refuse(fmt::format("no JSON: {}; {}",
                         one_line(words.substr(std::min(syntax, words.find("] ") + 2))), kGive));
    }
  }

 private:
  using Event = Json::parse_event_t;

  void check(size_t depth, Event event) {
    if (event == Event::object_end || event == Event::array_end) return;
    if (depth > kMostDepth) refuse(fmt::format("nested deeper than {}", kMostDepth));
    members_.resize(depth + 2);
    if (event == Event::object_start) members_[depth + 1] = 0;
    if (event != Event::key && ++values_ > kMostValues)
      refuse(fmt::format("more than {} values", kMostValues));
    if (event == Event::key && ++members_[depth] > kMostMembers)
      refuse(fmt::format("an object of more than {} members", kMostMembers));
  }

  // What was read last.
  [[noreturn]] void refuse(std::string_view words) {
    const auto read = size_t(in_.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in));
    throw Error(
        fmt::format("{}:{}: {}", file_, place_in(text_, std::max<size_t>(read, 1) - 1), words));
  }

  const std::string& file_;
  std::string_view text_;
  std::istringstream in_;
  std::vector<size_t> members_;  // of the objects around, by their depth
  size_t values_ = 0;
};

void read_json(std::string_view text, StoredResult& result) {
  const Json root = JsonReader(result.file, text).read();
  if (!root.is_object()) throw Error(fmt::format("{}: no result: {}", result.file, kGive));
  const auto kind = std::ranges::find_if(
      kKinds, [&](const Kind& candidate) { return root.contains(candidate.mark); });
  if (kind == std::end(kKinds))
    throw Error(fmt::format(
        "{}: no result of run, ladder, tune, limits or watch, which have rates to compare",
        result.file));
  result.kind = kind->name;
  try {
    result.host = host_of(root);
    if (const Json host = root.value("host", Json::object()); host.is_object())
      if (const Json steal = host.value("steal_share", Json()); steal.is_number())
        result.steal = share(steal);
    result.doubts = doubts_of(root);
    kind->add(root, result);
  } catch (const nlohmann::json::exception& e) {
    throw Damage(one_line(e.what()));
  }
}

void check_rounds(const StoredResult& result) {
  if (result.rungs.size() > kMostRungs)
    throw Error(fmt::format("{}: more than {} rungs", result.file, kMostRungs));
  for (const StoredRung& rung : result.rungs) {
    if (rung.rounds.size() > kMostRounds)
      throw Error(fmt::format("{}: {}: more than {} rounds", result.file, rung.name, kMostRounds));
    const auto bad = std::ranges::find_if_not(rung.rounds, is_rate);
    if (bad == rung.rounds.end()) continue;
    throw Damage(fmt::format("{}: round {} is {}; a {} is 0 or more", rung.name,
                             bad - rung.rounds.begin() + 1,
                             std::isfinite(*bad) ? fmt::format("{:g}", *bad) : "no number",
                             rung.unit == kCostUnit ? "cost" : "rate"));
  }
}

bool names_rates(std::string_view text) {
  return text.find(kArticlesRate) != text.npos ||
         std::ranges::any_of(workloads(), [&](const WorkloadEntry& entry) {
           return text.find(entry.terms.unit.key) != text.npos;
         });
}

}  // namespace

std::map<std::string, std::string> stored_settings(const Settings& settings) {
  return settings_of(knobs_json(settings));
}

StoredResult read_stored_result(const std::string& file, std::string_view text) {
  if (text.size() > kMostResultBytes)
    throw Error(fmt::format("{}: larger than {}: no result of pipetop", file,
                            format_size(kMostResultBytes)));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == text.npos ? '\0' : text[begin];
  StoredResult result{.file = file};
  try {
    if (first == '{' || first == '[')
      read_json(text, result);
    else if (names_rates(text))
      read_csv(text, result);
    else
      throw Error(fmt::format("{}: no result: {}", file, kGive));
    for (StoredRung& rung : result.rungs) rung.name = one_line(rung.name);
    check_rounds(result);
  } catch (const Damage& e) {
    throw Error(fmt::format("{}: a damaged {}: {}", file, result.kind, e.what()));
  }
  std::erase_if(result.rungs, [](const StoredRung& rung) { return rung.rounds.empty(); });
  if (result.rungs.empty())
    throw Error(fmt::format("{}: a {} without rates: nothing was measured", file, result.kind));
  return result;
}

}  // namespace pipetop::tui

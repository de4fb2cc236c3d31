#include "tui/print/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

constexpr int kSchema = 1;  // of all JSON

std::string dump(Json json, const Json& tree, int indent) {
  json.update(tree);
  return json_dump(json, indent) + "\n";
}

// As in RFC 4180, but without line breaks inside fields.
std::string csv_field(const std::string& text) {
  std::string clean = one_line(text);
  if (text.find_first_of(",\"\r\n") == text.npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string csv_value(const Json& row, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  if (!row.contains(at) || row[at].is_null()) return {};
  const Json& value = row[at];
  if (value.is_string()) return csv_field(value.get<std::string>());
  return value.is_number_float() ? fmt::format("{:.6f}", value.get<double>()) : value.dump();
}

std::string human_text(const Document& document) { return printable(document.human); }

constexpr Format kFormats[] = {
    {"human", Holds::any_result, human_text, human_text},
    {"json", Holds::any_result, json_text},
    {"jsonl", Holds::intervals, json_line, json_line},
    {"csv", Holds::runs, csv_text},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format& find_format(std::string_view name) {
  const Format* found = std::ranges::find(kFormats, name, &Format::name);
  assert(found != std::end(kFormats));
  return *found;
}

void add_columns(Columns& columns, const std::string& prefix, const std::string& pointer,
                 const std::vector<std::string_view>& names) {
  for (const std::string_view name : names)
    columns.push_back({fmt::format("{}{}", prefix, name), fmt::format("{}/{}", pointer, name)});
}

std::string json_text(const Document& document) {
  return dump({{"schema", kSchema}}, document.tree, 2);
}

std::string json_line(const Document& document) {
  return dump({{"schema", kSchema}, {"type", document.type}}, document.tree, -1);
}

std::string folded_text(std::string_view root, const CallTree& tree) {
  std::vector<std::string> stacks, lines;
  for (const CallNode& node : tree.nodes) {
    const std::string_view caller = node.parent == CallNode::kNone ? root : stacks[node.parent];
    stacks.push_back(fmt::format("{};{}", caller, node.function.name()));
    if (node.self > 0) lines.push_back(fmt::format("{} {}\n", stacks.back(), node.self));
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string csv_header(const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(csv_field(column.name));
  return fmt::format("{}\n", fmt::join(names, ","));
}

std::string csv_rows(const Document& document) {
  std::string text;
  for (const Json& row : document.rows) {
    std::vector<std::string> values;
    for (const Column& column : document.columns) values.push_back(csv_value(row, column.pointer));
    text += fmt::format("{}\n", fmt::join(values, ","));
  }
  return text;
}

std::string csv_text(const Document& document) {
  return csv_header(document.columns) + csv_rows(document);
}

}  // namespace pipetop::tui

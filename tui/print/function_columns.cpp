#include "tui/print/function_columns.h"

#include <fmt/core.h>

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr size_t kWidth = 48;
constexpr size_t kNameWidth = kWidth - 16;

std::string fitted(const std::string& text) {
  return fmt::format("{:<{}.{}}", text, kWidth, kWidth);
}

// "write_very_lo~": which end of a name matters is not known; the start reads better.
std::string cut(std::string_view name) {
  if (name.size() <= kNameWidth) return std::string(name);
  return std::string(name.substr(0, kNameWidth - 1)) + "~";
}

}  // namespace

Lines function_column(const WorkerView& worker, size_t rows) {
  const std::string& role = worker.name;
  if (!worker.functions.has_value())
    return {fitted(fmt::format("  {}: {}", role, worker.functions.reason))};
  const FunctionTable& table = *worker.functions;
  std::string heading = fmt::format("  {}: {} samples", role, table.samples);
  if (table.lost > 0) heading += fmt::format(", {} lost", table.lost);
  Lines lines = {fitted(heading), fitted("   self  child  function")};
  for (const FunctionRow& row : table.rows()) {
    if (lines.size() >= rows + 2) break;
    lines.push_back(
        fitted(fmt::format("  {:>5.1f}  {:>5.1f}  {}", 100 * table.share(row.self_samples),
                           100 * table.share(row.children_samples), cut(row.name))));
  }
  return lines;
}

std::string side_by_side(const Lines& left, const Lines& right) {
  std::string text;
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = (i < left.size() ? left[i] : std::string(kWidth, ' ')) + " " +
                       (i < right.size() ? right[i] : std::string());
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace pipetop::tui

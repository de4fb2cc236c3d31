#include "tui/print/human_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/judge/change_words.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// `wait` covers both roles if they agree, `writer.cpu` covers placement cpus.
bool is_said_by_another(const Knob& knob, const Settings& settings) {
  const bool waits_agree = settings.pipe.writer_wait == settings.pipe.reader_wait;
  if (knob.name == "writer.wait" || knob.name == "reader.wait") return waits_agree;
  if (knob.name == "placement") return settings.pipe.placement == Placement::cpus;
  if (knob.name == "writer.cpu" || knob.name == "reader.cpu")
    return settings.pipe.placement != Placement::cpus;
  return false;
}

std::string fitted(std::string_view text, char align, int width) {
  const std::string_view shown = beginning(text, width);
  const int blanks = width - columns_of(shown);
  const int before = align == '>' ? blanks : align == '^' ? blanks / 2 : 0;
  return std::string(size_t(before), ' ') + std::string(shown) +
         std::string(size_t(blanks - before), ' ');
}

}  // namespace

// The reference is exactly itself.
std::string factor_text(const RatioInterval& ratio) {
  const bool exact = ratio.low == ratio.high;
  return fmt::format("{:.2f}{}", ratio.ratio, exact ? "" : interval_text(ratio.low, ratio.high));
}

std::string two_decimals(const Reading<double>& value) {
  return value.has_value() ? fmt::format("{:.2f}", *value) : kUnknown;
}

std::string shown_rate(const Reading<double>& rate) {
  return rate.has_value() ? rate_text(*rate) : kUnknown;
}

std::string machine_text(const HostInfo& host) {
  return fmt::format("{}, {}, {}{}Linux {}", host.cpu, counted(uint64_t(host.cpus), "CPU"),
                     host.hypervisor, host.hypervisor.empty() ? "" : ", ", host.kernel);
}

std::vector<std::pair<std::string_view, std::string>> changed_knob_values(
    const Settings& settings) {
  const Settings defaults;
  std::vector<std::pair<std::string_view, std::string>> changed;
  for (const Knob& knob : knobs_of(settings)) {
    std::string value = knob.get(settings);
    if (!value.empty() && value != knob.get(defaults) && !is_said_by_another(knob, settings))
      changed.emplace_back(knob.name, std::move(value));
  }
  return changed;
}

std::string changed_knobs(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : changed_knob_values(settings))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text.empty() ? "all defaults" : text;
}

int TextTable::width_of(size_t column) const {
  int width = std::max(columns_[column].least, columns_of(columns_[column].heading));
  for (const Cells& cells : rows_)
    if (column + 1 < cells.size() || (column < cells.size() && cells.size() == columns_.size()))
      width = std::max(width, columns_of(cells[column]));
  return std::min(width, columns_[column].most);
}

std::string TextTable::line(const Cells& cells, const std::vector<int>& widths) const {
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool runs_on = i + 1 == cells.size() && cells.size() < columns_.size();
    text += (i == 0 ? "" : "  ") +
            (runs_on ? cells[i] : fitted(cells[i], columns_[i].align, widths[i]));
  }
  return text.erase(text.find_last_not_of(' ') + 1) + "\n";
}

std::string TextTable::text() const {
  std::vector<int> widths;
  Cells headings;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width_of(i));
    headings.push_back(columns_[i].heading);
  }
  const bool has_headings = std::ranges::any_of(headings, [](const auto& h) { return !h.empty(); });
  std::string text = has_headings ? line(headings, widths) : "";
  for (const Cells& cells : rows_) text += line(cells, widths);
  return text;
}

}  // namespace pipetop::tui

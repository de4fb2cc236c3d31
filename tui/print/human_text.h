// What human-readable texts are made of: phrases and tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/meter/statistics.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

inline constexpr const char* kUnknown = "?";
std::string two_decimals(const Reading<double>& value);  // "1.31", or kUnknown
std::string factor_text(const RatioInterval& ratio);     // "1.08 [0.89 .. 1.63]"
std::string shown_rate(const Reading<double>& rate);     // as rate_text() shows it, or kUnknown

std::string machine_text(const HostInfo& host);  // "AMD EPYC, 2 CPUs, KVM, Linux 6.18.44"

// Name and value of each knob that differs from its default, in the order of the table.
std::vector<std::pair<std::string_view, std::string>> changed_knob_values(const Settings& settings);

// "write_with vmsplice, pages thp"; "all defaults" if nothing differs.
std::string changed_knobs(const Settings& settings);

struct TextColumn {
  std::string heading;
  char align = '<';  // or '>' or '^'
  int least = 0, most = 1 << 20;
};

// Columns are as wide as their widest cell on the screen.
class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // The last cell of a short row extends over the missing columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // One line for the headings, if there are any, and one per row.
  std::string text() const;

 private:
  using Cells = std::vector<std::string>;
  int width_of(size_t column) const;
  std::string line(const Cells& cells, const std::vector<int>& widths) const;

  std::vector<TextColumn> columns_;
  std::vector<Cells> rows_;
};

}  // namespace pipetop::tui

#include "tui/widgets/function_list.h"

#include <algorithm>

#include "tui/dashboard/pen.h"
#include "tui/widgets/columns.h"
#include "tui/widgets/numbers.h"

namespace pipetop::tui {
namespace {

constexpr int kNumberCols = 13;  // " 39.1   45.0 "

struct Columns {
  int name = kNumberCols, name_cols = 0;
  int bar = 0, bar_cols = 0;
};

// Names get what the longest usual ones need, bars the rest.
Columns columns_for(int cols) {
  Columns c;
  const int room = cols - kNumberCols;
  c.bar_cols = room >= 24 ? std::max(room / 3, room - 40) : 0;
  c.name_cols = room - c.bar_cols - (c.bar_cols > 0 ? 1 : 0);
  c.bar = c.name + c.name_cols + 1;
  return c;
}

void draw_header(const Area& area, const Columns& columns, const FunctionTable& table) {
  area.put(0, 0, " self  child ", Style::dim);
  const std::string_view unit = area.cols() >= 50 ? " samples" : area.cols() >= 32 ? " smp" : "";
  std::string samples = grouped_text(table.samples) + std::string(unit);
  if (unit.empty() && table.lost == 0) samples += " smp";
  const std::string lost =
      table.lost > 0 ? fmt::format(" {} lost", grouped_text(table.lost)) : std::string();
  const int words = static_cast<int>(samples.size() + lost.size());
  if (columns.name + 9 + words <= area.cols()) area.put(0, columns.name, "function", Style::dim);
  const int col = area.put(0, std::max(columns.name, area.cols() - words), samples, Style::dim);
  area.put(0, col, lost, Style::warning);
}

void draw_row(const Area& area, const Columns& columns, const FunctionTable& table,
              const FunctionRow& row, const FunctionListView& view) {
  const Style role = view.role == Role::writer ? Style::writer : Style::reader;
  const double self = table.share(row.self_samples);
  Pen(area, 0)
      .print(Style::value, "{:>5}", percent_text(self))
      .print(Style::dim, "{:>7}", percent_text(table.share(row.children_samples)));
  area.put_fitted(0, columns.name, columns.name_cols, row.name, Style::plain);
  if (columns.bar_cols > 0)
    draw_bar(area.part({0, columns.bar, 1, columns.bar_cols}), self / view.full_bar, role);
}

void draw_table(const Area& area, const FunctionListView& view) {
  const FunctionTable& table = *view.functions;
  const Columns columns = columns_for(area.cols());
  const int visible = visible_functions(area.rows());
  const int header = area.rows() - visible;
  if (header > 0) draw_header(area, columns, table);
  const int count = static_cast<int>(table.rows.size());
  for (int i = 0; i < visible && view.list.scroll + i < count; ++i) {
    const int index = view.list.scroll + i;
    const Area line = area.from_row(header + i, 1);
    draw_row(line, columns, table, table.rows[static_cast<size_t>(index)], view);
    if (index == view.list.selected && view.focused)
      line.part({0, 0, 1, columns.name + columns.name_cols}).set_ink(0, {Style::plain, kReverse});
  }
}

}  // namespace

void draw_function_list(const Area& area, const FunctionListView& view) {
  if (area.empty()) return;
  if (view.functions.has_value()) {
    draw_table(area, view);
  } else {
    draw_absence(area, "functions", view.functions.status, view.functions.reason);
  }
}

void follow(ListState& list, const Reading<FunctionTable>& functions, int visible) {
  if (!functions.has_value()) return;
  const auto& rows = functions->rows;
  const int count = static_cast<int>(rows.size());
  if (list.selected >= 0) {
    const auto found = std::ranges::find(rows, list.name, &FunctionRow::name);
    if (found != rows.end()) list.selected = static_cast<int>(found - rows.begin());
    list.selected = std::min(list.selected, count - 1);
  }
  visible = std::max(visible, 1);
  if (list.selected >= 0) {
    list.scroll = std::clamp(list.scroll, list.selected - visible + 1, list.selected);
  }
  list.scroll = std::clamp(list.scroll, 0, std::max(0, count - visible));
}

}  // namespace pipetop::tui

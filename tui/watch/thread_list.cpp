#include "tui/watch/thread_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

constexpr double kWorthSaying = 0.005;  // of its time
constexpr int kLeastWaits = 12;         // columns

struct ThreadCell {
  std::string text;
  Ink ink = Style::value;
};

ThreadCell tid_cell(const StageThread& thread) { return {std::to_string(thread.tid)}; }
ThreadCell name_cell(const StageThread& thread) { return {thread.name, Style::plain}; }
ThreadCell role_cell(const StageThread& thread) {
  const Style style = thread.reads ? Style::reader : thread.writes ? Style::writer : Style::plain;
  return {std::string(thread.role()), style};
}
ThreadCell state_cell(const StageThread& thread) {
  const StateSign sign = sign_of(thread.state);
  return {std::string(sign.word), sign.style};
}
template <double StageShares::*kShare>
ThreadCell share_cell(const StageThread& thread) {
  const auto text = [](const StageShares& shares) { return whole_percent_text(shares.*kShare); };
  return {text_of(thread.shares, text), value_style(thread.shares)};
}

struct ThreadColumn {
  std::string_view heading;
  int cols;  // with the gap after it
  ThreadCell (*cell)(const StageThread& thread);
  bool is_number = false;
};
// From left to right. On a narrow screen those at the right are left out.
constexpr ThreadColumn kThreadColumns[] = {
    {"tid", 8, tid_cell, true},
    {"name", 14, name_cell},
    {"CPU", 6, share_cell<&StageShares::on_cpu>, true},
    {"role", 14, role_cell},
    {"state", 10, state_cell},
    {"reading", 8, share_cell<&StageShares::reading>, true},
    {"writing", 8, share_cell<&StageShares::writing>, true},
    {"runnable", 9, share_cell<&StageShares::runnable>, true},
};

// "lock 93 %, pipe 81234 5 %", the longest first.
std::string waits_text(const StageThread& thread) {
  if (!thread.shares.has_value()) return std::string(why_of(thread.shares.reason));
  std::vector<std::pair<double, std::string>> waits;
  for (size_t i = 0; i < kWaits; ++i)
    waits.emplace_back(thread.shares->elsewhere[i], name_of(static_cast<WaitsFor>(i)));
  for (const ThreadPipe& one : thread.pipes)
    waits.emplace_back(one.share, fmt::format("pipe {}", one.pipe.inode));
  std::ranges::stable_sort(waits, std::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> said;
  for (const auto& [share, what] : waits)
    if (share >= kWorthSaying)
      said.push_back(fmt::format("{} {}", what, whole_percent_text(share)));
  return fmt::format("{}", fmt::join(said, ", "));
}

void put_thread_cell(const Area& line, int col, const ThreadColumn& column,
                     const ThreadCell& cell) {
  const Area area = line.part({0, col, 1, column.cols - 1});
  if (column.is_number)
    area.put_right(0, cell.text, cell.ink);
  else
    area.put_fitted(0, 0, area.cols(), cell.text, cell.ink);
}

// Those that fit, from left to right. Returns the column after them.
template <class Visit>
int for_each_place(int cols, Visit visit) {
  int col = 0;
  for (const ThreadColumn& column : kThreadColumns) {
    if (col + column.cols - 1 > cols) break;
    visit(column, col);
    col += column.cols;
  }
  return col;
}

// What isn't on the screen, at the right, if there is room.
void put_more(const Area& line, const Stage& stage, const ListState& list) {
  std::string text = list.scroll > 0 ? fmt::format("▴ {} more above", list.scroll) : "waits for";
  if (const size_t listed = stage.thread_list.size(); listed < stage.threads)
    text = fmt::format("the busiest {} of {}", listed, stage.threads);
  const int end = for_each_place(line.cols(), [](const ThreadColumn&, int) {});
  line.put(0, end, whole_words(text, line.cols() - end), Style::mark);
}

}  // namespace

void list_threads(ListContents& contents, const Stage& stage, std::string_view filter) {
  contents = {};
  CallRows rows;
  for (const StageThread& thread : stage.thread_list)
    if (contains(thread.name, filter) || contains(thread.role(), filter) ||
        contains(std::to_string(thread.tid), filter))
      rows.push_back({.name = thread.name, .path = static_cast<PathId>(thread.tid)});
  contents.rows = Reading<CallRows>::of(std::move(rows));
}

void draw_thread_list(const Area& area, const Stage& stage, const ListState& list, bool focused) {
  if (area.empty()) return;
  const auto rows = rows_of(list);
  const int header = list_header_rows(area.rows());
  if (header > 0) {
    const Area line = area.from_row(0, 1);
    for_each_place(line.cols(), [&](const ThreadColumn& column, int col) {
      put_thread_cell(line, col, column, {std::string(column.heading), Style::dim});
    });
    put_more(line, stage, list);
  }
  if (rows.empty()) area.put_fitted(header, 1, area.cols() - 1, "no thread matches", Style::dim);
  for (int row = header; row < area.rows(); ++row) {
    const auto at = static_cast<size_t>(list.scroll + row - header);
    if (at >= rows.size()) break;
    const auto thread =
        std::ranges::find(stage.thread_list, static_cast<int>(rows[at].path), &StageThread::tid);
    if (thread == stage.thread_list.end()) continue;
    const Area line = area.from_row(row, 1);
    const int end = for_each_place(line.cols(), [&](const ThreadColumn& column, int col) {
      put_thread_cell(line, col, column, column.cell(*thread));
    });
    if (end + kLeastWaits <= line.cols())
      line.put(0, end, whole_clauses(waits_text(*thread), line.cols() - end), Style::dim);
    if (focused && static_cast<int>(at) == list.selected) line.set_ink(0, {Style::plain, kReverse});
  }
}

}  // namespace pipetop::tui

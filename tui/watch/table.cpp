#include "tui/watch/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostEnded = 200;  // that are marked at a time
constexpr int kDeepest = 6;

using Rows = std::vector<const PipeRow*>;

// The processes that move data at an end.
template <class Visit>
void visit_processes(const std::vector<StageEnd>& ends, Visit visit) {
  for (const StageEnd& end : ends)
    if (end.active) visit(end.end.process);
}

// One pipeline's rows in the order of the flow. A process is passed once, so that one with
// thousands of pipes takes no longer than they are many.
class GraphOrder {
 public:
  explicit GraphOrder(const Rows& rows) : rows_(rows) {
    for (const PipeRow* row : rows) {
      visit_processes(row->pipe.writers, [&](ProcessId p) { written_by_[p].push_back(row); });
      visit_processes(row->pipe.readers, [&](ProcessId p) { readers_.insert(p); });
    }
  }

  std::vector<TableRow> take() {
    for (const PipeRow* row : rows_)
      if (is_source(*row)) visit(row, 0);
    for (const PipeRow* row : rows_) visit(row, 0);  // circles have no source
    for (size_t i = 0; i < order_.size() && order_.size() > 1; ++i)
      order_[i].bracket = i == 0                   ? Bracket::first
                          : i + 1 == order_.size() ? Bracket::last
                                                   : Bracket::middle;
    return std::move(order_);
  }

 private:
  bool is_source(const PipeRow& row) const {
    bool source = true;
    visit_processes(row.pipe.writers, [&](ProcessId p) { source &= !readers_.contains(p); });
    return source;
  }

  // Not recursive: a chain can be as long as there are pipes.
  void visit(const PipeRow* first, int first_depth) {
    std::vector<TableRow> next = {{first, {}, {}, first_depth}};
    while (!next.empty()) {
      const TableRow at = next.back();
      next.pop_back();
      if (!visited_.insert(at.row).second) continue;
      order_.push_back(at);
      Rows after;
      visit_processes(at.row->pipe.readers, [&](ProcessId p) {
        if (!passed_.insert(p).second) return;
        const auto written = written_by_.find(p);
        if (written == written_by_.end()) return;
        for (const PipeRow* row : written->second)
          if (!visited_.contains(row)) after.push_back(row);
      });
      const int depth = std::min(at.depth + (after.size() > 1 ? 1 : 0), kDeepest);
      for (auto row = after.rbegin(); row != after.rend(); ++row)
        next.push_back({*row, {}, {}, depth});
    }
  }

  const Rows& rows_;
  std::map<ProcessId, Rows> written_by_;
  std::set<ProcessId> readers_, passed_;
  std::set<const PipeRow*> visited_;
  std::vector<TableRow> order_;
};

// Pipelines in the order of their first rows.
std::vector<TableRow> as_tree(const Rows& rows) {
  std::unordered_map<size_t, size_t> number;
  std::vector<Rows> pipelines;
  for (const PipeRow* row : rows) {
    const auto [entry, is_new] = number.try_emplace(row->pipeline, pipelines.size());
    if (is_new) pipelines.emplace_back();
    pipelines[entry->second].push_back(row);
  }
  std::vector<TableRow> tree;
  for (const Rows& one : pipelines) {
    if (one.size() == 1)
      tree.push_back({one.front()});
    else
      std::ranges::move(GraphOrder(one).take(), std::back_inserter(tree));
  }
  return tree;
}

int count_of(const TableState& table) { return static_cast<int>(table.rows.rows().size()); }

// ---- drawing ----

constexpr int kLegendRows = 20;  // from which on there is room for a legend

bool is_end(TableColumn what) { return what == TableColumn::writer || what == TableColumn::reader; }

// Where text that isn't a number begins in its column.
int text_col(TableColumn what, bool in_words) {
  if (is_end(what)) return in_words ? 0 : 2;
  return what == TableColumn::pipe ? 2 : 1;
}

char32_t bracket_glyph(Bracket bracket, const Glyphs& g) {
  if (bracket == Bracket::first) return g.top_left;
  return bracket == Bracket::middle ? g.branch : bracket == Bracket::last ? g.last_branch : U' ';
}

void draw_mark(const Area& area, const TableRow& at) {
  if (at.bracket != Bracket::none)
    area.set(0, area.cols() - 1, bracket_glyph(at.bracket, area.glyphs()), Style::frame);
  if (at.mark == RowMark::none) return;
  const bool added = at.mark == RowMark::added;
  area.set(0, 0, added ? U'+' : U'-', added ? Style::good : Style::warning);
}

// An anonymous pipe, a socket, a FIFO, or one whose both ends a process holds; or that it is
// locked.
void draw_link(const Area& area, const Pipe& pipe) {
  if (pipe.lock) return void(area.put(0, 1, "L", {Style::warning, kReverse}));
  const bool fifo = !pipe.path.empty(), marked = fifo || pipe.socket;
  area.put(0, 1,
           fifo          ? "F"
           : pipe.own    ? "o"
           : pipe.socket ? "S"
                         : "→",
           marked ? Style::mark : Style::dim);
}

void draw_end(const Area& area, const TableRow& at, Role end, bool in_words) {
  const PipeRow& row = *at.row;
  int col = end == Role::writer ? at.depth * 2 : 0;
  const Stage* stage = stage_at(row, end);
  if (stage && !in_words) {
    const StateSign look = sign_of(stage->state, row.pipe.id, end);
    area.put(0, col, look.sign, look.style);
  }
  if (!in_words) col += 2;
  const int room = area.cols() - col;
  area.put_fitted(0, col, room, end_text(row.pipe, row.stages, end, room),
                  stage ? style_of(end) : Style::dim);
}

void draw_cell(const Area& area, const TableRow& at, TableColumn what, bool in_words,
               uint64_t now_ns) {
  switch (what) {
    case TableColumn::mark:
      return draw_mark(area, at);
    case TableColumn::link:
      return draw_link(area, at.row->pipe);
    case TableColumn::writer:
    case TableColumn::reader:
      return draw_end(area, at, what == TableColumn::writer ? Role::writer : Role::reader,
                      in_words);
    default: {
      const PipeColumn& column = pipe_column(what);
      const PipeCell cell = column.cell(*at.row, now_ns);
      const int col = text_col(what, in_words);
      if (column.rank)
        area.put_right(0, cell.text, cell.ink);
      else
        area.put_fitted(0, col, area.cols() - col, cell.text, cell.ink);
    }
  }
}

void draw_headings(const Area& line, const std::vector<PlacedColumn>& columns,
                   const TableState& table, bool in_words) {
  for (const PlacedColumn& column : columns) {
    const PipeColumn& row = pipe_column(column.what);
    const Area area = line.part({0, column.col, 1, column.cols});
    const bool sorted =
        row.sort && (*row.sort == table.choice.sort ||
                     (column.what == TableColumn::level && table.choice.sort == PipeSort::size));
    std::string text(row.heading);
    if (column.what == TableColumn::level && table.choice.sort == PipeSort::size) text = "size";
    if (sorted) text.insert(0, line.glyphs().set == GlyphSet::unicode ? "▾" : "*");
    const Ink ink = sorted ? Style::value : Style::dim;
    const int col = text_col(column.what, in_words);
    if (row.rank)
      area.put_right(0, text, ink);
    else
      area.put(0, sorted && col > 0 ? col - 1 : col, text, ink);
  }
}

// In words nothing is left to explain of what the processes do.
void draw_legend(const Area& line, bool in_words, bool has_news, bool has_locked) {
  Pen pen(line, 0, 1);
  std::vector<std::string_view> others = {"F fifo", "S socket", "o internal", "~ estimated"};
  if (has_locked) others.insert(others.begin(), "L locked");
  if (has_news) others.insert(others.begin(), {"+ new", "- closed"});
  if (!in_words)
    for (const SignMeaning& sign : state_signs()) {
      if (pen.room() < columns_of(sign.meaning) + 3) return;
      pen.text(sign.sign, sign.style).text(" ").text(sign.meaning, Style::dim).skip(2);
    }
  for (const std::string_view more : others) {
    if (pen.room() < columns_of(more) + 1) return;
    pen.text(more, Style::dim).skip(2);
  }
}

std::string nothing_text(const TableState& table) {
  if (!table.rows.has_passed()) return "Scanning all pipes of this machine ...";
  if (table.rows.hidden() > 0)
    return fmt::format("no active pipes{}; i shows {} idle or internal ones",
                       table.choice.filter.empty() ? "" : " match", table.rows.hidden());
  if (!table.choice.filter.empty())
    return fmt::format("no pipe matches \"{}\"; Esc drops the filter", table.choice.filter);
  return "no pipes";
}

bool has_legend(int rows) { return rows >= kLegendRows; }

}  // namespace

bool is_idle(const PipeRow& row) {
  const Reading<double>& rate = row.pipe.bytes_per_s;
  // Of some sockets no rate is known: then it is always empty.
  const auto& level = row.pipe.level;
  const bool still = rate.has_value()
                         ? *rate < 1
                         : row.pipe.socket && level.has_value() && level->empty_share >= 1;
  if (!still) return false;
  return std::ranges::none_of(row.pipe.writers, [&](const StageEnd& end) {
    if (!end.active || end.stage >= row.stages.size()) return false;
    const StageState& state = row.stages[end.stage].state;
    return state.kind == StageState::Kind::waiting && state.wait == WaitsFor::pipe_write &&
           state.pipe == row.pipe.id;
  });
}

void TableRows::note_ended(const std::vector<Place>& places) {
  std::vector<Place> gone;
  std::ranges::set_difference(places_, places, std::back_inserter(gone), {}, &Place::pipe,
                              &Place::pipe);
  for (const Place& place : gone) {
    if (ended_.size() >= kMostEnded) return;
    ended_.push_back({pass_.get()[place.row], now_ns_});
    ended_.back().row.pipeline = SIZE_MAX - ended_before_++;  // connected to nothing any more
  }
}

void TableRows::update(const Snapshot& now) {
  now_ns_ = now.now_ns;
  if (first_ns_ == 0) first_ns_ = now.now_ns;
  while (!ended_.empty() && now_ns_ >= ended_.front().at_ns + kMarkStays_ns) ended_.pop_front();
  is_made_ = false;
  has_passed_ = now.table.has_passed;
  if (now.table.rows.data() == pass_.data()) return;
  std::vector<Place> places;
  places.reserve(now.table.rows.size());
  for (const PipeRow& row : now.table.rows) places.push_back({row.pipe.id, places.size()});
  if (!std::ranges::is_sorted(places, {}, &Place::pipe))  // usually they are
    std::ranges::sort(places, {}, &Place::pipe);
  note_ended(places);
  std::erase_if(ended_, [&](const Ended& ended) {
    return std::ranges::binary_search(places, ended.row.pipe.id, {}, &Place::pipe);
  });
  places_ = std::move(places);
  pass_ = now.table.rows;
}

RowMark TableRows::mark_of(const PipeRow& row) const {
  const uint64_t since = row.pipe.first_seen_ns;
  const bool young = since > first_ns_ && now_ns_ < since + kMarkStays_ns;
  return young ? RowMark::added : RowMark::none;
}

void TableRows::make(const TableChoice& choice, std::optional<PipeId> kept) {
  if (is_made_ && choice == made_for_ && kept == kept_) return;
  is_made_ = true;
  made_for_ = choice;
  kept_ = kept;
  Rows shown;
  hidden_ = 0;
  const auto is_wanted = [&](const PipeRow& row) {
    if (choice.sockets != SocketRows::beside &&
        row.pipe.socket.has_value() != (choice.sockets == SocketRows::alone))
      return false;
    return choice.filter.empty() || pipe_matches(row, choice.filter);
  };
  const auto is_hidden = [&](const PipeRow& row) {
    return !choice.all && kept != row.pipe.id && (row.pipe.own || is_idle(row));
  };
  for (const PipeRow& row : pass_.get()) {
    if (!is_wanted(row)) continue;
    if (is_hidden(row))
      ++hidden_;
    else
      shown.push_back(&row);
  }
  std::set<const PipeRow*> ended;
  for (const Ended& past : ended_) {
    if (!is_wanted(past.row) || is_hidden(past.row)) continue;
    ended.insert(&past.row);
    shown.push_back(&past.row);
  }
  sort_pipes(shown, choice.sort);
  rows_.clear();
  if (choice.tree)
    rows_ = as_tree(shown);
  else
    for (const PipeRow* row : shown) rows_.push_back({row});
  for (TableRow& row : rows_)
    row.mark = ended.contains(row.row) ? RowMark::ended : mark_of(*row.row);
}

const PipeRow* TableRows::find(PipeId pipe) const {
  const auto found = std::ranges::lower_bound(places_, pipe, {}, &Place::pipe);
  return found == places_.end() || found->pipe != pipe ? nullptr : &pass_[found->row];
}

const PipeRow* selected_row(const TableState& table) {
  const auto& rows = table.rows.rows();
  const auto at = static_cast<size_t>(table.at);
  return table.selected && at < rows.size() ? rows[at].row : nullptr;
}

void select(TableState& table, int row) {
  table.at = std::clamp(row, 0, std::max(0, count_of(table) - 1));
  if (count_of(table) > 0)
    table.selected = table.rows.rows()[static_cast<size_t>(table.at)].row->pipe.id;
}

void move_selection(TableState& table, int lines) {
  // The first press selects the top row, or what is in the place of the one that is gone.
  const bool first = !table.selected && lines == 1;
  select(table, table.at + (first ? 0 : std::clamp(lines, -count_of(table), count_of(table))));
}

void settle(TableState& table, int visible) {
  table.rows.make(table.choice, table.selected);
  const auto& rows = table.rows.rows();
  visible = std::max(visible, 1);
  const int before = table.at;
  if (table.selected) {
    const auto same = [&](const TableRow& row) { return row.row->pipe.id == *table.selected; };
    const auto found = std::ranges::find_if(rows, same);
    if (found != rows.end()) {
      table.at = static_cast<int>(found - rows.begin());
      table.scroll += table.at - before;
    } else {
      table.selected.reset();  // nobody has chosen what is in its place now
    }
  }
  table.at = std::clamp(table.at, 0, std::max(0, count_of(table) - 1));
  table.scroll = std::clamp(table.scroll, table.at - visible + 1, table.at);
  table.scroll = std::clamp(table.scroll, 0, std::max(0, count_of(table) - visible));
}

int table_rows_in(int rows) { return std::max(0, rows - 1 - (has_legend(rows) ? 1 : 0)); }

std::vector<PlacedColumn> table_columns(int cols, bool tree) {
  std::vector<PlacedColumn> columns;
  int room = cols - (tree ? 1 : 0);
  for (const PipeColumn& row : pipe_columns()) {
    const bool wanted = cols >= row.least_cols && cols <= row.most_cols;
    if (!wanted || row.cols > room) continue;
    columns.push_back({row.what, 0, row.cols + (tree && row.what == TableColumn::mark ? 1 : 0)});
    room -= row.cols;
  }
  std::ranges::sort(columns, {}, &PlacedColumn::what);
  int col = 0;
  for (PlacedColumn& column : columns) {
    if (column.what == TableColumn::writer) column.cols += room / 2;
    if (column.what == TableColumn::reader) column.cols += room - room / 2;
    column.col = col;
    col += column.cols;
  }
  return columns;
}

void draw_table(const Area& area, const TableState& table, uint64_t now_ns) {
  if (area.empty()) return;
  const auto columns = table_columns(area.cols(), table.choice.tree);
  const bool in_words =
      std::ranges::find(columns, TableColumn::writer_state, &PlacedColumn::what) != columns.end();
  draw_headings(area.from_row(0, 1), columns, table, in_words);
  const auto& rows = table.rows.rows();
  if (rows.empty()) wrap(area.part({2, 1, 3, area.cols() - 2}), nothing_text(table), Style::dim);
  const int visible = table_rows_in(area.rows());
  bool has_news = false, has_locked = false;
  for (int line = 0; line < visible; ++line) {
    const auto index = static_cast<size_t>(table.scroll + line);
    if (index >= rows.size()) break;
    const Area place = area.from_row(1 + line, 1);
    for (const PlacedColumn& column : columns)
      draw_cell(place.part({0, column.col, 1, column.cols}), rows[index], column.what, in_words,
                now_ns);
    has_news |= rows[index].mark != RowMark::none;
    has_locked |= rows[index].row->pipe.lock.has_value();
    if (rows[index].mark == RowMark::ended) place.set_ink(0, Style::dim);
    if (table.selected && static_cast<int>(index) == table.at)
      place.set_ink(0, {Style::plain, kReverse});
  }
  if (has_legend(area.rows()))
    draw_legend(area.from_row(area.rows() - 1, 1), in_words, has_news, has_locked);
}

}  // namespace pipetop::tui

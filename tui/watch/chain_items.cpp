#include "tui/watch/chain_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/judge/glossary.h"
#include "engine/process/threads.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/curve.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

constexpr Ink kFactorInk = Ink(Style::mark, kBold);  // of what a change gained

constexpr int kShareLines = 5;
constexpr int kShareCols = 5;  // "100 %"
constexpr int kItemGap = 2;
constexpr int kRoomyLine = 16;           // with a blank between sign and name
constexpr double kAsGoodAsNone = 0.005;  // is 0 %

struct SharePart {
  std::string_view name;
  Style style;
  char32_t glyph, letter;  // the letter where there are no shades
  double share = 0;
};

std::array<SharePart, kShareLines> parts_of(const StageShares& s) {
  const Elsewhere most = elsewhere_of(s);
  const bool named = most.share > 0 && most.rest < kAsGoodAsNone;  // else it is several
  return {{{"on CPU", Style::good, U'█', U'#', s.on_cpu},
           {"runnable", Style::mark, U'▓', U'+', s.runnable},
           {"reading", Style::reader, U'▒', U'r', s.reading},
           {"writing", Style::writer, U'░', U'w', s.writing},
           {named ? name_of(most.wait) : "other", Style::dim, U'·', U'-', most.share + most.rest}}};
}

char32_t glyph_of(const SharePart& part, const Glyphs& glyphs) {
  return glyphs.set == GlyphSet::ascii ? part.letter : part.glyph;
}

Style number_style(double share) { return share < kAsGoodAsNone ? Style::dim : Style::value; }

int item_columns(const SharePart& part) {
  return 2 + columns_of(part.name) + 1 + kShareCols + kItemGap;
}

void put_item(const Area& area, int row, int col, const SharePart& part) {
  area.set(row, col, glyph_of(part, area.glyphs()), part.style);
  Pen pen(area, row, col + 2);
  pen.text(part.name, Style::dim);
  // So that the next one doesn't move.
  const std::string text = whole_percent_text(part.share);
  pen.skip(1 + kShareCols - columns_of(text)).text(text, number_style(part.share));
}

// 100 % of the time fills the row.
void draw_share_bar(const Area& area, const StageShares& shares) {
  double sum = 0;
  int col = 0;
  for (const SharePart& part : parts_of(shares)) {
    sum += part.share;
    const int end = std::min(area.cols(), static_cast<int>(std::lround(sum * area.cols())));
    for (; col < end; ++col) area.set(0, col, glyph_of(part, area.glyphs()), part.style);
  }
}

// Returns the lines used: at most kShareLines.
int draw_share_lines(const Area& area, const StageShares& shares) {
  int row = 0;
  for (const SharePart& part : parts_of(shares)) {
    if (row >= area.rows()) break;
    const Area line = area.from_row(row++, 1);
    line.set(0, 0, glyph_of(part, area.glyphs()), part.style);
    const int col = line.cols() >= kRoomyLine ? 2 : 1;
    line.put_fitted(0, col, line.cols() - col - kShareCols, part.name, Style::dim);
    line.put_right(0, whole_percent_text(part.share), number_style(part.share));
  }
  return row;
}

constexpr int kCpuCols = 9;       // "CPU 100 %"
constexpr int kWideInside = 44;   // from which on the shares are side by side
constexpr int kFunctionRows = 4;  // of a tall box, at most

Ink name_ink(const StageShown& shown) {
  const Style style = shown.stage.gone       ? Style::dim
                      : !shown.blame.empty() ? Style::warning
                                             : Style::title;
  return {style, shown.selected ? kReverse : kNone};
}

TitlePart state_part(const Stage& stage) {
  if (stage.gone) return {"exited", Style::warning};
  const StateSign look = sign_of(stage.state);
  return {std::string(look.word), look.style};
}

std::vector<TitlePart> title_of(const StageShown& shown, int room) {
  std::vector<TitlePart> parts = {{name_of(shown.stage), name_ink(shown)}};
  const bool blamed = !shown.blame.empty();
  if (blamed) parts.push_back({"!", {Style::warning, kReverse}});
  if (title_columns(parts) > room)  // of a long name there is enough left; its number matters more
    parts.front().text = shortened(shown.stage.name, fmt::format(" {}", shown.stage.id.pid),
                                   room - (blamed ? 4 : 0));
  const auto add = [&](TitlePart part) {
    parts.push_back(std::move(part));
    if (title_columns(parts) > room) parts.pop_back();
  };
  if (blamed) {
    parts.back().text = fmt::format("! {}", shown.blame);
    if (title_columns(parts) > room) parts.back().text = "!";
  }
  add(state_part(shown.stage));
  const std::string unusual = unusual_text(shown.stage, shown.cpus);
  if (!unusual.empty()) add({unusual, Style::plain});
  for (const std::string& quota : quota_texts(shown.stage)) {
    const size_t before = parts.size();
    if (!quota.empty()) add({quota, quota_style(shown.stage)});
    if (parts.size() > before) break;
  }
  if (has_name(shown.stage.cgroup)) add({shown.stage.cgroup, Style::dim});
  return parts;
}

// Below the shares of a narrow box, whose title has no room for them.
int draw_cgroup_lines(const Area& area, const Stage& stage) {
  int row = 0;
  const auto texts = quota_texts(stage);
  if (!texts[0].empty() && !area.empty()) {
    const auto fits = std::ranges::find_if(
        texts, [&](const std::string& text) { return columns_of(text) <= area.cols(); });
    if (fits != texts.end()) {
      area.put(row, 0, *fits, quota_style(stage));
    } else if (stage.limits.quota) {
      area.put_fitted(row, 0, area.cols() - kShareCols - 1, "throttled", Style::dim);
      area.put_right(row, whole_percent_text(stage.limits.quota->share), quota_style(stage));
    }
    ++row;
  }
  if (has_name(stage.cgroup) && row < area.rows())
    area.put_fitted(row++, 0, area.cols(), stage.cgroup, Style::dim);
  return row;
}

Style cpu_style(const Stage& stage) { return stage.gone ? Style::dim : value_style(stage.cpu); }

// "CPU  97 %", always as wide.
int put_cpu(const Area& area, int row, const Stage& stage) {
  Pen pen(area, row);
  pen.text("CPU ", Style::dim);
  const std::string text = text_of(stage.cpu, whole_percent_text);
  pen.skip(std::max(0, kCpuCols - 4 - columns_of(text))).text(text, cpu_style(stage));
  return pen.col();
}

// What is left of a process.
std::string gone_text(const Stage& stage) {
  if (!stage.cpu_ns) return "it has exited";
  return fmt::format("it has exited, after {:.1f} s of CPU time",
                     static_cast<double>(*stage.cpu_ns) / 1e9);
}

std::string why_no_shares(const Stage& stage) {
  const std::string_view why = why_of(stage.shares.reason);
  return why.empty() ? "shares not known yet" : std::string(why);
}

// A wide box with one row: CPU, bar and shares beside each other.
void draw_in_a_row(const Area& area, const Stage& stage) {
  if (stage.gone)
    return void(area.put(0, 0, whole_clauses(gone_text(stage), area.cols()), Style::dim));
  const int col = put_cpu(area, 0, stage) + 2;
  if (!stage.shares.has_value()) {
    area.put(0, col, whole_words(why_no_shares(stage), area.cols() - col), Style::dim);
    return;
  }
  const int bar = std::clamp((area.cols() - col) / 5, 6, 40);
  draw_share_bar(area.part({0, col, 1, bar}), *stage.shares);
  draw_share_items(area.part({0, col + bar + 2, 1, area.cols()}), *stage.shares);
}

void draw_cpu_row(const Area& area, const Stage& stage) {
  const int col = put_cpu(area, 0, stage) + 1;
  if (stage.cpu.has_value())
    draw_bar(area.part({0, col, 1, area.cols()}), std::min(1.0, *stage.cpu), Style::graph);
}

void draw_functions(const Area& area, const StageShown& shown) {
  const Reading<FunctionTable>& functions = shown.stage.functions;
  if (!shown.hottest || !functions.has_value() || area.empty()) return;
  const auto count = static_cast<size_t>(std::min(area.rows(), kFunctionRows));
  const bool few = functions->samples < kTooFewSamples;
  int row = 0;
  for (const HotFunction& function : shown.hottest->first(*functions, count)) {
    const Area line = area.from_row(row++, 1);
    line.put_fitted(0, 0, line.cols() - 6, source_name(function.name), Style::plain);
    line.put_right(
        0,
        few ? counted_text(function.share, functions->samples) : whole_percent_text(function.share),
        Style::value);
  }
}

// The bar of the CPUs, that of the shares, and a line each for their numbers.
void draw_narrow(const Area& area, const StageShown& shown) {
  const Stage& stage = shown.stage;
  if (stage.gone) return void(wrap(area, gone_text(stage), Style::dim));
  draw_cpu_row(area.from_row(0, 1), stage);
  if (!stage.shares.has_value()) {
    wrap(area.from_row(1), why_no_shares(stage), Style::dim);
    return;
  }
  if (area.rows() < 3) return draw_share_bar(area.from_row(1), *stage.shares);
  draw_share_bar(area.from_row(1, 1), *stage.shares);
  int row = 2 + draw_share_lines(area.from_row(2), *stage.shares);
  row += draw_cgroup_lines(area.from_row(row), stage);
  draw_functions(area.from_row(row), shown);
}

void draw_wide(const Area& area, const StageShown& shown) {
  draw_in_a_row(area.from_row(0, 1), shown.stage);
  if (area.rows() < 2) return;
  area.put_fitted(1, 0, area.cols(), shown.stage.command, Style::dim);
  draw_functions(area.from_row(2), shown);
}

// ---- rings ----

// Passes over the whole machine are half a second apart, and more when it is busy.
constexpr uint64_t kLongestGap_ns = 3'000'000'000;
constexpr int kLeastStrip = 8, kMostStrip = 64;
constexpr int kLeastEnds = 14, kMostEnds = 40;

StripStyle strip_style(const Area& area, uint32_t slots) {
  StripStyle view;
  view.scale = strip_scale(slots, area.cols(), area.rows());
  view.thickness = view.scale.lines == 1 ? std::clamp(area.rows(), 1, 3) : 1;
  return view;
}

Bins bins_of(const Series<RatePoint>& points, uint64_t now_ns, const Area& area) {
  return bin_history(points, now_ns, area.cols() * bins_in_a_cell(area.glyphs()), kLongestGap_ns);
}

// A figure of the line, and how much it is needed: the lowest are kept.
struct RingField {
  Item item;
  int rank = 0;
  int cols = 0;  // always as wide, so that nothing moves
};

Item share_item(const Pipe& pipe, const char* name, double RingLevel::*share) {
  const auto text = [&](const RingLevel& s) { return whole_percent_text(s.*share); };
  Item item = item_of(pipe.level, name, "", text);
  item.width = 5;
  return item;
}

Item rate_item(const Pipe& pipe) {
  return {{}, pipe_rate_text(pipe), {}, {value_style(pipe.bytes_per_s), kBold}, 11};
}

// Its size, or that it is locked.
PipeCell size_cell(const RingShown& shown) {
  const Pipe& pipe = shown.pipe;
  const uint8_t reverse = shown.selected ? kReverse : kNone;
  if (pipe.lock) return {"locked", {Style::warning, reverse}};
  return {size_text(pipe.capacity), {pipe.capacity ? Style::value : Style::dim, reverse}};
}

// From left to right.
std::vector<RingField> fields_of(const RingShown& shown) {
  const Pipe& pipe = shown.pipe;
  // Where there is room for one of the two, it is the one that says more.
  const bool is_empty = pipe.level.has_value() && pipe.level->empty_share > pipe.level->full_share;
  const int full = is_empty ? 4 : 2;
  std::vector<RingField> fields = {
      {rate_item(pipe), 1, 11},
      {share_item(pipe, "full", &RingLevel::full_share), full, 10},
      {share_item(pipe, "empty", &RingLevel::empty_share), 6 - full, 11}};
  if (!shown.factor.empty()) fields.push_back({{{}, shown.factor, {}, kFactorInk, 5}, 3, 5});
  return fields;
}

// Those that leave enough room, with two blanks before each.
void choose_fields(std::vector<RingField>& fields, int room) {
  std::vector<int> ranks;
  for (const RingField& field : fields) ranks.push_back(field.rank);
  std::ranges::sort(ranks);
  std::vector<int> kept;
  for (const int rank : ranks) {
    const auto& field = *std::ranges::find(fields, rank, &RingField::rank);
    if (field.cols + 2 > room) continue;
    room -= field.cols + 2;
    kept.push_back(rank);
  }
  std::erase_if(fields, [&](const RingField& field) {
    return std::ranges::find(kept, field.rank) == kept.end();
  });
}

int columns_of_fields(const std::vector<RingField>& fields) {
  int cols = 0;
  for (const RingField& field : fields) cols += field.cols + 2;
  return cols;
}

void put_arrow(const Area& area, const RingShown& shown) {
  area.set(0, 0, shown.selected ? area.glyphs().closed : U' ', Style::focus);
  area.put(0, 2, "▾", Style::frame);
}

// The arrow, whose pipe it is, the slots, and the figures.
void draw_figures(const Area& line, const RingShown& shown) {
  put_arrow(line, shown);
  Pen pen(line, 0, 4);
  if (!shown.ends.empty()) {
    const int room = std::clamp(line.cols() / 3, kLeastEnds, kMostEnds);
    const int end = line.put_fitted(0, 4, room, shown.ends, Style::plain);
    pen.skip(end - 4 + 2);
  }
  const PipeCell size = size_cell(shown);
  pen.text(size.text, size.ink).skip(std::max(1, 9 - columns_of(size.text)));
  std::vector<RingField> fields = fields_of(shown);
  choose_fields(fields, pen.room() - kLeastStrip);
  const int strip = std::min(pen.room() - columns_of_fields(fields), kMostStrip);
  draw_fill(line.part({0, pen.col(), 1, strip}), shown);
  pen.skip(strip);
  for (const RingField& field : fields) {
    const std::array items = {field.item};
    pen.skip(2);
    put_items(line.part({0, pen.col(), 1, field.cols}), items);
    pen.skip(field.cols);
  }
}

void draw_histories(const Area& area, const RingShown& shown) {
  constexpr std::string_view kRate = "rate ", kLevel = "used ";
  const int half = (area.cols() - 4) / 2;
  const Area left = area.part({0, 4, area.rows(), half - 1});
  const Area right = area.part({0, 4 + half, area.rows(), area.cols()});
  const int last = area.rows() - 1;
  left.put(last, 0, kRate, Style::dim);
  draw_rates(left.part({0, columns_of(kRate), left.rows(), left.cols()}), shown);
  right.put(last, 0, kLevel, Style::dim);
  draw_levels(right.part({0, columns_of(kLevel), right.rows(), right.cols()}), shown);
}

}  // namespace

// Those with the largest shares that fit on a row, in their usual order.
void draw_share_items(const Area& area, const StageShares& shares) {
  const auto parts = parts_of(shares);
  std::array<size_t, kShareLines> by_share{};
  std::iota(by_share.begin(), by_share.end(), size_t{0});
  std::ranges::stable_sort(by_share, std::greater(),
                           [&](size_t i) { return std::lround(parts[i].share * 100); });
  std::array<bool, kShareLines> chosen{};
  int room = area.cols() + kItemGap;
  for (const size_t i : by_share) {
    if (item_columns(parts[i]) > room) break;
    room -= item_columns(parts[i]);
    chosen[i] = true;
  }
  int col = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!chosen[i]) continue;
    put_item(area, 0, col, parts[i]);
    col += item_columns(parts[i]);
  }
}

std::string unusual_text(const Stage& stage, size_t cpus) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (stage.threads > 1) add(fmt::format("{} threads", stage.threads));
  if (stage.nice != 0) add(fmt::format("nice {}", stage.nice));
  if (!stage.cpus.empty() && stage.cpus.size() < cpus)
    add(fmt::format("CPU {}", cpu_list(stage.cpus)));
  return text;
}

void draw_stage_box(Canvas& canvas, const Rect& rect, const StageShown& shown) {
  const auto title = title_of(shown, title_room(rect.cols));
  const Area area = draw_panel(canvas, Border::box, rect, title, shown.selected);
  if (area.empty()) return;
  if (area.cols() >= kWideInside)
    draw_wide(area, shown);
  else
    draw_narrow(area, shown);
}

void draw_stage_line(const Area& area, const StageShown& shown) {
  const Stage& stage = shown.stage;
  constexpr int kNameCols = 19;
  if (!shown.blame.empty()) area.put(0, 0, "!", {Style::warning, kReverse});
  const std::string name = shortened(stage.name, fmt::format(" {}", stage.id.pid), kNameCols);
  area.put(0, 2, name, name_ink(shown));
  int col = 2 + kNameCols + 1;
  const TitlePart state = state_part(stage);
  area.put(0, col, state.text, state.ink);
  col += 11;
  draw_in_a_row(area.part({0, col, 1, area.cols()}), stage);
}

void draw_fill(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  const RingReadings& ring = shown.memory.readings();
  const RingFrame* frame = drawable_frame(ring);
  if (!frame) {
    const std::optional<double> share = used_share_of(shown.pipe);
    if (!share && shown.pipe.lock)
      return void(area.put_fitted(0, 0, area.cols(), lock_text(*shown.pipe.lock), Style::warning));
    if (!share) return void(area.put(0, 0, whole_words("not known", area.cols()), Style::dim));
    const char32_t free = glyph_of(SlotKind::empty, false, area.glyphs());
    for (int row = 0; row < std::min(area.rows(), 2); ++row) {
      for (int col = 0; col < area.cols(); ++col) area.set(row, col, free, Style::frame);
      draw_bar(area.from_row(row, 1), *share, Style::graph);
    }
    return;
  }
  const StripStyle view = strip_style(area, frame->slots);
  if (shown.memory.fast() && !shown.instant && ring.occupancy.has_value())
    draw_settled_strip(area, frame->slots, view, *ring.occupancy,
                       usual_slot(ring.kinds, shown.memory.usually_huge()));
  else
    draw_strip(area, *frame, view);
}

void draw_rates(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  if (shown.pipe.rates.empty()) {
    area.put(area.rows() - 1, 0, text_of(shown.pipe.bytes_per_s, byte_rate_text), Style::dim);
    return;
  }
  const Bins bins = bins_of(shown.pipe.rates, shown.now_ns, area);
  const double most = *std::ranges::max_element(bins.values);
  draw_curve(area, bins, axis_end(most), Style::graph);
}

void draw_levels(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  if (shown.pipe.fill.empty()) return void(area.put(area.rows() - 1, 0, "n/a", Style::dim));
  draw_curve(area, bins_of(shown.pipe.fill, shown.now_ns, area), 1, Style::reader);
}

void draw_ring_line(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  draw_figures(area.from_row(0, 1), shown);
  if (area.rows() >= 2) draw_histories(area.from_row(1), shown);
}

void draw_ring_between(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  int row = 0;
  const auto put_middle = [&](const std::string& text, Ink ink) {
    const int col = std::max(0, (area.cols() - columns_of(text)) / 2);
    area.put_fitted(row++, col, area.cols(), text, ink);
  };
  const Pipe& pipe = shown.pipe;
  if (!shown.ends.empty()) put_middle(shown.ends, Style::mark);
  const PipeCell size = size_cell(shown);
  put_middle(size.text, size.ink);
  const int strip_rows = area.rows() >= 10 ? 2 : 1;
  draw_fill(area.part({row, 0, strip_rows, area.cols() - 2}), shown);
  area.put(row, area.cols() - 1, "→", shown.selected ? Style::focus : Style::frame);
  row += strip_rows;
  put_middle(pipe_rate_text(pipe), rate_item(pipe).ink);
  for (const Item& item : {share_item(pipe, "full", &RingLevel::full_share),
                           share_item(pipe, "empty", &RingLevel::empty_share)}) {
    const std::array items = {item};
    const int col = std::max(0, (area.cols() - item.columns()) / 2);
    put_items(area.part({row++, col, 1, area.cols()}), items);
  }
  if (!shown.factor.empty()) put_middle(shown.factor, kFactorInk);
  const int left = area.rows() - row;
  if (left < 2) return;
  // The histories, each above its name.
  const bool both = left >= 5;
  const int rate_rows = both ? (left - 1) / 2 : left - 1;
  draw_rates(area.from_row(row, rate_rows), shown);
  area.put(row + rate_rows, 0, "rate", Style::dim);
  if (!both) return;
  row += rate_rows + 1;
  draw_levels(area.from_row(row, area.rows() - row - 1), shown);
  area.put(area.rows() - 1, 0, "used", Style::dim);
}

}  // namespace pipetop::tui

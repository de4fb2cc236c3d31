#include "tui/watch/pipeline_view.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/judge/change_rules.h"
#include "engine/model/tables.h"
#include "engine/process/threads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/watch/chain_items.h"
#include "tui/watch/thread_list.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

constexpr int kTallDetail = 12;  // rows inside, from which on a stage is described above its list
constexpr int kStageRows = 3;    // that this takes
constexpr int kRingRows = 2;     // above the slots

bool is_focused(const PipelineState& state) { return state.focus != PipelineFocus::chain; }

int rows_above_list(int rows) { return rows >= kTallDetail ? kStageRows : 0; }

// ---- a stage ----

std::vector<TitlePart> stage_title(const Stage& stage, const PipelineState& state) {
  const bool running = state.choice.activity == Activity::running;
  return {{fmt::format("{} {}", stage.name, stage.id.pid), Style::title},
          {lists_threads(state) ? "threads"
           : running            ? "functions"
                                : "where its time goes",
           Style::plain}};
}

std::string cpus_of(const Stage& stage, size_t machine) {
  if (stage.cpus.empty()) return "?";
  return stage.cpus.size() >= machine ? "all CPUs" : "CPU " + cpu_list(stage.cpus);
}

void draw_stage_facts(const Area& area, const Stage& stage, size_t cpus) {
  area.put_fitted(0, 0, area.cols(), stage.command, Style::plain);
  std::vector<Item> items = {item_of(stage.cpu, "CPU", "", whole_percent_text),
                             {"threads", std::to_string(stage.threads), {}, Style::value},
                             {"nice", std::to_string(stage.nice), {}, Style::value},
                             {"may run on", cpus_of(stage, cpus), {}, Style::value},
                             {"age", age_text(stage.age_ns), {}, Style::value}};
  // Who has these is looked at for them.
  if (const std::string quota = quota_texts(stage)[0]; !quota.empty())
    items.insert(items.begin() + 1, {{}, quota, {}, quota_style(stage)});
  if (stage.pid_inside != 0)
    items.insert(items.begin() + 1,
                 {"pid", fmt::format("{}, {} inside", stage.id.pid, stage.pid_inside), {}});
  if (!stage.cgroup.empty()) items.push_back({"in", stage.cgroup, {}, Style::value});
  if (stage.cpu_ns)
    items.push_back({"CPU time",
                     fmt::format("{:.1f} s", static_cast<double>(*stage.cpu_ns) / 1e9),
                     {},
                     Style::value});
  put_items(area.from_row(1, 1), items);
  if (stage.shares.has_value()) draw_share_items(area.from_row(2, 1), *stage.shares);
}

void draw_stage_detail(const Area& area, const PipelineState& state, const Stage& stage) {
  const int above = rows_above_list(area.rows());
  if (above > 0) draw_stage_facts(area.from_row(0, above), stage, state.cpus);
  const Area list = area.from_row(above);
  if (lists_threads(state))
    draw_thread_list(list, stage, state.functions, is_focused(state));
  else
    draw_function_list(
        list, {.list = state.functions, .choice = state.choice, .focused = is_focused(state)});
}

// ---- a ring ----

std::vector<TitlePart> ring_title_of(const PipelineState& state, const Pipe& pipe) {
  const auto& stages = state.shown().stages;
  return {{name_of(pipe), Style::title},
          {fmt::format("{} → {}", ends_text(pipe, stages, Role::writer),
                       ends_text(pipe, stages, Role::reader)),
           Style::plain}};
}

void add_files(std::vector<Item>& items, const char* before, const std::optional<uint32_t>& files) {
  items.push_back({before, files ? std::to_string(*files) : "?", "open", Style::value});
}

void add_connection(std::vector<Item>& items, const SocketLink& socket) {
  if (!socket.tcp) return;
  items.push_back({"the far side has no room", whole_percent_text(socket.peer_full_share),
                   "of the samples", Style::value});
  if (socket.retries > 0)
    items.push_back({"unanswered", std::to_string(socket.retries), "times", Style::warning});
}

std::vector<std::vector<Item>> ring_facts(const RingShown& shown, bool recorded) {
  const Pipe& pipe = shown.pipe;
  std::vector<Item> first;
  if (pipe.ring) first.push_back({{}, grouped_text(pipe.ring->slots), "slots", Style::value});
  first.push_back({{}, size_text(pipe.capacity), {}, Style::value});
  const auto used = used_share_of(pipe);
  first.push_back({{}, used ? whole_percent_text(*used) : "?", "used", Style::value, 4});
  const auto add = [&](const char* before, double RingLevel::*share, const char* after) {
    first.push_back(item_of(pipe.level, before, after,
                            [&](const RingLevel& s) { return whole_percent_text(s.*share); }));
  };
  add("on average", &RingLevel::mean_share, "");
  add("full", &RingLevel::full_share, "");
  add("empty", &RingLevel::empty_share, "of the samples");
  const std::string range = range_text(pipe);
  const std::string how =
      fmt::format("estimated{}{}{}", range.empty() ? "" : " ", range, recorded ? "" : "; x counts");
  std::vector<Item> second = {
      {{}, pipe_rate_text(pipe), pipe.exact || pipe.socket ? "exact" : how, Style::value, 11}};
  if (pipe.lock)
    second.insert(second.begin(), {{}, lock_text(*pipe.lock), {}, {Style::warning, kBold}});
  if (pipe.total_bytes) second.push_back({{}, pipe_total_text(pipe), "so far", Style::value});
  if (!shown.factor.empty()) second.push_back({"change", shown.factor, {}, {Style::mark, kBold}});
  if (pipe.socket) {
    add_connection(second, *pipe.socket);
    return {first, second};
  }
  add_files(second, "writers", pipe.kernel_writers);
  add_files(second, "readers", pipe.kernel_readers);
  return {first, second};
}

// Rate and use side by side, with what they show below them; or how often it was how full.
void draw_charts(const Area& area, const RingShown& shown, RingPicture picture) {
  if (picture == RingPicture::histogram)
    return draw_occupancy(area, shown.memory.readings().occupancy);
  if (area.rows() < 2) return;
  const int half = (area.cols() - 2) / 2, rows = area.rows() - 1;
  draw_rates(area.part({0, 0, rows, half}), shown);
  draw_levels(area.part({0, half + 2, rows, area.cols()}), shown);
  area.part({rows, 0, 1, half}).put(0, 0, "rate, the last minute", Style::dim);
  area.part({rows, half + 2, 1, area.cols()}).put(0, 0, "used, 0 to 100 %", Style::dim);
}

void draw_ring_detail(const Area& area, const RingState& state, const RingShown& shown,
                      bool recorded) {
  const RingReadings& ring = shown.memory.readings();
  const bool known = drawable_frame(ring) != nullptr;
  const auto below = [&](const Area& rest) {
    if (!known) draw_fill(rest.from_row(0, 1), shown);
    draw_charts(known ? rest : rest.from_row(2), shown, state.picture);
  };
  draw_ring(area, {.ring = ring,
                   .state = state,
                   .now_ns = shown.now_ns,
                   .settled = shown.memory.fast() && !shown.instant && !state.inspected &&
                              ring.occupancy.has_value(),
                   .huge = shown.memory.usually_huge(),
                   .facts = ring_facts(shown, recorded),
                   .picture = below});
}

// ---- the verdict ----

// Fixed for a screen, so that nothing below moves with the text.
constexpr int verdict_rows(int screen_rows) {
  return screen_rows >= 36 ? 4 : screen_rows >= 22 ? 2 : 1;
}

struct KindMark {
  Verdict::Kind kind;
  std::string_view sign;
  Style style;
};
constexpr std::array<KindMark, kVerdictKinds> kKindMarks = {{
    {Verdict::Kind::writer, "!", Style::warning},
    {Verdict::Kind::reader, "!", Style::warning},
    {Verdict::Kind::lock, "=", Style::good},
    {Verdict::Kind::wakeup, "=", Style::good},
    {Verdict::Kind::cpu, "=", Style::good},
    {Verdict::Kind::unknown, "…", Style::dim},
    {Verdict::Kind::idle, "-", Style::dim},
    {Verdict::Kind::stage, "!", Style::warning},
    {Verdict::Kind::outside, "<", Style::mark},
    {Verdict::Kind::balanced, "=", Style::good},
    {Verdict::Kind::bursty, "*", Style::mark},
    {Verdict::Kind::deadlock, "X", Style::error},
    {Verdict::Kind::stopped, "T", Style::warning},
}};
static_assert(in_order(kKindMarks, &KindMark::kind));

// The advice, then a line for each clause if they fit, else one after the other.
void draw_evidence(Area area, const Verdict& verdict) {
  const std::vector<std::string>& evidence = verdict.evidence;
  if (!verdict.advice.empty()) {
    area.put(0, 0, whole_clauses(verdict.advice_line(), area.cols()), Style::title);
    area = area.from_row(1);
  }
  if (evidence.empty() || area.empty()) return;
  const bool each = static_cast<int>(evidence.size()) <= area.rows() &&
                    std::ranges::all_of(evidence, [&](const std::string& clause) {
                      return columns_of(clause) <= area.cols();
                    });
  if (!each) {
    const std::string text = fmt::format("{}", fmt::join(evidence, "; "));
    if (area.rows() == 1)
      area.put(0, 0, whole_clauses(text, area.cols()), Style::plain);
    else
      wrap(area, text, Style::plain);
    return;
  }
  for (size_t i = 0; i < evidence.size(); ++i)
    area.put(static_cast<int>(i), 0, evidence[i], Style::plain);
}

// ---- the last change ----

// None until there is one.
int change_rows(int screen_rows, const PipelineState& state) {
  if (!state.has_pipeline()) return 0;
  if (!state.snapshot->throughput.previous && !state.kept) return 0;
  return screen_rows >= 36 ? 2 : screen_rows >= 22 ? 1 : 0;
}

// What to do with it, after its words: "; u puts it back, K keeps it".
std::string offer_text(const PipelineState& state) {
  if (state.kept) return "; a ends the comparison";
  const size_t changes = state.snapshot->interventions.size();
  if (changes == 0 || state.recorded) return "";
  return changes == 1 ? "; u puts it back, K keeps it" : "; u puts it back, K keeps all";
}

// As the other lines have them: "nice 0 → -5".
std::string with_arrows(std::string text) {
  for (size_t at = 0; (at = text.find("->", at)) != text.npos;) text.replace(at, 2, "→");
  return text;
}

// What it did, or what all of them did since A; and the numbers that show why.
void draw_change(const Area& area, const PipelineState& state) {
  if (area.empty()) return;
  const Snapshot& s = *state.snapshot;
  const Reading<Change>& change = state.kept ? state.since_kept : s.change;
  const std::string label =
      with_arrows(state.kept ? fmt::format("A is \"{}\"", state.kept->segment->label)
                             : s.throughput.current.label);
  const Area text = area.part({0, 3, area.rows(), area.cols() - 4});
  const auto put = [&](int row, const std::string& line, Ink ink) {
    text.put(row, 0, whole_clauses(line, text.cols()), ink);
  };
  const bool tall = text.rows() > 1;
  const std::string offer = offer_text(state);
  if (!change.has_value())
    return put(0, fmt::format("{}: {}{}", label, why_of(change.reason), offer), Style::dim);
  const std::string line = line_of(*change, kPipelineTerms.unit);
  put(0,
      state.kept ? fmt::format("since A: {}", line) + (tall ? "" : offer)
                 : line + (tall ? "" : offer),
      {factor_style(*change), kBold});
  if (!tall) return;
  const std::string& evidence = change->evidence;
  put(1, fmt::format("{}{}{}{}", label, offer, evidence.empty() ? "" : "; ", evidence),
      Style::plain);
}

// ---- all of it ----

constexpr int kLeastDetail = 9;   // rows
constexpr int kBesideCols = 150;  // from which on chain and detail are beside each other
constexpr int kBoxedCols = 72;

void draw_detail(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state) {
  const auto panel = [&](std::span<const TitlePart> title) {
    return draw_panel(canvas, layout.border, layout.detail, title, is_focused(state));
  };
  if (const Stage* stage = selected_stage(state)) {
    draw_stage_detail(panel(stage_title(*stage, state)), state, *stage);
  } else if (const Pipe* pipe = selected_pipe(state)) {
    draw_ring_detail(panel(ring_title_of(state, *pipe)), state.ring,
                     ring_shown(state, selected_item(state)->index), state.recorded);
  }
}

void draw_log(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state) {
  const Reference reference = reference_of(state);
  draw_segment_log(canvas, layout.border, layout.log,
                   {*state.snapshot, reference, state.hottest, state.log.scroll});
}

// "bash 1200 holds a write end of pipe 8123, unused".
std::string holder_text(const Pipeline& pipeline, const ChainItem& item) {
  const Stage& stage = pipeline.stages[item.index];
  const Pipe& pipe = pipeline.pipes[item.pipe];
  const auto holds = [&](const std::vector<StageEnd>& ends) {
    return std::ranges::any_of(
        ends, [&](const StageEnd& end) { return end.stage == item.index && !end.active; });
  };
  const bool writes = holds(pipe.writers), reads = holds(pipe.readers);
  return fmt::format("{} {} holds {} of {}, unused", stage.name, stage.id.pid,
                     writes && reads ? "both ends"
                     : writes        ? "a write end"
                                     : "a read end",
                     name_of(pipe));
}

std::string ended_text(size_t stages) {
  return fmt::format("{} {} exited, with all {} pipes", stages,
                     stages == 1 ? "stage has" : "stages have", stages == 1 ? "its" : "their");
}

// For the last holder on the screen: how many more there is no room for.
std::string holder_text(const PipelineState& state, const ChainLayout& items,
                        const ChainItem& item) {
  const bool last = &item == &state.chain.items[items.items.back().item];
  if (!last || items.holders_left == 0) return holder_text(state.shown(), item);
  return fmt::format("{} more hold an unused end", items.holders_left);
}

void draw_item(Canvas& canvas, const Rect& rect, const ChainLayout& items,
               const PipelineState& state, const ChainItem& item) {
  const Area area(canvas, rect);
  switch (item.kind) {
    case ChainItem::Kind::stage: {
      const StageShown shown = stage_shown(state, item.index);
      if (items.form == ChainLayout::Form::lines)
        draw_stage_line(area, shown);
      else
        draw_stage_box(canvas, rect, shown);
      return;
    }
    case ChainItem::Kind::ring: {
      const RingShown shown = ring_shown(state, item.index);
      if (items.form == ChainLayout::Form::across)
        draw_ring_between(area, shown);
      else
        draw_ring_line(area, shown);
      return;
    }
    case ChainItem::Kind::ended:
      area.put(0, 1, ended_text(item.index), Style::dim);
      return;
    case ChainItem::Kind::holder:
      area.put(0, 1, whole_clauses(holder_text(state, items, item), area.cols() - 1), Style::dim);
  }
}

// How many are above and below, in the area's last column.
void draw_more(const Area& area, const ChainLayout& items) {
  const auto put = [&](int row, const char* sign, size_t count) {
    if (count == 0) return;
    const std::string text = fmt::format("{} {} more", sign, count);
    area.put(row, std::max(0, area.cols() - columns_of(text) - 1), text, Style::mark);
  };
  put(0, "▴", items.above);
  put(area.rows() - 1, "▾", items.below);
}

bool is_wide(const Rect& body, const ChainLayout& items) {
  return body.cols >= kBesideCols && items.form != ChainLayout::Form::across;
}

}  // namespace

void draw_pipeline_verdict(const Area& area, const Verdict& verdict) {
  if (area.empty()) return;
  const KindMark& mark = kKindMarks[static_cast<size_t>(verdict.kind)];
  const bool known = verdict.kind != Verdict::Kind::unknown;
  area.put(0, 1, mark.sign, {mark.style, known ? kReverse : kNone});
  const Area text = area.part({0, 3, area.rows(), area.cols() - 4});
  const std::string line = verdict.because.empty() ? "not known yet" : verdict.because;
  int used = 1;
  if (columns_of(line) <= text.cols())
    text.put(0, 0, line, {mark.style, known ? kBold : kNone});
  else if (area.rows() == 1)
    text.put(0, 0, whole_clauses(line, text.cols()), mark.style);
  else
    used = wrap(text.from_row(0, 2), line, mark.style);
  if (used < text.rows()) draw_evidence(text.from_row(used), verdict);
}

void draw_chain(Canvas& canvas, const Rect& chain, const ChainLayout& items,
                const PipelineState& state) {
  for (const PlacedItem& placed : items.items)
    draw_item(canvas, placed.rect, items, state, state.chain.items[placed.item]);
  draw_more({canvas, chain}, items);
}

Rect detail_list(const PipelineLayout& layout, const PipelineState& state) {
  if (layout.detail.empty() || !selected_stage(state)) return {};
  const Rect list = inside(layout.border, layout.detail);
  const int above = rows_above_list(list.rows);
  return {list.row + above, list.col, list.rows - above, list.cols};
}

std::optional<SlotsPlace> detail_slots(const PipelineLayout& layout, const PipelineState& state) {
  if (layout.detail.empty() || !selected_pipe(state)) return std::nullopt;
  const RingMemory& memory = ring_shown(state, selected_item(state)->index).memory;
  const auto place = place_slots(inside(layout.border, layout.detail), memory.readings(),
                                 state.ring, Pace::normal, kRingRows);
  return place && !place->plan.strip.empty() ? place : std::nullopt;
}

PipelineLayout pipeline_layout(const Rect& body, int screen_rows, const PipelineState& state) {
  PipelineLayout layout;
  const int verdict = std::min(verdict_rows(screen_rows), body.rows);
  layout.verdict = {body.row, body.col, verdict, body.cols};
  const int above = std::min(verdict + change_rows(screen_rows, state), body.rows);
  layout.change = {body.row + verdict, body.col, above - verdict, body.cols};
  const Rect rest = {body.row + above, body.col, body.rows - above, body.cols};
  layout.border = screen_rows >= 22 && body.cols >= kBoxedCols ? Border::box : Border::rule;
  layout.log = rest;
  if (state.focus == PipelineFocus::whole) {
    layout.detail = rest;
    return layout;
  }
  const auto lay_out = [&](const Rect& rect) {
    layout.chain = rect;
    const auto in_rows = [&](int rows) {
      return chain_layout(state.chain, rows, rect.cols, state.at, state.scroll);
    };
    layout.items = in_rows(rect.rows);
    // The first and the last row say how many there are above and below.
    if (layout.items.above + layout.items.below > 0) layout.items = in_rows(rect.rows - 1);
    if (layout.items.above > 0 && layout.items.below > 0) layout.items = in_rows(rect.rows - 2);
    const int down = layout.items.above > 0 ? 1 : 0;
    for (PlacedItem& placed : layout.items.items) {
      placed.rect.row += rect.row + down;
      placed.rect.col += rect.col;
    }
  };
  lay_out(rest);
  if (is_wide(rest, layout.items)) {
    const int cols = rest.cols * 11 / 20;
    layout.log = layout.detail = {rest.row, rest.col + cols + 1, rest.rows, rest.cols - cols - 1};
    lay_out({rest.row, rest.col, rest.rows, cols});
    return layout;
  }
  const int least = least_chain_rows(state.chain, rest.cols);
  if (rest.rows < least + kLeastDetail) return layout;
  const int most = std::max(least, std::min(layout.items.rows, rest.rows - kLeastDetail));
  lay_out({rest.row, rest.col, most, rest.cols});
  const int used = std::min(most, layout.items.rows);
  layout.chain.rows = used;
  layout.log = layout.detail = {rest.row + used, rest.col, rest.rows - used, rest.cols};
  return layout;
}

void draw_pipeline(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state,
                   std::string_view waiting_for) {
  if (!state.has_pipeline()) {
    const Rect& all = layout.verdict;
    wrap(Area(canvas, {all.row + 1, 2, 3, all.cols - 4}), waiting_for, Style::dim);
    return;
  }
  draw_pipeline_verdict({canvas, layout.verdict}, state.shown().verdict);
  draw_change({canvas, layout.change}, state);
  if (!layout.chain.empty()) draw_chain(canvas, layout.chain, layout.items, state);
  if (!layout.detail.empty()) draw_detail(canvas, layout, state);
  if (state.log.open) draw_log(canvas, layout, state);
}

}  // namespace pipetop::tui

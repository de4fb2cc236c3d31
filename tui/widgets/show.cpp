#include "tui/widgets/show.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/judge/change_words.h"
#include "engine/judge/glossary.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// Says what a role does, in words for an audience; "" for what goes without saying.
std::string_view word_of(std::string_view technique) {
  technique = technique.substr(0, technique.find(" → "));
  if (technique == "4k" || technique == "block") return {};
  if (technique == "thp") return "huge pages";
  if (technique == "hugetlb") return "huge pages (hugetlb)";
  return technique;
}

void draw_hot_row(const Area& area, const HotFunction& function, uint64_t samples, Style bar_style,
                  bool highlighted) {
  constexpr int kShareCols = 7;
  const int name_cols = std::clamp(area.cols() - kShareCols - 10, 22, 34);
  const bool few = samples < kTooFewSamples;
  const int bar_cols = few ? 0 : std::clamp(area.cols() - kShareCols - 1 - name_cols - 1, 0, 48);
  const std::string share =
      few ? counted_text(function.share, samples) : percent_text(function.share) + " %";
  area.part({0, 0, 1, kShareCols}).put_right(0, share, Style::value);
  const int name = kShareCols + 1;
  area.put_fitted(0, name, area.cols() - bar_cols - 1 - name, source_name(function.name),
                  Style::plain);
  if (bar_cols > 0)
    draw_bar(area.part({0, area.cols() - bar_cols, 1, bar_cols}), function.share, bar_style);
  if (highlighted) area.part({0, 0, 1, area.cols() - bar_cols}).set_ink(0, kHighlighted);
}

// A worker died, or is stopped: the digits are those of before.
bool stands_still(const Snapshot& s) {
  return std::ranges::any_of(roles_of(s.requested), [&](Role role) {
    const ProcessState state = s.worker(role).state;
    return state == ProcessState::restarting || state == ProcessState::stopped ||
           state == ProcessState::failed;
  });
}

}  // namespace

Reading<double> show_rate(const Snapshot& s) {
  if (s.change.has_value()) {
    Reading<double> rate = Reading<double>::of(s.change->after);
    rate.status = s.change.status;
    return rate;
  }
  const Reading<RateStats>& own = s.throughput.current.rate;
  if (!is_settled(own)) return Reading<double>::warming(own.reason);
  return {own.status, own->mean, own.reason};
}

void draw_show_rate(const Area& area, const Snapshot& s, DigitSize size, bool highlighted) {
  if (area.empty()) return;
  const Pace pace = pace_of(s);
  const Reading<double> rate = show_rate(s);
  const Unit& terms = unit_of(s.requested);
  const int unit_col = big_number_cols("88.8", size) + 1;
  if (!rate.has_value()) {
    area.put((area.rows() - 1) / 2, 0, "measuring", Style::dim);
    area.put(0, unit_col, terms.rate, Style::dim);
    return;
  }
  const RateUnit unit = rate_unit(*rate, pace, terms);
  const std::string number = rate_text(*rate * unit.per_unit);
  const Style style = is_damaged(s)                                            ? Style::error
                      : highlighted                                            ? Style::mark
                      : stands_still(s) || rate.status == ReadingStatus::stale ? Style::dim
                      : pace == Pace::slow_motion                              ? Style::warning
                                                                               : Style::graph;
  draw_big_number(area, number, size, {style, kBold});
  const int col = std::max(unit_col, big_number_cols(number, size) + 1);
  area.put(0, col, unit.name, highlighted ? kHighlighted : Ink(Style::value));
}

void draw_show_factor(const Area& area, const Snapshot& s, DigitSize size, bool highlighted) {
  const Reading<Change>& change = s.change;
  if (!change.has_value() || !(change->factor > 0) || !change->is_seen()) return;
  const std::string factor = gain_text(change->after, change->before, unit_of(s.requested));
  const Style style = highlighted                             ? Style::mark
                      : change.status == ReadingStatus::stale ? Style::dim
                                                              : factor_style(*change);
  while (size != DigitSize::half && big_number_cols(factor, size) > area.cols())
    size = size == DigitSize::huge ? DigitSize::full : DigitSize::half;
  draw_big_number(area, factor, size, {style, kBold});
}

void draw_show_change(const Area& area, const Snapshot& s) {
  const Reading<Change>& change = s.change;
  if (!change.has_value()) {
    // Before the first change there is nothing to say, and "measuring" is said by the rate.
    const bool first = !s.throughput.previous && s.throughput.segments.empty();
    if (!first && show_rate(s).has_value() && !change.reason.empty())
      area.put(0, 0, whole_clauses(why_of(change.reason), area.cols()), Style::dim);
    return;
  }
  const Unit& terms = unit_of(s.requested);
  const RateUnit unit = rate_unit(change->after, Pace::normal, terms);
  Pen pen(area, 0);
  pen.text(rate_beside(change->before, unit, Pace::normal, terms), Style::value);
  pen.text(" → ", Style::dim).text(rate_text(change->after * unit.per_unit), Style::value).skip(1);
  pen.text(unit.name, Style::plain).skip(3);
  if (change->factor > 0)
    pen.text(gain_text(change->after, change->before, terms) +
                 interval_text(change->low, change->high),
             {factor_style(*change), kBold})
        .skip(3);
  if (change->since_start <= 0) return;
  const std::string since = gain_text(change->after, change->after / change->since_start, terms);
  constexpr std::string_view kWords = " since the start";
  if (pen.room() < columns_of(since) + columns_of(kWords)) return;
  pen.text(since, {factor_style(change->since_start), kBold}).text(kWords, Style::plain);
}

void draw_show_cause(const Area& area, const Reading<Change>& change) {
  if (area.empty() || !change.has_value() || change->cause.empty()) return;
  const std::string& evidence = change->evidence;
  if (evidence.empty()) {
    wrap(area, change->cause, {Style::value, kBold});
  } else if (area.rows() >= 2) {
    area.put(0, 0, whole_clauses(change->cause, area.cols()), {Style::value, kBold});
    area.put(1, 0, whole_clauses(evidence, area.cols()), Style::plain);
  } else {
    const std::string cause = whole_clauses(change->cause, area.cols());
    const int col = area.put(0, 0, cause, {Style::value, kBold}) + 2;
    area.put(0, col, whole_clauses(evidence, area.cols() - col), Style::plain);
  }
}

std::vector<std::string_view> caption_lines(std::string_view caption, int cols) {
  std::vector<std::string_view> lines;
  while (!caption.empty() && caption.back() == '\n') caption.remove_suffix(1);
  while (!caption.empty()) {
    const std::string_view line = caption.substr(0, caption.find('\n'));
    const auto pieces = broken(line, cols);
    lines.insert(lines.end(), pieces.begin(), pieces.end());
    if (pieces.empty()) lines.push_back(line);
    caption.remove_prefix(std::min(caption.size(), line.size() + 1));
  }
  return lines;
}

void draw_show_caption(const Area& area, std::string_view caption, Style style) {
  const auto lines = caption_lines(caption, area.cols());
  for (int row = 0; row < area.rows() && row < static_cast<int>(lines.size()); ++row) {
    const std::string_view line = lines[static_cast<size_t>(row)];
    const bool more = row + 1 == area.rows() && row + 1 < static_cast<int>(lines.size());
    const std::string text =
        more ? whole_words(std::string(line) + " " + std::string(lines[size_t(row) + 1]),
                           area.cols())
             : std::string(line);
    area.put_fitted(row, 0, area.cols(), text.empty() ? line : text, style);
  }
}

void draw_hottest(const Area& area, const WorkerReadings& worker, const HottestFunctions& hottest,
                  std::string_view kept, std::string_view highlight) {
  if (area.empty()) return;
  if (!worker.functions.has_value()) {
    draw_absence(area, "functions", worker.functions.status, worker.functions.reason);
    return;
  }
  const auto functions = hottest.first(*worker.functions, kTopFunctions, kept);
  if (functions.empty()) area.put(0, 1, "no samples", Style::dim);
  int row = 0;
  for (const HotFunction& function : functions)
    draw_hot_row(area.from_row(row++, 1), function, worker.functions->samples,
                 style_of(worker.role), same_function(function.name, highlight));
}

std::string words_of(const Snapshot& s) {
  std::vector<std::string_view> words;
  for (const Role role : roles_of(s.requested)) {
    for (const std::string& technique : s.worker(role).technique) {
      const std::string_view word = word_of(technique);
      if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
  }
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " · ") + std::string(word);
  return text;
}

void draw_show_words(const Area& area, const Snapshot& s) {
  constexpr int kKeysCols = 6;
  const int room = area.cols() - 2 - kKeysCols - 2;
  std::string words = words_of(s);
  // Whole ones.
  while (columns_of(words) > room && words.rfind(" · ") != words.npos)
    words.resize(words.rfind(" · "));
  area.put_fitted(0, 1, room, words, Style::lit);
  const int keys = area.cols() - 1 - kKeysCols;
  area.put(0, area.put(0, keys, "?", Style::key) + 1, "keys", Style::plain);
}

}  // namespace pipetop::tui

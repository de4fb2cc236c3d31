#include "tui/watch/verdict_lines.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

struct KindMark {
  Bottleneck::Kind kind;
  std::string_view sign;
  Style style;
};
constexpr std::array<KindMark, 8> kSamples = {{
    {Bottleneck::Kind::unknown, "…", Style::dim},
    {Bottleneck::Kind::idle, "-", Style::dim},
    {Bottleneck::Kind::stage, "!", Style::warning},
    {Bottleneck::Kind::outside, "<", Style::mark},
    {Bottleneck::Kind::balanced, "=", Style::good},
    {Bottleneck::Kind::bursty, "*", Style::mark},
    {Bottleneck::Kind::deadlock, "X", Style::error},
    {Bottleneck::Kind::stopped, "T", Style::warning},
}};
static_assert(in_order(kSamples, &KindMark::kind));

// A line each if they fit, else one after the other.
void draw_evidence(const Area& area, const std::vector<std::string>& evidence) {
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

}  // namespace

void draw_verdict(const Area& area, const Bottleneck& bottleneck) {
  if (area.empty()) return;
  const KindMark& look = kSamples[static_cast<size_t>(bottleneck.kind)];
  const bool known = bottleneck.kind != Bottleneck::Kind::unknown;
  area.put(0, 1, look.sign, {look.style, known ? kReverse : kNone});
  const Area text = area.part({0, 3, area.rows(), area.cols() - 4});
  const std::string line = bottleneck.line.empty() ? "not known yet" : bottleneck.line;
  int used = 1;
  if (columns_of(line) <= text.cols())
    text.put(0, 0, line, {look.style, known ? kBold : kNone});
  else if (area.rows() == 1)
    text.put(0, 0, whole_clauses(line, text.cols()), look.style);
  else
    used = wrap(text.from_row(0, 2), line, look.style);
  if (!bottleneck.evidence.empty() && used < text.rows())
    draw_evidence(text.from_row(used), bottleneck.evidence);
}

}  // namespace pipetop::tui

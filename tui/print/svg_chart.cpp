#include "tui/print/svg_chart.h"

#include <algorithm>
#include <vector>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// Scoped to its own class, so that a page can embed the chart inline. Each element has one rule,
// and one more for dark mode.
constexpr const char* kStyle = R"(<style>
.pipetop-chart { font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.pipetop-chart .ground { fill: #ffffff; }
.pipetop-chart text { fill: #1b1f24; font-size: 20px; }
.pipetop-chart .title { font-size: 34px; font-weight: 700; }
.pipetop-chart .value { font-size: 24px; font-weight: 700; }
.pipetop-chart .quiet { fill: #57606a; font-size: 18px; font-weight: 400; }
.pipetop-chart .warning { fill: #b42318; font-size: 18px; font-weight: 700; }
.pipetop-chart .reference { fill: #8a4600; font-size: 18px; }
.pipetop-chart .grid { stroke: #d8dee4; stroke-width: 1; }
.pipetop-chart .bar { fill: #0b6bcb; }
.pipetop-chart .article { fill: url(#pipetop-chart-hatch); stroke: #b35c00; stroke-width: 2; }
.pipetop-chart .hatch { stroke: #b35c00; stroke-width: 3; }
.pipetop-chart .casing { stroke: #ffffff; stroke-width: 6; }
.pipetop-chart .whisker { stroke: #1b1f24; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.pipetop-chart .ground { fill: #14181d; }
.pipetop-chart text { fill: #e6edf3; }
.pipetop-chart .quiet { fill: #9aa4ae; }
.pipetop-chart .warning { fill: #ff7b72; }
.pipetop-chart .reference { fill: #ffb057; }
.pipetop-chart .grid { stroke: #343b44; }
.pipetop-chart .bar { fill: #4aa3ff; }
.pipetop-chart .article { stroke: #ffb057; }
.pipetop-chart .hatch { stroke: #ffb057; }
.pipetop-chart .casing { stroke: #14181d; }
.pipetop-chart .whisker { stroke: #ffffff; }
}
</style>
)";

constexpr int kTitleColumns = 32, kNoteColumns = 105;

}  // namespace

void SvgChart::text(const char* style, double x, double y, std::string_view words,
                    const char* anchor) {
  add("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y,
      anchor, xml_text(words));
}

void SvgChart::box(const char* style, double x, double y, double width, double height) {
  add("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", style,
      x, y, width, height);
}

void SvgChart::line(const char* style, double x1, double y1, double x2, double y2) {
  add("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
      y1, x2, y2);
}

void SvgChart::whisker(double from, double to, double y) {
  for (const char* style : {"casing", "whisker"}) {
    line(style, from, y, to, y);
    for (const double x : {from, to}) line(style, x, y - 7, x, y + 7);
  }
}

void SvgChart::rung_title(std::string_view title, double middle) {
  std::vector<std::string_view> lines = broken(title, kTitleColumns);
  const bool cut = lines.size() > 2;
  lines.resize(std::min<size_t>(lines.size(), 2));
  double y = middle + 7 - 12 * (double(lines.size()) - 1);
  for (size_t i = 0; i < lines.size(); ++i, y += 24)
    text("rung", kPlotLeft - 16, y, std::string(lines[i]) + (cut && i == 1 ? " …" : ""), "end");
}

void SvgChart::note(const char* style, const std::string& words) {
  for (const std::string_view row : broken(words, kNoteColumns)) {
    bottom_ += kLine;
    text(style, kMargin, bottom_, row);
  }
}

std::string SvgChart::svg(std::string_view title, const std::string& description) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pipetop-chart\" role=\"img\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
             "<title>{2}</title>\n<desc>{3}</desc>\n{4}"
             "<defs><pattern id=\"pipetop-chart-hatch\" width=\"8\" height=\"8\" "
             "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
             "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\"/></pattern></defs>\n"
             "<rect class=\"ground\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n",
             kWidth, bottom_ + kMargin / 2, xml_text(title), xml_text(description), kStyle) +
         body_ + "</svg>\n";
}

}  // namespace pipetop::tui

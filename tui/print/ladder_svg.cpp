#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/print/document.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

// Scoped to its own class, so that a page can embed the chart inline. Each element has one rule,
// and one more for dark mode.
constexpr const char* kLadderStyle = R"(<style>
.pipetop-ladder { font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.pipetop-ladder .ground { fill: #ffffff; }
.pipetop-ladder text { fill: #1b1f24; font-size: 20px; }
.pipetop-ladder .title { font-size: 34px; font-weight: 700; }
.pipetop-ladder .value { font-size: 24px; font-weight: 700; }
.pipetop-ladder .quiet { fill: #57606a; font-size: 18px; font-weight: 400; }
.pipetop-ladder .warning { fill: #b42318; font-size: 18px; font-weight: 700; }
.pipetop-ladder .reference { fill: #8a4600; font-size: 18px; }
.pipetop-ladder .grid { stroke: #d8dee4; stroke-width: 1; }
.pipetop-ladder .bar { fill: #0b6bcb; }
.pipetop-ladder .article { fill: url(#pipetop-ladder-hatch); stroke: #b35c00; stroke-width: 2; }
.pipetop-ladder .hatch { stroke: #b35c00; stroke-width: 3; }
.pipetop-ladder .casing { stroke: #ffffff; stroke-width: 6; }
.pipetop-ladder .whisker { stroke: #1b1f24; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.pipetop-ladder .ground { fill: #14181d; }
.pipetop-ladder text { fill: #e6edf3; }
.pipetop-ladder .quiet { fill: #9aa4ae; }
.pipetop-ladder .warning { fill: #ff7b72; }
.pipetop-ladder .reference { fill: #ffb057; }
.pipetop-ladder .grid { stroke: #343b44; }
.pipetop-ladder .bar { fill: #4aa3ff; }
.pipetop-ladder .article { stroke: #ffb057; }
.pipetop-ladder .hatch { stroke: #ffb057; }
.pipetop-ladder .casing { stroke: #14181d; }
.pipetop-ladder .whisker { stroke: #ffffff; }
}
</style>
)";

// Sizes in pixels, for the width of a slide.
constexpr double kWidth = 1280, kMargin = 40;
constexpr double kPlotLeft = 424, kPlotWidth = 610;  // the values are to the right of the bars
constexpr double kHead = 212;                        // title, words, legend
constexpr double kPitch = 68, kBarHeight = 30;       // of a rung; of our bar in it
constexpr double kArticleTop = 36, kArticleHeight = 14;
constexpr double kLine = 26;  // of running text
constexpr int kTitleColumns = 32, kNoteColumns = 105;
constexpr int kMostTicks = 8;

// A round step for an axis: 1, 2 or 5 times a power of ten.
double tick_step(double highest) {
  const double least = highest / kMostTicks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

double highest_figure(const LadderReport& report) {
  double highest = 0;
  for (size_t i = 0; i < report.rungs.size(); ++i) {
    const Reading<Spread>& rate = report.rungs[i].rate;
    highest = std::max(highest, report.preset(i).article_gib_per_s);
    if (rate.has_value()) highest = std::max({highest, rate->median, rate->upper});
  }
  return highest > 0 ? highest : 1;
}

class LadderChart {
 public:
  explicit LadderChart(const LadderReport& report)
      : report_(report),
        step_(tick_step(highest_figure(report_))),
        axis_end_(step_ * std::ceil(highest_figure(report_) / step_)) {}

  std::string svg() {
    draw_head();
    draw_legend();
    draw_axis();
    for (size_t i = 0; i < report_.rungs.size(); ++i) draw_rung(i);
    draw_notes();
    return opening() + body_ + "</svg>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format(format, std::forward<Args>(args)...);
  }

  void text(const char* style, double x, double y, std::string_view words,
            const char* anchor = "start") {
    add("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y,
        anchor, xml_text(words));
  }

  void box(const char* style, double x, double y, double width, double height) {
    add("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        style, x, y, width, height);
  }

  void line(const char* style, double x1, double y1, double x2, double y2) {
    add("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
        y1, x2, y2);
  }

  double x_of(double gib_per_s) const { return kPlotLeft + kPlotWidth * gib_per_s / axis_end_; }
  double top_of(size_t rung) const { return kHead + kPitch * double(rung); }
  double plot_bottom() const { return top_of(report_.rungs.size()); }

  // The height is known only after drawing.
  std::string opening() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pipetop-ladder\" role=\"img\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
        "<title>Pipe throughput, rung by rung</title>\n<desc>{2}</desc>\n{3}"
        "<defs><pattern id=\"pipetop-ladder-hatch\" width=\"8\" height=\"8\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"8\"/></pattern></defs>\n"
        "<rect class=\"ground\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n",
        kWidth, bottom_ + kMargin / 2, xml_text(description()), kLadderStyle);
  }

  // For screen readers.
  std::string description() const {
    std::string words;
    for (size_t i = 0; i < report_.rungs.size(); ++i) {
      const Reading<Spread>& rate = report_.rungs[i].rate;
      words += fmt::format("{}: {}. ", report_.preset(i).title,
                           rate.has_value() ? rate_text(rate->median) + " GiB/s" : "not measured");
    }
    return words;
  }

  void draw_head() {
    text("title", kMargin, 60, "Pipe throughput, rung by rung");
    text("quiet", kMargin, 96, machine_of(report_));
    text("quiet", kMargin, 96 + kLine, method_of(report_));
  }

  void draw_legend() {
    constexpr double kY = 152, kMiddle = kY + 9, kText = kY + 16;
    box("bar", kMargin, kY, 44, 18);
    text("quiet", kMargin + 54, kText, "median here");
    draw_whisker(kMargin + 196, kMargin + 240, kMiddle);
    text("quiet", kMargin + 252, kText, "middle half of the rounds");
    text("quiet", kMargin + 504, kText, "×N: times the first rung, same round");
    box("article", kMargin + 866, kY + 2, 44, kArticleHeight);
    text("quiet", kMargin + 920, kText, "the article's machine");
  }

  void draw_axis() {
    const double bottom = plot_bottom();
    for (int i = 0; step_ * i <= axis_end_ * 1.0001; ++i) {
      line("grid", x_of(step_ * i), kHead - 12, x_of(step_ * i), bottom);
      text("quiet", x_of(step_ * i), bottom + kLine, fmt::format("{:g}", step_ * i), "middle");
    }
    text("quiet", kPlotLeft + kPlotWidth + 34, bottom + kLine, "GiB/s");
    bottom_ = bottom + kLine + 8;
  }

  void draw_title(size_t rung, double middle) {
    std::vector<std::string_view> lines = broken(report_.preset(rung).title, kTitleColumns);
    const bool cut = lines.size() > 2;
    lines.resize(std::min<size_t>(lines.size(), 2));
    double y = middle + 7 - 12 * (double(lines.size()) - 1);
    for (size_t i = 0; i < lines.size(); ++i, y += 24)
      text("rung", kPlotLeft - 16, y, std::string(lines[i]) + (cut && i == 1 ? " …" : ""), "end");
  }

  // With an outline, to be visible on the bar and outside of it.
  void draw_whisker(double from, double to, double y) {
    for (const char* style : {"casing", "whisker"}) {
      line(style, from, y, to, y);
      for (const double x : {from, to}) line(style, x, y - 7, x, y + 7);
    }
  }

  void draw_rung(size_t i) {
    const double top = top_of(i), middle = top + kBarHeight / 2;
    draw_title(i, middle + 8);
    const LadderRung& rung = report_.rungs[i];
    if (rung.rate.has_value())
      draw_rate(rung, top, middle);
    else
      text("quiet", kPlotLeft + 8, middle + 7, rung.rate.reason);
    draw_article(report_.preset(i).article_gib_per_s, top + kArticleTop);
  }

  void draw_rate(const LadderRung& rung, double top, double middle) {
    const Spread& rate = *rung.rate;
    box("bar", kPlotLeft, top, x_of(rate.median) - kPlotLeft, kBarHeight);
    if (rate.count > 1) draw_whisker(x_of(rate.lower), x_of(rate.upper), middle);
    const std::string ratio =
        rung.times_first.has_value() ? "  " + xml_text(ratio_text(rung.over_first.ratio)) : "";
    add("<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{}<tspan class=\"quiet\" dx=\"8\">"
        "GiB/s{}</tspan></text>\n",
        x_of(std::max(rate.median, rate.upper)) + 14, middle + 8, rate_text(rate.median), ratio);
  }

  void draw_article(double gib_per_s, double top) {
    const double baseline = top + kArticleHeight;
    if (gib_per_s <= 0) {
      text("reference", kPlotLeft + 8, baseline, "no figure in the article");
      return;
    }
    box("article", kPlotLeft, top, x_of(gib_per_s) - kPlotLeft, kArticleHeight);
    text("reference", x_of(gib_per_s) + 14, baseline, fmt::format("{:.1f}", gib_per_s));
  }

  void note(const char* style, const std::string& words) {
    for (const std::string_view row : broken(words, kNoteColumns)) {
      bottom_ += kLine;
      text(style, kMargin, bottom_, row);
    }
  }

  void draw_notes() {
    for (const std::string& line : conditions_of(report_)) note("quiet", line);
    for (const LadderFall& fall : report_.falls) note("quiet", fall.text);
    for (const std::string& line : mismatches_of(report_)) note("warning", line);
    const bool failed = report_.exit != Exit::untrustworthy;
    for (const std::string& warning : report_.warnings)
      note("warning", (failed ? "" : "Untrustworthy: ") + warning);
  }

  const LadderReport& report_;
  double step_, axis_end_;  // GiB/s
  double bottom_ = 0;       // of what is drawn so far
  std::string body_;
};

}  // namespace

std::string ladder_svg(const LadderReport& report) { return LadderChart(report).svg(); }

}  // namespace pipetop::tui

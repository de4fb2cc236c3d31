#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/print/document.h"
#include "tui/print/results.h"
#include "tui/print/svg_chart.h"

namespace pipetop::tui {
namespace {

// Pixels.
constexpr double kHead = 212;                   // title, words, legend
constexpr double kPitch = 68, kBarHeight = 30;  // of a rung; of our bar in it
constexpr double kArticleTop = 36, kArticleHeight = 14;
constexpr int kMostTicks = 8;
constexpr const char* kTitle = "Pipe throughput, rung by rung";

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

class LadderChart : SvgChart {
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
    return SvgChart::svg(kTitle, description());
  }

 private:
  double x_of(double gib_per_s) const { return kPlotLeft + kPlotWidth * gib_per_s / axis_end_; }
  double top_of(size_t rung) const { return kHead + kPitch * double(rung); }
  double plot_bottom() const { return top_of(report_.rungs.size()); }

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
    text("title", kMargin, 60, kTitle);
    text("quiet", kMargin, 96, machine_of(report_));
    text("quiet", kMargin, 96 + kLine, method_of(report_));
  }

  void draw_legend() {
    constexpr double kY = 152, kMiddle = kY + 9, kText = kY + 16;
    box("bar", kMargin, kY, 44, 18);
    text("quiet", kMargin + 54, kText, "median here");
    whisker(kMargin + 196, kMargin + 240, kMiddle);
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
    set_bottom(bottom + kLine + 8);
  }

  void draw_rung(size_t i) {
    const double top = top_of(i), middle = top + kBarHeight / 2;
    rung_title(report_.preset(i).title, middle + 8);
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
    if (rate.count > 1) whisker(x_of(rate.lower), x_of(rate.upper), middle);
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
};

}  // namespace

std::string ladder_svg(const LadderReport& report) { return LadderChart(report).svg(); }

}  // namespace pipetop::tui

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/experiment/compare.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/svg_chart.h"

namespace pipetop::tui {
namespace {

// Pixels.
constexpr double kRatiosTop = 168, kRatioPitch = 56, kDot = 12;
constexpr double kLeastWide = 1.05;  // the axis reaches from 1 to this at least
constexpr const char* kCompareTitle = "Two results, rung by rung";

// The ratios of a comparison with their intervals, on a logarithmic axis around 1.
class CompareChart : SvgChart {
 public:
  explicit CompareChart(const ResultComparison& comparison)
      : comparison_(comparison), end_(std::log(widest(comparison))) {}

  std::string svg() {
    text("title", kMargin, 60, kCompareTitle);
    text("quiet", kMargin, 96, fmt::format("{} → {}", comparison_.before, comparison_.after));
    text("quiet", kMargin, 96 + kLine,
         fmt::format("ratio of the rates, after over before, with its {:.4g} % interval",
                     100 * comparison_.level));
    draw_axis();
    std::string words;
    for (size_t i = 0; i < comparison_.rungs.size(); ++i) {
      draw_rung(comparison_.rungs[i], kRatiosTop + kRatioPitch * (double(i) + 0.5));
      words +=
          fmt::format("{}: {}. ", comparison_.rungs[i].name, outcome_text(comparison_.rungs[i]));
    }
    for (const FactChange& fact : comparison_.facts)
      note("quiet", fmt::format("{}: {} → {}", fact.fact, fact.before, fact.after));
    return SvgChart::svg(kCompareTitle, words);
  }

 private:
  // What is known of all rungs, to either side of 1.
  static double widest(const ResultComparison& comparison) {
    double most = kLeastWide;
    for (const RungChange& rung : comparison.rungs) {
      for (const double ratio : {rung.ratio.ratio, rung.ratio.low, rung.ratio.high})
        if (ratio > 0 && std::isfinite(ratio)) most = std::max({most, ratio, 1 / ratio});
    }
    return most;
  }

  // One of 0, or to 0, is at the end.
  double x_of(double ratio) const {
    return kPlotLeft + kPlotWidth / 2 * (1 + std::clamp(std::log(ratio) / end_, -1.0, 1.0));
  }

  void draw_axis() {
    const double bottom = kRatiosTop + kRatioPitch * double(comparison_.rungs.size());
    for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      const double ratio = std::exp(share * end_);
      line("grid", x_of(ratio), kRatiosTop - 12, x_of(ratio), bottom);
      text("quiet", x_of(ratio), bottom + kLine, fmt::format("×{:.3g}", ratio), "middle");
    }
    line("whisker", x_of(1), kRatiosTop - 12, x_of(1), bottom);
    set_bottom(bottom + kLine + 8);
  }

  void draw_rung(const RungChange& rung, double middle) {
    rung_title(rung.name, middle);
    const double at = x_of(rung.ratio.ratio);
    if (rung.ratio.is_known) whisker(x_of(rung.ratio.low), x_of(rung.ratio.high), middle);
    box("bar", at - kDot / 2, middle - kDot / 2, kDot, kDot);
    const double right = kPlotLeft + kPlotWidth + 14;
    const bool told =
        rung.outcome == RungChange::Outcome::faster || rung.outcome == RungChange::Outcome::slower;
    text(told ? "value" : "quiet", right, middle - 4,
         fmt::format("{} → {} {}", rate_text(rung.before), rate_text(rung.after), rung.unit));
    const std::string outcome = outcome_text(rung);
    text("quiet", right, middle + 20, outcome.substr(0, outcome.find(':')));  // as far as it fits
  }

  const ResultComparison& comparison_;
  double end_;  // of the axis, a logarithm
};

}  // namespace

std::string compare_svg(const ResultComparison& comparison) {
  return CompareChart(comparison).svg();
}

}  // namespace pipetop::tui

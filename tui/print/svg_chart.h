// A chart with a row per rung, as a self-contained SVG that follows the viewer's light or dark
// scheme.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace pipetop::tui {

// Sizes in pixels, for the width of a slide.
class SvgChart {
 public:
  static constexpr double kWidth = 1280, kMargin = 40;
  static constexpr double kPlotLeft = 424, kPlotWidth = 610;  // what is said of a bar is beside it
  static constexpr double kLine = 26;                         // of running text

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format(format, std::forward<Args>(args)...);
  }

  // `style` is a class of the style sheet; (x, y) is on the base line.
  void text(const char* style, double x, double y, std::string_view words,
            const char* anchor = "start");
  void box(const char* style, double x, double y, double width, double height);
  void line(const char* style, double x1, double y1, double x2, double y2);
  // With an outline, to be visible on a bar and outside of it.
  void whisker(double from, double to, double y);
  // Two lines at most, to the left of the plot.
  void rung_title(std::string_view title, double middle);
  // Below all that was drawn.
  void note(const char* style, const std::string& words);
  void set_bottom(double y) { bottom_ = y; }

  // `description` is for screen readers.
  std::string svg(std::string_view title, const std::string& description) const;

 private:
  double bottom_ = 0;  // of what is drawn so far
  std::string body_;
};

}  // namespace pipetop::tui

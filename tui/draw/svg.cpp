#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "tui/draw/picture.h"
#include "tui/draw/shapes.h"
#include "tui/draw/text.h"
#include "tui/draw/xml.h"

namespace pipetop::tui {
namespace {

constexpr int kFontSize = 20, kBaseline = 18;  // a cell is as wide as most fonts' characters
constexpr const char* kFonts =
    "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, Courier New, monospace";

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

Rgb mix(Rgb fore, Rgb back, double density) {
  const auto channel = [&](uint8_t f, uint8_t b) {
    return static_cast<uint8_t>(std::lround(b + (f - b) * density));
  };
  return {channel(fore.r, back.r), channel(fore.g, back.g), channel(fore.b, back.b)};
}

// Later ones cover earlier ones.
enum class SvgLayer : uint8_t { grounds, blocks, lines, dots, solids };
constexpr std::array<std::string_view, 5> kLayers = {
    "<g shape-rendering=\"crispEdges\">",
    "<g shape-rendering=\"crispEdges\">",
    "<g fill=\"none\" stroke-width=\"2\">",
    "<g fill=\"none\" stroke-width=\"4\" stroke-linecap=\"round\">",
    "<g>",
};

SvgLayer layer_of(Shape::Paint paint) {
  switch (paint) {
    case Shape::Paint::line:
      return SvgLayer::lines;
    case Shape::Paint::dots:
      return SvgLayer::dots;
    case Shape::Paint::solid:
      return SvgLayer::solids;
    default:
      return SvgLayer::blocks;
  }
}

// Fonts without them take them from another one, whose columns are wider or narrower.
bool is_in_every_font(char32_t c) { return c < 0x180; }

class SvgDrawing {
 public:
  SvgDrawing(const Canvas& canvas, const PictureStyle& style)
      : canvas_(canvas), style_(style), back_(background_of(style.theme).rgb) {}

  std::string svg() {
    for (int row = 0; row < canvas_.rows(); ++row) {
      for (int col = 0; col < canvas_.cols();) col = draw_run(row, col);
    }
    return opening() + shapes() + texts() + "</svg>\n";
  }

 private:
  struct CellRun {
    int row, col, end;
    CellColors tint;
    int x() const { return col * kCellWidth; }
    int y() const { return row * kCellHeight; }
    int width() const { return (end - col) * kCellWidth; }
  };

  CellColors look_at(int row, int col) const { return colors_of(canvas_.at(row, col).ink, style_); }

  // Of cells that look the same. Returns the column after it.
  int draw_run(int row, int col) {
    CellRun run{row, col, col + 1, look_at(row, col)};
    while (run.end < canvas_.cols() && look_at(row, run.end) == run.tint) ++run.end;
    if (run.tint.back != back_)
      paint(SvgLayer::grounds, run.tint.back,
            fmt::format("M{} {}h{}v{}h{}z", run.x(), run.y(), run.width(), kCellHeight,
                        -run.width()));
    for (int c = col; c < run.end;) c = draw_piece(run, c);
    return run.end;
  }

  // A shape, or a text. Returns the column after it.
  int draw_piece(const CellRun& run, int col) {
    const char32_t glyph = canvas_.at(run.row, col).glyph;
    if (glyph == U' ' || glyph == 0) return col + 1;
    CellRun piece{run.row, col, col + 1, run.tint};
    if (joins(glyph))
      while (piece.end < run.end && canvas_.at(run.row, piece.end).glyph == glyph) ++piece.end;
    const Shape shape = shape_of(glyph, piece.x(), piece.y(), piece.end - piece.col);
    if (shape.paint == Shape::Paint::none) return write(run, col);
    paint(layer_of(shape.paint), mix(run.tint.fore, run.tint.back, shape.density), shape.path);
    return piece.end;
  }

  char32_t glyph_in(const CellRun& run, int col) const {
    return col < run.end ? canvas_.at(run.row, col).glyph : U' ';
  }
  bool continues_text(const CellRun& run, int col) const {
    const char32_t c = glyph_in(run, col);
    return c != 0 && c != U' ' && is_in_every_font(c);
  }

  // Words with single blanks between them.
  int write(const CellRun& run, int col) {
    CellRun text{run.row, col, col + 1, run.tint};
    if (is_in_every_font(glyph_in(run, col))) {
      while (continues_text(run, text.end) ||
             (glyph_in(run, text.end) == U' ' && continues_text(run, text.end + 1)))
        ++text.end;
    } else if (text.end < run.end && canvas_.at(run.row, text.end).glyph == 0) {
      ++text.end;  // a wide character
    }
    add_text(text);
    return text.end;
  }

  void add_text(const CellRun& text) {
    std::string words;
    for (int col = text.col; col < text.end; ++col) {
      const char32_t c = canvas_.at(text.row, col).glyph;
      if (c != 0) append_utf8(words, c);
    }
    texts_[{hex(text.tint.fore), text.tint.bold}] += fmt::format(
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        text.x(), text.y() + kBaseline, text.width(), xml_text(words));
  }

  void paint(SvgLayer layer, Rgb color, const std::string& path) {
    paths_[static_cast<size_t>(layer)][hex(color)] += path;
  }

  std::string opening() const {
    const int width = canvas_.cols() * kCellWidth, height = canvas_.rows() * kCellHeight;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n<title>pipetop</title>\n<desc>{2}</desc>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"{3}\"/>\n",
        width, height, xml_text(description()), hex(back_));
  }

  // For screen readers: the title bar, without its gaps.
  std::string description() const {
    std::string words;
    for (const char c : canvas_.rows() > 0 ? canvas_.line(0) : std::string())
      if (c != ' ' || !words.ends_with(' ')) words += c;
    return words;
  }

  std::string shapes() const {
    std::string all;
    for (size_t layer = 0; layer < kLayers.size(); ++layer) {
      if (paths_[layer].empty()) continue;
      const bool strokes = kLayers[layer].find("stroke") != std::string_view::npos;
      all += fmt::format("{}\n", kLayers[layer]);
      for (const auto& [color, path] : paths_[layer])
        all +=
            fmt::format("<path {}=\"{}\" d=\"{}\"/>\n", strokes ? "stroke" : "fill", color, path);
      all += "</g>\n";
    }
    return all;
  }

  std::string texts() const {
    std::string all = fmt::format(
        "<g font-family=\"{}\" font-size=\"{}\" xml:space=\"preserve\">\n", kFonts, kFontSize);
    for (const auto& [tint, text] : texts_)
      all += fmt::format("<g fill=\"{}\"{}>\n{}</g>\n", tint.first,
                         tint.second ? " font-weight=\"700\"" : "", text);
    return all + "</g>\n";
  }

  const Canvas& canvas_;
  PictureStyle style_;
  Rgb back_;
  std::array<std::map<std::string, std::string>, kLayers.size()> paths_;  // by colour
  std::map<std::pair<std::string, bool>, std::string> texts_;  // by colour, and whether bold
};

}  // namespace

std::string svg_picture(const Canvas& canvas, const PictureStyle& style) {
  return SvgDrawing(canvas, style).svg();
}

}  // namespace pipetop::tui

#include "tui/draw/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr PictureFormat kPictureFormats[] = {
    {"text", ".txt", text_picture},
    {"svg", ".svg", svg_picture},
    {"ansi", ".ans", ansi_picture},
};

std::string sequence_of(const CellColors& tint) {
  const auto code = [](int layer, Rgb color) {
    return fmt::format("{};2;{};{};{}", layer, color.r, color.g, color.b);
  };
  return fmt::format("\033[0;{}{};{}m", tint.bold ? "1;" : "", code(38, tint.fore),
                     code(48, tint.back));
}

// A part of the cell, in eighths of it.
struct BlockShape {
  char32_t glyph;
  int left, top, right, bottom;
  double density = 1;
};
constexpr BlockShape kBlocks[] = {
    {U'▀', 0, 0, 8, 4},       {U'▁', 0, 7, 8, 8}, {U'▂', 0, 6, 8, 8},      {U'▃', 0, 5, 8, 8},
    {U'▄', 0, 4, 8, 8},       {U'▅', 0, 3, 8, 8}, {U'▆', 0, 2, 8, 8},      {U'▇', 0, 1, 8, 8},
    {U'█', 0, 0, 8, 8},       {U'▉', 0, 0, 7, 8}, {U'▊', 0, 0, 6, 8},      {U'▋', 0, 0, 5, 8},
    {U'▌', 0, 0, 4, 8},       {U'▍', 0, 0, 3, 8}, {U'▎', 0, 0, 2, 8},      {U'▏', 0, 0, 1, 8},
    {U'▐', 4, 0, 8, 8},       {U'▔', 0, 0, 8, 1}, {U'░', 0, 0, 8, 8, 0.4}, {U'▒', 0, 0, 8, 8, 0.65},
    {U'▓', 0, 0, 8, 8, 0.85}, {U'■', 1, 2, 7, 6},
};

// Which sides of the cell a line goes to from its middle.
enum Arms : uint8_t { kUp = 1, kDown = 2, kLeft = 4, kRight = 8, kRound = 16 };
struct LineShape {
  char32_t glyph;
  int arms;
};
constexpr LineShape kLines[] = {
    {U'─', kLeft | kRight},
    {U'│', kUp | kDown},
    {U'┌', kDown | kRight},
    {U'┐', kDown | kLeft},
    {U'└', kUp | kRight},
    {U'┘', kUp | kLeft},
    {U'├', kUp | kDown | kRight},
    {U'┤', kUp | kDown | kLeft},
    {U'┬', kDown | kLeft | kRight},
    {U'┴', kUp | kLeft | kRight},
    {U'┼', kUp | kDown | kLeft | kRight},
    {U'╭', kDown | kRight | kRound},
    {U'╮', kDown | kLeft | kRound},
    {U'╯', kUp | kLeft | kRound},
    {U'╰', kUp | kRight | kRound},
};

constexpr char32_t kBraille = 0x2800, kBrailleEnd = 0x2900;
constexpr int kMiddleX = kCellWidth / 2, kMiddleY = kCellHeight / 2;

template <class Table>
const auto* find_shape(const Table& table, char32_t glyph) {
  const auto found = std::ranges::find(table, glyph, [](const auto& row) { return row.glyph; });
  return found == std::end(table) ? nullptr : &*found;
}

Shape block(const BlockShape& b, int x, int y, int cells) {
  const double left = x + b.left * kCellWidth / 8.0, top = y + b.top * kCellHeight / 8.0;
  const double width = (b.right - b.left) * kCellWidth / 8.0 + (cells - 1) * kCellWidth;
  const double height = (b.bottom - b.top) * kCellHeight / 8.0;
  return {Shape::Paint::block,
          fmt::format("M{:g} {:g}h{:g}v{:g}h{:g}z", left, top, width, height, -width), b.density};
}

// A curve for a round corner, else a stroke for each arm; a line goes on over `cells`.
Shape line(int arms, int x, int y, int cells) {
  const int middle_x = x + kMiddleX, middle_y = y + kMiddleY, right = x + cells * kCellWidth;
  if (arms & kRound)
    return {Shape::Paint::line,
            fmt::format("M{} {}Q{} {} {} {}", middle_x, arms & kUp ? y : y + kCellHeight, middle_x,
                        middle_y, arms & kLeft ? x : right, middle_y)};
  std::string path;
  if (arms & (kUp | kDown))
    path += fmt::format("M{} {}V{}", middle_x, arms & kUp ? y : middle_y,
                        arms & kDown ? y + kCellHeight : middle_y);
  if (arms & (kLeft | kRight))
    path += fmt::format("M{} {}H{}", arms & kLeft ? x : middle_x, middle_y,
                        arms & kRight ? right : middle_x);
  return {Shape::Paint::line, std::move(path)};
}

// Unicode numbers the dots of the two columns downwards, but the last row after all others.
Shape braille(uint32_t pattern, int x, int y) {
  constexpr int kColumn[] = {0, 0, 0, 1, 1, 1, 0, 1}, kRow[] = {0, 1, 2, 0, 1, 2, 3, 3};
  Shape shape{Shape::Paint::dots, {}};
  for (int dot = 0; dot < 8; ++dot) {
    if ((pattern >> dot & 1) == 0) continue;
    shape.path += fmt::format("M{} {}h0", x + kCellWidth / 4 + kColumn[dot] * kCellWidth / 2,
                              y + kCellHeight / 8 + kRow[dot] * kCellHeight / 4);
  }
  return shape;
}

std::string circle(int x, int y) {
  constexpr double kRadius = 4.5;
  return fmt::format("M{0:g} {1}a{2:g} {2:g} 0 1 0 {3:g} 0a{2:g} {2:g} 0 1 0 {4:g} 0z",
                     x + kMiddleX - kRadius, y + kMiddleY, kRadius, 2 * kRadius, -2 * kRadius);
}

// Draws a mark that many fonts have in another width.
Shape mark(char32_t glyph, int x, int y) {
  const int cx = x + kMiddleX, cy = y + kMiddleY;
  switch (glyph) {
    case U'●':
      return {Shape::Paint::solid, circle(x, y)};
    case U'○':
      return {Shape::Paint::line, circle(x, y)};
    case U'▸':
      return {Shape::Paint::solid, fmt::format("M{} {}l8 5l-8 5z", cx - 4, cy - 5)};
    case U'▾':
      return {Shape::Paint::solid, fmt::format("M{} {}h10l-5 8z", cx - 5, cy - 4)};
    case U'▴':
      return {Shape::Paint::solid, fmt::format("M{} {}h10l-5 -8z", cx - 5, cy + 4)};
    default:
      return {};
  }
}

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

  std::string svg() { return opening() + content() + kClosing; }

  static constexpr const char* kClosing = "</svg>\n";
  std::string content() {
    for (int row = 0; row < canvas_.rows(); ++row) {
      for (int col = 0; col < canvas_.cols();) col = draw_run(row, col);
    }
    return shapes() + texts();
  }
  // Each fills its turn of the time; all of them begin again after the last one.
  std::string film_of(std::span<const Canvas> frames) const {
    constexpr int kFrame_s = 3;
    const int all_s = kFrame_s * static_cast<int>(frames.size());
    std::string text = fmt::format(
        "{}<style>.frame{{opacity:0;animation:frame {}s step-end infinite}}"
        "@keyframes frame{{0%{{opacity:1}}{:.3f}%{{opacity:0}}}}</style>\n",
        opening(), all_s, 100.0 / static_cast<double>(frames.size()));
    for (size_t i = 0; i < frames.size(); ++i) {
      // The first one is seen where nothing moves, too.
      text += fmt::format("<g class=\"frame\" style=\"{}animation-delay:{}s\">\n{}</g>\n",
                          i == 0 ? "opacity:1;" : "", kFrame_s * static_cast<int>(i),
                          SvgDrawing(frames[i], style_).content());
    }
    return text + kClosing;
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

  // Draws a run of cells that look the same. Returns the column after it.
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

  // With a margin, so that nothing touches the edge of a slide.
  std::string opening() const {
    const int margin = kCellWidth, bar = style_.framed ? 3 * kCellHeight / 2 : 0;
    const int width = canvas_.cols() * kCellWidth + 2 * margin;
    const int height = canvas_.rows() * kCellHeight + 2 * margin + bar;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"{4} {5} {0} {1}\">\n<title>pipetop</title>\n<desc>{2}</desc>\n"
        "<rect x=\"{4}\" y=\"{5}\" width=\"{0}\" height=\"{1}\" rx=\"{6}\" fill=\"{3}\"/>\n",
        width, height, xml_text(description()), hex(back_), -margin, -margin - bar,
        style_.framed ? margin : 0);
    if (style_.framed) text += title_bar(margin, -margin - bar / 2);
    return text;
  }

  // Three buttons, as windows have.
  static std::string title_bar(int left, int middle) {
    constexpr std::array kButtons = {"#ff5f57", "#febc2e", "#28c840"};
    std::string text;
    for (size_t i = 0; i < kButtons.size(); ++i)
      text += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/>\n",
                          left + static_cast<int>(i) * 18, middle, kButtons[i]);
    return text;
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

std::span<const PictureFormat> picture_formats() { return kPictureFormats; }

CellColors colors_of(Ink ink, const PictureStyle& style) {
  // Without colours there are still greys.
  const Style shown = style.colors || is_dim(ink.style) ? ink.style : Style::plain;
  CellColors tint{color_of(style.theme, shown).rgb, background_of(style.theme).rgb,
                  is_bold(ink.style) || (ink.emphasis & kBold) != 0};
  if (ink.emphasis & kReverse) std::swap(tint.fore, tint.back);
  return tint;
}

std::string text_picture(const Canvas& canvas, const PictureStyle&) { return canvas.text(); }

// Every line is painted to its end, because the terminal's background may be another.
std::string ansi_picture(const Canvas& canvas, const PictureStyle& style) {
  std::string text;
  for (int row = 0; row < canvas.rows(); ++row) {
    std::optional<CellColors> last;
    for (int col = 0; col < canvas.cols(); ++col) {
      const Cell& cell = canvas.at(row, col);
      if (cell.glyph == 0) continue;
      const CellColors tint = colors_of(cell.ink, style);
      if (tint != last) text += sequence_of(tint);
      last = tint;
      append_utf8(text, cell.glyph);
    }
    text += "\033[0m\n";
  }
  return text;
}

Shape shape_of(char32_t glyph, int x, int y, int cells) {
  if (glyph < 0x2000) return {};
  if (glyph > kBraille && glyph < kBrailleEnd) return braille(glyph - kBraille, x, y);
  if (const BlockShape* found = find_shape(kBlocks, glyph)) return block(*found, x, y, cells);
  if (const LineShape* found = find_shape(kLines, glyph)) return line(found->arms, x, y, cells);
  return mark(glyph, x, y);
}

bool joins(char32_t glyph) {
  const BlockShape* block = find_shape(kBlocks, glyph);
  return glyph == U'─' || (block && block->left == 0 && block->right == 8);
}

std::string svg_picture(const Canvas& canvas, const PictureStyle& style) {
  return SvgDrawing(canvas, style).svg();
}

std::string svg_film(std::span<const Canvas> frames, const PictureStyle& style) {
  return SvgDrawing(frames.front(), style).film_of(frames);
}

}  // namespace pipetop::tui

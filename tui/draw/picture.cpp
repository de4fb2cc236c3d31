#include "tui/draw/picture.h"

#include <utility>

namespace pipetop::tui {
namespace {

constexpr PictureFormat kPictureFormats[] = {
    {"text", ".txt", text_picture},
    {"svg", ".svg", svg_picture},
    {"ansi", ".ans", ansi_picture},
    {"ansi256", "", ansi256_picture},
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

}  // namespace pipetop::tui

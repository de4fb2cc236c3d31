#include "tui/screen/still.h"

#include <algorithm>
#include <iterator>

#include "engine/base/clock.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

struct NamedKey {
  std::string_view name;
  Key key;
};
constexpr NamedKey kNamedKeys[] = {
    {"Space", U' '},        {"Tab", key::tab},        {"Enter", key::enter}, {"Esc", key::escape},
    {"Up", key::up},        {"Down", key::down},      {"Left", key::left},   {"Right", key::right},
    {"PgUp", key::page_up}, {"PgDn", key::page_down}, {"Home", key::home},   {"End", key::end},
};

}  // namespace

std::optional<Key> key_named(std::string_view word) {
  const auto found = std::ranges::find(kNamedKeys, word, &NamedKey::name);
  if (found != std::end(kNamedKeys)) return found->key;
  if (word.empty()) return {};
  const char32_t first = take_code_point(word);
  const bool is_one = word.empty() && first > U' ' && first != 0x7F && first != kReplacement;
  return is_one ? std::optional<Key>(first) : std::nullopt;
}

Still::Still(Screen& screen, int rows, int cols, GlyphSet glyphs)
    : screen_(screen), canvas_(glyphs_of(glyphs)), rows_(rows), cols_(cols) {}

void Still::tick() {
  screen_.tick(monotonic_ns());
  screen_.lay_out(rows_, cols_);
}

const Canvas& Still::draw_frame() {
  screen_.lay_out(rows_, cols_);
  canvas_.reset(rows_, cols_);
  screen_.draw(canvas_);
  return canvas_;
}

}  // namespace pipetop::tui

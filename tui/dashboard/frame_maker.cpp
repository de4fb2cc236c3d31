#include "tui/dashboard/frame_maker.h"

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

// After a change until the slowest figures, the verdict and the functions, are of what followed it.
constexpr uint64_t kSettles = 2 * kSecond;

}  // namespace

std::optional<Key> key_named(std::string_view word) {
  const auto found = std::ranges::find(kNamedKeys, word, &NamedKey::name);
  if (found != std::end(kNamedKeys)) return found->key;
  if (word.empty()) return {};
  const char32_t first = take_code_point(word);
  const bool is_one = word.empty() && first > U' ' && first != 0x7F && first != kReplacement;
  return is_one ? std::optional<Key>(first) : std::nullopt;
}

FrameMaker::FrameMaker(Source& source, const Config& config, const FrameOptions& options)
    : controller_(source, config.settings, config.presets),
      canvas_(glyphs_of(options.glyphs)),
      rows_(options.rows),
      cols_(options.cols) {
  controller_.set_roof(options.roof_gib_per_s);
}

bool FrameMaker::tick() {
  controller_.tick(monotonic_ns());
  controller_.lay_out(rows_, cols_);
  const uint64_t begin_ns = shown().throughput.current.begin_ns;
  return shown().effective.settled && shown().throughput.over_1s.has_value() &&
         shown().now_ns >= begin_ns + kSettles;
}

void FrameMaker::press(Key key) { controller_.handle({Input::Kind::key, key, {}}); }

const Canvas& FrameMaker::draw_frame() {
  controller_.lay_out(rows_, cols_);
  canvas_.reset(rows_, cols_);
  controller_.draw(canvas_);
  return canvas_;
}

}  // namespace pipetop::tui

#include "tui/widgets/talk_pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

using TalkPage = TalkState::Page;

constexpr int kTalkKeyCols = 14;

void draw_index(Canvas& canvas, const TalkState& talk) {
  const int count = static_cast<int>(talk.scenes.size());
  int cols = 0;
  for (const Scene& scene : talk.scenes) cols = std::max(cols, columns_of(scene.title) + 5);
  const Area area = draw_dialog(canvas, "scenes", "Enter goes there, Esc closes",
                                std::min(count, canvas.rows() - 4), cols);
  const int selected = static_cast<int>(talk.selected);
  const int first = std::clamp(selected - area.rows() / 2, 0, std::max(0, count - area.rows()));
  for (int row = 0; row < area.rows() && first + row < count; ++row) {
    const int i = first + row;
    const bool current = talk.at == static_cast<size_t>(i);
    area.put(row, 0, fmt::format("{:>3}", i + 1), current ? Style::mark : Style::dim);
    area.put_fitted(row, 5, area.cols() - 5, talk.scenes[static_cast<size_t>(i)].title,
                    current ? Style::mark : Style::plain);
    if (i == selected) area.set_ink(row, {Style::value, kReverse});
  }
}

void draw_keys_page(Canvas& canvas) {
  const auto keys = talk_keys();
  int cols = 0;
  for (const ScreenKey& k : keys) cols = std::max(cols, columns_of(k.help) + kTalkKeyCols + 1);
  const Area area =
      draw_dialog(canvas, "keys of a talk", "any key closes", static_cast<int>(keys.size()), cols);
  for (int row = 0; row < static_cast<int>(keys.size()); ++row) {
    const ScreenKey& k = keys[static_cast<size_t>(row)];
    area.put(row, 1, k.keys, Style::key);
    area.put_fitted(row, 1 + kTalkKeyCols, area.cols() - 1 - kTalkKeyCols, k.help, Style::plain);
  }
}

void draw_typed(Canvas& canvas, const TalkState& talk) {
  const Area area = draw_dialog(canvas, "go to scene", "", 1, 38);
  Pen(area, 0, 1)
      .text(talk.typed, Style::value)
      .text(fmt::format(" of {}   ", talk.scenes.size()), Style::dim)
      .text("G", Style::key)
      .text(" goes there   ")
      .text("Esc", Style::key)
      .text(" stays");
}

}  // namespace

void draw_talk(Canvas& canvas, const TalkState& talk) {
  if (!talk.presenting || canvas.rows() < 3) return;
  switch (talk.page) {
    case TalkPage::index:
      return draw_index(canvas, talk);
    case TalkPage::keys:
      return draw_keys_page(canvas);
    case TalkPage::leaving:
      return draw_question(canvas, {"leave the talk?", {}, {{"y", "leave"}, {"n", "stay"}}});
    case TalkPage::none:
      if (!talk.typed.empty()) draw_typed(canvas, talk);
  }
}

}  // namespace pipetop::tui

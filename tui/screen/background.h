// What a terminal says of its background: the answer to a question that arrives among the keys.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "tui/draw/style.h"

namespace pipetop::tui {

// OSC 11; the answer is "\033]11;rgb:1e1e/1e1e/2e2e" and BEL or "\033\\".
inline constexpr std::string_view kBackgroundQuestion = "\033]11;?\033\\";

// "rgb:1e1e/1e1e/2e2e" or "rgba:...", each number of one to four hexadecimal digits.
std::optional<Rgb> parse_color(std::string_view text);

// Separates the answer from what is typed, whatever pieces it arrives in. Nothing typed is lost.
class BackgroundAnswer {
 public:
  // The question was asked; an answer may come until then.
  void expect(uint64_t until_ns) { until_ns_ = until_ns; }
  bool is_expected(uint64_t now_ns) const { return now_ns < until_ns_; }

  // What was read; a part of an answer is held back.
  void take(char32_t c, uint64_t now_ns);
  // Nothing follows for now: an Esc that is held back was typed.
  void pause(uint64_t now_ns);
  // Something else follows: all that is held back was typed.
  void let_go();

  // The next character that was typed.
  std::optional<char32_t> typed();
  // The answer, once; nothing if there is none, or if it makes no sense.
  std::optional<Rgb> color();

 private:
  std::u32string held_;
  std::deque<char32_t> typed_;
  std::optional<Rgb> color_;
  uint64_t until_ns_ = 0;
};

}  // namespace pipetop::tui

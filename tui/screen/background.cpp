#include "tui/screen/background.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pipetop::tui {
namespace {

constexpr std::u32string_view kAnswerBegins = U"\033]11;";
constexpr size_t kLongestAnswer = 64;
constexpr char32_t kBell = 7, kEsc = 27, kStringEnd = 0x9C;

bool is_color_character(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') ||
         c == U':' || c == U'/' || c == U'#';
}

enum class Match : uint8_t { no, begins, whole };

// Esc alone may have been typed, see pause(): then the answer begins at its second character.
Match match(std::u32string_view text) {
  std::u32string_view begin = kAnswerBegins;
  if (!text.starts_with(kEsc)) begin.remove_prefix(1);
  if (text.size() <= begin.size()) return begin.starts_with(text) ? Match::begins : Match::no;
  if (!text.starts_with(begin) || text.size() > kLongestAnswer) return Match::no;
  text.remove_prefix(begin.size());
  const char32_t last = text.back();
  text.remove_suffix(1);
  if (last == U'\\' && text.ends_with(kEsc)) return Match::whole;
  if (!std::ranges::all_of(text, is_color_character)) return Match::no;
  if (last == kBell || last == kStringEnd) return Match::whole;
  return last == kEsc || is_color_character(last) ? Match::begins : Match::no;
}

// The color's characters, as bytes.
std::string color_text(std::u32string_view answer) {
  answer.remove_prefix(answer.find(U';') + 1);
  std::string text;
  for (const char32_t c : answer)
    if (is_color_character(c)) text += static_cast<char>(c);
  return text;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// "f", "ff", "fff" and "ffff" are all the most there is.
std::optional<uint8_t> channel_of(std::string_view digits) {
  if (digits.empty() || digits.size() > 4) return {};
  int value = 0, most = 0;
  for (const char c : digits) {
    const int digit = digit_of(c);
    if (digit < 0) return {};
    value = value * 16 + digit;
    most = most * 16 + 15;
  }
  return static_cast<uint8_t>((value * 255 + most / 2) / most);
}

}  // namespace

std::optional<Rgb> parse_color(std::string_view text) {
  const bool has_alpha = text.starts_with("rgba:");
  if (!has_alpha && !text.starts_with("rgb:")) return {};
  text.remove_prefix(text.find(':') + 1);
  std::array<uint8_t, 4> channels{};
  const size_t count = has_alpha ? 4 : 3;
  for (size_t i = 0; i < count; ++i) {
    const size_t slash = text.find('/');
    if ((slash == text.npos) != (i + 1 == count)) return {};
    const auto channel = channel_of(text.substr(0, slash));
    if (!channel) return {};
    channels[i] = *channel;
    if (slash != text.npos) text.remove_prefix(slash + 1);
  }
  return Rgb{channels[0], channels[1], channels[2]};
}

void BackgroundAnswer::take(char32_t c, uint64_t now_ns) {
  if (held_.empty() && !is_expected(now_ns)) {
    typed_.push_back(c);
    return;
  }
  held_ += c;
  Match found = match(held_);
  if (found == Match::no && held_.size() > 1) {
    // What came before it was typed, but it may begin the answer.
    held_.pop_back();
    let_go();
    held_ = c;
    found = match(held_);
  }
  if (found == Match::no) let_go();
  if (found != Match::whole) return;
  color_ = parse_color(color_text(held_));
  held_.clear();
  until_ns_ = 0;
}

void BackgroundAnswer::pause(uint64_t now_ns) {
  if (!is_expected(now_ns) || (held_.size() == 1 && held_.front() == kEsc)) let_go();
}

void BackgroundAnswer::let_go() {
  typed_.insert(typed_.end(), held_.begin(), held_.end());
  held_.clear();
}

std::optional<char32_t> BackgroundAnswer::typed() {
  if (typed_.empty()) return {};
  const char32_t first = typed_.front();
  typed_.pop_front();
  return first;
}

std::optional<Rgb> BackgroundAnswer::color() { return std::exchange(color_, {}); }

}  // namespace pipetop::tui

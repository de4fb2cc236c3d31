#include "tui/screen/background.h"

#include <gtest/gtest.h>

#include <string>

namespace pipetop::tui {
namespace {

constexpr uint64_t kAnswerNow = 1'000, kAnswerUntil = 2'000;

TEST(ParseColor, TakesOneToFourDigits) {
  EXPECT_EQ(parse_color("rgb:1e1e/2e2e/ffff"), (Rgb{0x1e, 0x2e, 0xff}));
  EXPECT_EQ(parse_color("rgb:1E/2e/00"), (Rgb{0x1e, 0x2e, 0}));
  EXPECT_EQ(parse_color("rgb:f/0/8"), (Rgb{255, 0, 0x88}));
  EXPECT_EQ(parse_color("rgb:fff/000/800"), (Rgb{255, 0, 128}));
  EXPECT_EQ(parse_color("rgba:1e1e/2e2e/3e3e/ffff"), (Rgb{0x1e, 0x2e, 0x3e}));
}

TEST(ParseColor, RefusesEverythingElse) {
  for (const char* text :
       {"", "rgb:", "rgb:1/2", "rgb:1/2/", "rgb:1/2/3/4", "rgba:1/2/3", "rgb:12345/0/0",
        "rgb:g/0/0", "#1e1e2e", "black", "rgb1/2/3", "rgb:-1/0/0", "rgb:1//3"})
    EXPECT_EQ(parse_color(text), std::nullopt) << text;
}

std::string all_typed(BackgroundAnswer& answer) {
  std::string text;
  while (const auto c = answer.typed()) text += static_cast<char>(*c);
  return text;
}

void take_bytes(BackgroundAnswer& answer, std::string_view bytes) {
  for (const char c : bytes) answer.take(static_cast<unsigned char>(c), kAnswerNow);
}

BackgroundAnswer expecting_answer() {
  BackgroundAnswer answer;
  answer.expect(kAnswerUntil);
  return answer;
}

TEST(BackgroundAnswer, IsFoundWhateverEndsIt) {
  for (const char* end : {"\a", "\033\\", "\x9c"}) {
    BackgroundAnswer answer = expecting_answer();
    take_bytes(answer, std::string("\033]11;rgb:ffff/ffff/dddd") + end);
    EXPECT_EQ(answer.color(), (Rgb{255, 255, 0xdd}));
    EXPECT_EQ(answer.color(), std::nullopt) << "it is told once";
    EXPECT_EQ(all_typed(answer), "");
    EXPECT_FALSE(answer.is_expected(kAnswerNow));
  }
}

TEST(BackgroundAnswer, KeysAroundItAreKept) {
  BackgroundAnswer answer = expecting_answer();
  take_bytes(answer, "v\033]11;rgb:0/0/0\033\\s");
  EXPECT_EQ(all_typed(answer), "vs");
  EXPECT_EQ(answer.color(), Rgb{});
}

// A slow network delivers it in pieces, with frames in between.
TEST(BackgroundAnswer, MayComeInPieces) {
  const std::string whole = "\033]11;rgb:ffff/ffff/ffff\033\\";
  for (size_t cut = 1; cut < whole.size(); ++cut) {
    BackgroundAnswer answer = expecting_answer();
    take_bytes(answer, whole.substr(0, cut));
    // An Esc alone is taken for the key; nothing else is typed.
    answer.pause(kAnswerNow);
    EXPECT_EQ(all_typed(answer), cut == 1 ? "\033" : "") << cut;
    take_bytes(answer, whole.substr(cut));
    EXPECT_EQ(answer.color(), (Rgb{255, 255, 255})) << cut;
    EXPECT_EQ(all_typed(answer), "") << cut;
  }
}

TEST(BackgroundAnswer, NothingTypedIsLost) {
  for (const char* keys : {"\033", "\033[A", "\033]", "\033]1q", "]11q", "\033]11;v\033\033",
                           "\033]11;rgb:\x7f", "\033\033]11;?", "]]11;x!", "q"}) {
    BackgroundAnswer answer = expecting_answer();
    take_bytes(answer, keys);
    answer.let_go();
    EXPECT_EQ(all_typed(answer), keys);
    EXPECT_EQ(answer.color(), std::nullopt);
  }
  BackgroundAnswer answer = expecting_answer();
  take_bytes(answer, "\033]11;" + std::string(200, 'f'));
  EXPECT_EQ(all_typed(answer).size(), 205u) << "no answer is so long";
}

TEST(BackgroundAnswer, ComesDirectlyAfterAnEsc) {
  BackgroundAnswer answer = expecting_answer();
  take_bytes(answer, "\033\033]11;rgb:0/0/0\a");
  EXPECT_EQ(all_typed(answer), "\033");
  EXPECT_EQ(answer.color(), Rgb{});
}

TEST(BackgroundAnswer, SenseLessOnesAreDropped) {
  BackgroundAnswer answer = expecting_answer();
  take_bytes(answer, "\033]11;nocolor\aq");
  EXPECT_EQ(answer.color(), std::nullopt);
  EXPECT_EQ(all_typed(answer), "q");
}

TEST(BackgroundAnswer, NobodyWaitsForItForever) {
  BackgroundAnswer answer;
  take_bytes(answer, "\033]11");
  EXPECT_EQ(all_typed(answer), "\033]11") << "nothing was asked";
  answer.expect(kAnswerUntil);
  take_bytes(answer, "]1");
  EXPECT_EQ(all_typed(answer), "");
  answer.pause(kAnswerUntil);
  EXPECT_EQ(all_typed(answer), "]1");
  answer.take(U'\033', kAnswerUntil);
  EXPECT_EQ(all_typed(answer), "\033") << "it is too late for an answer";
}

}  // namespace
}  // namespace pipetop::tui

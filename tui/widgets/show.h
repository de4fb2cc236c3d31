// The pieces of the show, large enough for the back row. A highlighted piece is in reverse video.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {

inline constexpr Ink kHighlighted = Ink(Style::mark, kReverse);

// The scene's title, and what must not be missed: a frozen screen, knobs that had no effect.
void draw_show_title(const Area& area, const Snapshot& snapshot, std::string_view title,
                     bool frozen, std::span<const TitlePart> badges = {});
void draw_show_title(const Area& area, std::string_view title, std::span<const TitlePart> badges);

// The settled rate of the present settings: the one that the factor is made of. None until they
// have settled.
Reading<double> show_rate(const Snapshot& snapshot);

// In large digits with its unit, or "measuring".
void draw_show_rate(const Area& area, const Snapshot& snapshot, DigitSize size, bool highlighted);

// "×2.3" against the settings before, in large digits.
void draw_show_factor(const Area& area, const Snapshot& snapshot, DigitSize size, bool highlighted);

// "3.15 → 7.12 GiB/s   ×12 since the start", or why there is nothing to compare.
void draw_show_change(const Area& area, const Snapshot& snapshot);

// Why, and the numbers that show it.
void draw_show_cause(const Area& area, const Reading<Change>& change);

// The caption's lines, broken at blanks where they are too long.
std::vector<std::string_view> caption_lines(std::string_view caption, int cols);

void draw_show_caption(const Area& area, std::string_view caption, Style style = Style::value);

inline constexpr size_t kTopFunctions = 3;

// A row for each of the first functions, among them always `kept`, with bars that 100 % fills; or
// why there are none.
void draw_hottest(const Area& area, const WorkerReadings& worker, const HottestFunctions& hottest,
                  std::string_view kept, std::string_view highlight);

// What is on, in words: "vmsplice · splice · huge pages · busy".
std::string words_of(const Snapshot& snapshot);
void draw_show_words(const Area& area, const Snapshot& snapshot);

}  // namespace pipetop::tui

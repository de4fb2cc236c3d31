// A ladder for people, for spreadsheets, for programs, and as a picture.
#pragma once

#include <string>

#include "tui/draw/glyphs.h"
#include "tui/print/ladder_result.h"

namespace pipetop::tui {

// A table with a bar a rung, then what it is worth.
std::string print_ladder_human(const LadderResult& result, GlyphSet glyphs);

// A row a run, in the order in which they were measured: the columns of `run`, the
// article's first, then `round`.
std::string print_ladder_csv(const LadderResult& result);

// Schema 1.
std::string print_ladder_json(const LadderResult& result);

// The article's chart: a bar a rung, with the article's own figure beside it. It
// needs nothing but itself, and follows the viewer's light or dark scheme.
std::string print_ladder_svg(const LadderResult& result);

}  // namespace pipetop::tui

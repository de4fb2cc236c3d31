#include "tui/draw/figure_text.h"

#include "tui/draw/numbers.h"

namespace pipetop::tui {

std::string figure_text(FigureKind kind, double value) {
  switch (kind) {
    case FigureKind::share:
      return percent_text(value) + " %";
    case FigureKind::bytes:
      return bytes_text(value);
    case FigureKind::ratio:
      return ratio_text(value);
    case FigureKind::count:
      break;
  }
  return count_text(value);
}

}  // namespace pipetop::tui

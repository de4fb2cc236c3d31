// A film of the screen in asciicast's format, version 2: a header, then one JSON array per line.
// https://docs.asciinema.org/manual/asciicast/v2/
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tui/draw/picture.h"

namespace pipetop::tui {

class Cast {
 public:
  // `unix_s` is when it began.
  explicit Cast(uint64_t unix_s) : unix_s_(unix_s) {}

  // The lines of a frame at a time since the beginning, the header with the first; "" if nothing
  // has changed. Time does not go back.
  std::string frame(double seconds, const Canvas& canvas);
  // A place to jump to.
  std::string marker(double seconds, std::string_view label) const;

 private:
  uint64_t unix_s_;
  int rows_ = 0, cols_ = 0;
  AnsiScreen screen_{Theme::dark};
};

}  // namespace pipetop::tui

// Tables with a row for each value of an enum, whose order the compiler checks.
#pragma once

#include <array>
#include <cstddef>

namespace pipetop::tui {

template <class Row, size_t kRows, class Enum>
constexpr bool in_order(const std::array<Row, kRows>& table, Enum Row::*value) {
  for (size_t i = 0; i < kRows; ++i) {
    if (table[i].*value != static_cast<Enum>(i)) return false;
  }
  return true;
}

}  // namespace pipetop::tui

// The formats that results are printed in. To add one: a row in format.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipetop::tui {

struct Document;

// Whose results a format can hold.
enum class Holds : uint8_t { any_result, runs };

struct Format {
  std::string_view name;  // as in --format
  Holds holds = Holds::any_result;
  std::string (*print)(const Document&) = nullptr;
  // Of each interval of a run, while it goes on; null when it is not told.
  std::string (*print_interval)(const Document&) = nullptr;
};

std::span<const Format> formats();  // the first is the default

const Format& find_format(std::string_view name);  // there must be one

}  // namespace pipetop::tui

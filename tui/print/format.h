// The output formats. To add one: a row in format.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipetop::tui {

struct Document;

// The results that a format supports: any; any that comes in intervals; those of a run, which are
// tables. Each includes the ones before.
enum class Holds : uint8_t { any_result, intervals, runs };

struct Format {
  std::string_view name;  // as in --format
  Holds holds = Holds::any_result;
  std::string (*print)(const Document&) = nullptr;
  // For each interval during a run; null if intervals are not printed.
  std::string (*print_interval)(const Document&) = nullptr;
};

std::span<const Format> formats();  // the first is the default

const Format& find_format(std::string_view name);  // there must be one

}  // namespace pipetop::tui

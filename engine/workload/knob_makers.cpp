#include "engine/workload/knob_makers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::knob_makers {
namespace {

constexpr std::array<std::string_view, 2> kBool = {"false", "true"};

}  // namespace

Names bool_names() { return kBool; }

size_t parse_choice(std::string_view value, Names names) {
  const auto found = std::ranges::find(names, value);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  throw Error(fmt::format("\"{}\" is not a valid value: give {}", value, join_choices(names)));
}

bool parse_bool(std::string_view value) {
  if (value == "true" || value == "on" || value == "yes" || value == "1") return true;
  if (value == "false" || value == "off" || value == "no" || value == "0") return false;
  throw Error(fmt::format("\"{}\" is neither true nor false", value));
}

int parse_cpu(std::string_view value) {
  const auto cpu = parse_all<int>(value);
  if (cpu && *cpu >= 0 && *cpu <= 8191) return *cpu;
  throw Error(fmt::format("\"{}\" is not a CPU: give its number, from 0", value));
}

uint32_t parse_number(std::string_view value, uint32_t least, uint32_t most) {
  const auto number = parse_all<uint32_t>(value);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(fmt::format("\"{}\" is out of range: give {} to {}", value, least, most));
}

uint64_t parse_pages(std::string_view value, uint64_t least, uint64_t most) {
  const uint64_t bytes = parse_size(value);
  if (bytes < least || bytes > most || bytes % kPageBytes != 0)
    throw Error(fmt::format("\"{}\" is out of range: give a multiple of 4KiB, from {} to {}", value,
                            format_size(least), format_size(most)));
  return bytes;
}

}  // namespace pipetop::knob_makers

#include "tui/flags/flag_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMaxDurationNs = 7ull * 24 * 3600 * 1'000'000'000;

// Runs `parse`; errors name the flag.
template <class Function>
auto named(const std::string& flag, Function parse) {
  try {
    return parse();
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", flag, e.what()));
  }
}

// "--bytes,--bytes_to_pipe" is reported by its first name.
std::string first_spelling(const std::string& flag) { return flag.substr(0, flag.find(',')); }

}  // namespace

std::string alternatives(std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values)
    text += (text.empty() ? "" : "|") + std::string(value);
  return text;
}

uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least_ns) {
  const uint64_t ns = named(flag, [&] { return parse_duration_ns(text); });
  if (ns < least_ns || ns > kMaxDurationNs)
    throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text,
                            format_duration(least_ns), format_duration(kMaxDurationNs)));
  return ns;
}

uint64_t bytes_of(const std::string& flag, const std::string& text) {
  const uint64_t bytes = named(flag, [&] { return parse_size(text); });
  if (bytes == 0) throw Error(fmt::format("{}: \"{}\" moves nothing: give 1 or more", flag, text));
  return bytes;
}

uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least,
                   uint32_t most) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < least || n > most)
    throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text, least, most));
  return n;
}

double rate_of(const std::string& flag, const std::string& text) {
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc{} || end != text.data() + text.size() || !(rate > 0 && rate < 1e6))
    throw Error(fmt::format("{}: \"{}\" is not a rate: give GiB/s, for example 84", flag, text));
  return rate;
}

// An empty shell variable must not be taken to mean no file.
std::string file_of(const std::string& flag, const std::string& path) {
  if (path.empty()) throw Error(fmt::format("{}: the file name is empty: give a name", flag));
  return path;
}

void add_time(const FlagSet& flags, const std::string& name, uint64_t& target_ns, uint64_t least_ns,
              const std::string& help) {
  flags.add({name, "TIME", help}, [=, &target_ns](const std::string& text) {
    target_ns = duration_of(name, text, least_ns);
  });
}

void add_bytes(const FlagSet& flags, const std::string& names, uint64_t& target,
               const std::string& help) {
  flags.add({names, "SIZE", help}, [=, &target](const std::string& text) {
    target = bytes_of(first_spelling(names), text);
  });
}

void add_number(const FlagSet& flags, const std::string& name, uint32_t& target, uint32_t least,
                uint32_t most, const std::string& help) {
  flags.add({name, "N", help},
            [=, &target](const std::string& text) { target = number_of(name, text, least, most); });
}

void add_file(const FlagSet& flags, const std::string& name, std::string& target,
              const std::string& help) {
  flags.add({name, "FILE", help},
            [=, &target](const std::string& path) { target = file_of(name, path); });
}

void add_format(const FlagSet& flags, CommandLine& line, Holds results) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (format.holds == Holds::any_result || results == Holds::runs) names.push_back(format.name);
  const auto choose = [names, &line](const std::string& text) {
    if (std::ranges::find(names, text) == names.end())
      throw Error(
          fmt::format("--format: \"{}\" is not a valid value: give {}", text, join_choices(names)));
    line.format = &find_format(text);
  };
  flags.add({"--format", alternatives(names), "output format (default human)"}, choose);
}

}  // namespace pipetop::tui

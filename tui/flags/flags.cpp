#include "tui/flags/flags.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

CLI::Option* add_with_value(CLI::App& app, const Flag& flag, const Take& take) {
  // CLI11 passes a missing optional value as one of these.
  const auto hand_over = [take, optional = flag.value_is_optional](const std::string& text) {
    take(optional && text == "{}" ? "" : text);
  };
  CLI::Option* option = app.add_option_function<std::string>(flag.names, hand_over, flag.help);
  option->type_name(flag.value_type);
  if (flag.value_is_optional) option->expected(0, 1);
  if (!flag.in_typed_order && !flag.value_is_optional) option->take_last();
  return option;
}

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

}  // namespace

void add_flag(CLI::App& app, const Flag& flag, const Take& take) {
  CLI::Option* option = flag.value_type.empty() ? app.add_flag_callback(
                                                      flag.names, [take] { take(""); }, flag.help)
                                                : add_with_value(app, flag, take);
  if (!flag.group.empty()) option->group(flag.group);
  if (flag.in_typed_order) option->trigger_on_parse();
}

void exclude(CLI::App& app, const std::string& one, const std::string& other) {
  app.final_callback([&app, one, other] {
    if (app.count(one) > 0 && app.count(other) > 0)
      throw Error(fmt::format("{} and {} exclude each other: give one of them", one, other));
  });
}

std::string alternatives(std::span<const std::string_view> values) {
  return fmt::format("{}", fmt::join(values, "|"));
}

uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least_ns) {
  const uint64_t ns = named(flag, [&] { return parse_duration_ns(text); });
  if (ns < least_ns || ns > kMaxDurationNs)
    throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text,
                            format_duration(least_ns), format_duration(kMaxDurationNs)));
  return ns;
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

void add_bytes(CLI::App& app, const std::string& names, uint64_t& target, const std::string& help) {
  add_flag(app, {names, "SIZE", help}, [=, &target](const std::string& text) {
    const std::string name = names.substr(0, names.find(','));
    target = named(name, [&] { return parse_size(text); });
    if (target == 0)
      throw Error(fmt::format("{}: \"{}\" moves nothing: give 1 or more", name, text));
  });
}

void add_file(CLI::App& app, const std::string& name, std::string& target,
              const std::string& help) {
  add_flag(app, {name, "FILE", help}, [=, &target](const std::string& path) {
    // An empty shell variable must not be taken to mean no file.
    if (path.empty()) throw Error(fmt::format("{}: the file name is empty: give a name", name));
    target = path;
  });
}

void add_format(CLI::App& app, CommandLine& line, Holds results) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (format.holds == Holds::any_result || results == Holds::runs) names.push_back(format.name);
  const auto choose = [names, &line](const std::string& text) {
    if (std::ranges::find(names, text) == names.end())
      throw Error(
          fmt::format("--format: \"{}\" is not a valid value: give {}", text, join_choices(names)));
    line.format = &find_format(text);
  };
  add_flag(app, {"--format", alternatives(names), "output format (default human)"}, choose);
}

}  // namespace pipetop::tui

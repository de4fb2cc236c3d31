#include "tui/flags/flags.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMaxDuration_ns = 7ull * 24 * 3600 * 1'000'000'000;

// The last one of "-o,--output", for messages.
std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

}  // namespace

CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& type,
                       const Take& take, const std::string& help) {
  return app.add_option_function<std::string>(names, take, help)->type_name(type);
}

CLI::Option* add_optional_value(CLI::App& app, const std::string& names, const std::string& type,
                                const Take& take, const std::string& help) {
  // CLI11 passes a missing value as "{}".
  const auto hand_over = [take](const std::string& text) { take(text == "{}" ? "" : text); };
  return add_value(app, names, type, hand_over, help)->expected(0, 1);
}

void add_choice(CLI::App& app, const std::string& flag, const std::vector<std::string_view>& names,
                const std::function<void(size_t)>& take, const std::string& help) {
  const auto choose = [=](const std::string& text) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      throw Error(
          fmt::format("{}: \"{}\" is not a valid value: give {}", flag, text, join_choices(names)));
    take(size_t(found - names.begin()));
  };
  add_value(app, flag, alternatives(names), choose, help);
}

std::string alternatives(std::span<const std::string_view> values) {
  return fmt::format("{}", fmt::join(values, "|"));
}

uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least,
                   uint32_t most) {
  const auto n = parse_all<uint32_t>(text);
  if (n && *n >= least && *n <= most) return *n;
  throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text, least, most));
}

double rate_of(const std::string& flag, const std::string& text) {
  const auto rate = parse_all<double>(text);
  if (rate && *rate > 0 && *rate < 1e6) return *rate;
  throw Error(fmt::format("{}: \"{}\" is not a rate: give GiB/s, for example 84", flag, text));
}

void add_time(CLI::App& app, const std::string& names, uint64_t& target_ns, uint64_t least_ns,
              const std::string& help) {
  const auto take = [name = long_name(names), least_ns, &target_ns](const std::string& text) {
    target_ns = parsed(name, text, parse_duration_ns);
    if (target_ns < least_ns || target_ns > kMaxDuration_ns)
      throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", name, text,
                              format_duration(least_ns), format_duration(kMaxDuration_ns)));
  };
  add_value(app, names, "TIME", take, help);
}

void add_file(CLI::App& app, const std::string& names, std::string& target,
              const std::string& help) {
  const auto take = [name = long_name(names), &target](const std::string& path) {
    // An empty shell variable must not be taken to mean no file.
    if (path.empty()) throw Error(fmt::format("{}: the file name is empty: give a name", name));
    target = path;
  };
  add_value(app, names, "FILE", take, help);
}

void add_format(CLI::App& app, CommandLine& line, Holds results) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (format.holds <= results) names.push_back(format.name);
  const auto choose = [names, &line](size_t index) { line.format = &find_format(names[index]); };
  add_choice(app, "--format", names, choose, "output format (default human)");
}

}  // namespace pipetop::tui

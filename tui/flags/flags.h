// Flags, their values, and the flags of each command; errors name the flag.
#pragma once

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// With the value. It may throw Error.
using Take = std::function<void(const std::string& value)>;

// `take` is called while the parser runs. `type` is what --help shows for the value: "SIZE".
CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& type,
                       const Take& take, const std::string& help);
// Without a value `take` gets "".
CLI::Option* add_optional_value(CLI::App& app, const std::string& names, const std::string& type,
                                const Take& take, const std::string& help);
// `take` gets the index of the value among `names`.
void add_choice(CLI::App& app, const std::string& flag, const std::vector<std::string_view>& names,
                const std::function<void(size_t)>& take, const std::string& help);

// "a|b|c", as --help shows what a flag takes.
std::string alternatives(std::span<const std::string_view> values);

// What `parse` returns. This and those below throw Error, which names the flag, and says what was
// given and what is expected.
template <class Value>
Value parsed(const std::string& flag, const std::string& text, Value (*parse)(std::string_view)) {
  try {
    return parse(text);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", flag, e.what()));
  }
}
uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least, uint32_t most);
double rate_of(const std::string& flag, const std::string& text);  // GiB/s

// Each adds one flag, by its long name or as "-o,--output", that sets `target`, which must outlive
// the parser.
template <class Target>
void add_number(CLI::App& app, const std::string& name, const std::string& type, Target& target,
                uint32_t least, uint32_t most, const std::string& help) {
  const auto take = [=, &target](const std::string& text) {
    target = number_of(name, text, least, most);
  };
  add_value(app, name, type, take, help);
}
void add_time(CLI::App& app, const std::string& names, uint64_t& target_ns, uint64_t least_ns,
              const std::string& help);
void add_file(CLI::App& app, const std::string& names, std::string& target,
              const std::string& help);
// --format, of those formats that hold such results.
void add_format(CLI::App& app, CommandLine& line, Holds results);

inline constexpr uint64_t kMinInterval_ns = 100'000'000;

struct CommandEntry {
  Command command;
  const char* name;
  const char* help;
  // They fill in `line`, which must outlive the parser.
  void (*add_flags)(CLI::App& app, CommandLine& line);
};

// In the order of --help.
std::span<const CommandEntry> command_entries();

// Every knob as a flag, from the table, and the article's spellings.
void add_knob_flags(CLI::App& app, CommandLine& line);

}  // namespace pipetop::tui

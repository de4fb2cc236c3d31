// Flags, their values, and the flags of each command; errors name the flag.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/flags/command_line.h"

namespace pipetop::tui {

struct Flag {
  std::string names;       // "--bytes,--bytes_to_pipe"
  std::string value_type;  // "SIZE"; "" for a flag without a value
  std::string help;
  std::string group = {};          // the heading in --help, "" for the common one
  bool value_is_optional = false;  // without one, `take` gets ""
  bool in_typed_order = false;     // `take` gets every value; else only the last one
};

// With the value, "" for a flag without one. It may throw Error.
using Take = std::function<void(const std::string& value)>;

// `take` is called while the parser runs.
void add_flag(CLI::App& app, const Flag& flag, const Take& take);

// Rejects a command line with both.
void exclude(CLI::App& app, const std::string& one, const std::string& other);

// "a|b|c", as --help shows what a flag takes.
std::string alternatives(std::span<const std::string_view> values);

// Each throws Error, which says what was given and what is expected.
uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least_ns);
uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least, uint32_t most);
double rate_of(const std::string& flag, const std::string& text);  // GiB/s

// Each adds one flag that sets `target`, which must outlive the parser.
template <class Target>
void add_time(CLI::App& app, const std::string& name, Target& target_ns, uint64_t least_ns,
              const std::string& help) {
  add_flag(app, {name, "TIME", help}, [=, &target_ns](const std::string& text) {
    target_ns = duration_of(name, text, least_ns);
  });
}
template <class Target>
void add_number(CLI::App& app, const std::string& name, const std::string& type, Target& target,
                uint32_t least, uint32_t most, const std::string& help) {
  add_flag(app, {name, type, help},
           [=, &target](const std::string& text) { target = number_of(name, text, least, most); });
}
inline void add_rounds(CLI::App& app, uint32_t& target, const std::string& help) {
  add_number(app, "--rounds", "N", target, 1, 1000, help);
}
void add_bytes(CLI::App& app, const std::string& names, uint64_t& target, const std::string& help);
void add_file(CLI::App& app, const std::string& name, std::string& target, const std::string& help);
// Those formats that hold any result; of all of them for a run.
void add_format(CLI::App& app, CommandLine& line, Holds results = Holds::any_result);

// The flags of each command. All fill in `line`, which must outlive the parser.
void add_run_flags(CLI::App& app, CommandLine& line);
void add_ladder_flags(CLI::App& app, CommandLine& line);
void add_tune_flags(CLI::App& app, CommandLine& line);
void add_limits_flags(CLI::App& app, CommandLine& line);
void add_doctor_flags(CLI::App& app, CommandLine& line);
void add_presets_flags(CLI::App& app, CommandLine& line);
void add_completion_flags(CLI::App& app, CommandLine& line);
void add_help_flags(CLI::App& app, CommandLine& line);

// Every knob as a flag, from the table, and the article's spellings.
void add_knob_flags(CLI::App& app, CommandLine& line);

}  // namespace pipetop::tui

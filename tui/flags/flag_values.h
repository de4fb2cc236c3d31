// Parses the values of flags other than knobs; errors name the flag.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/flags/command_line.h"
#include "tui/flags/flag_set.h"

namespace pipetop::tui {

inline constexpr uint32_t kMaxRounds = 1000;  // of every --rounds

// "a|b|c", as --help shows what a flag takes.
std::string alternatives(std::span<const std::string_view> values);

// Each throws Error, which says what was given and what is expected.
uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least_ns);
uint64_t bytes_of(const std::string& flag, const std::string& text);
uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least, uint32_t most);
double rate_of(const std::string& flag, const std::string& text);  // GiB/s
std::string file_of(const std::string& flag, const std::string& path);

// Each adds one flag that sets `target`, which must outlive the parser.
void add_time(const FlagSet& flags, const std::string& name, uint64_t& target_ns, uint64_t least_ns,
              const std::string& help);
void add_bytes(const FlagSet& flags, const std::string& names, uint64_t& target,
               const std::string& help);
void add_number(const FlagSet& flags, const std::string& name, uint32_t& target, uint32_t least,
                uint32_t most, const std::string& help);
void add_file(const FlagSet& flags, const std::string& name, std::string& target,
              const std::string& help);
// Those formats that hold any result; of all of them for a run.
void add_format(const FlagSet& flags, CommandLine& line, Holds results = Holds::any_result);

}  // namespace pipetop::tui

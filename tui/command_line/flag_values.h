// The values of flags that are no knobs, read with errors that name the flag.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tui/command_line/command_line.h"

namespace pipetop::tui {

// Each throws Error: what was given, and what would be right.
uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least_ns);
uint64_t bytes_of(const std::string& flag, const std::string& text);
uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least, uint32_t most);
double rate_of(const std::string& flag, const std::string& text);  // GiB/s
std::string file_of(const std::string& flag, const std::string& path);

// Each adds one flag, whose value goes to `target`, which must outlive the parser.
CLI::Option* add_time(CLI::App& app, const std::string& flag, uint64_t& target_ns,
                      uint64_t least_ns, const std::string& help);
CLI::Option* add_bytes(CLI::App& app, const std::string& flag, uint64_t& target,
                       const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& flag, uint32_t& target, uint32_t least,
                        uint32_t most, const std::string& help);
CLI::Option* add_file(CLI::App& app, const std::string& flag, std::string& target,
                      const std::string& help);
void add_format(CLI::App& app, Format& target, const std::vector<std::string_view>& names);

}  // namespace pipetop::tui

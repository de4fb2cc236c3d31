// Runs as JSON, schema 1.
#pragma once

#include <string>

#include "tui/print/json_values.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {

Json run_json(const RunResult& result);

std::string print_json(const RunResult& result);

// JSON lines: one object an interval, and the result as the last line.
std::string print_jsonl(const Interval& interval);
std::string print_jsonl(const RunResult& result);

}  // namespace pipetop::tui

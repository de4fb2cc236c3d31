// Segments as JSON lines and as CSV, with the same names. What is not known is
// null with a reason there, and empty here.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/segment.h"

namespace pipetop::tui {

// `start_ns` is when pipetop started: begin_s counts from there.
std::string segment_jsonl(const Segment& segment, uint64_t start_ns);

std::string segment_csv_header(const Settings& settings);
std::string segment_csv_row(const Segment& segment, uint64_t start_ns);

}  // namespace pipetop::tui

// The table of all pipes: which of them are shown, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/watch/pipeline.h"

namespace pipetop::tui {

// The column that the table is sorted by.
enum class PipeSort : uint8_t { rate, full, empty, size, queued, age, writer, reader, pipeline };

// By PipeSort, as --sort takes them.
std::span<const std::string_view> pipe_sort_names();

// Most first, youngest first, names from A to Z; what is not known comes last. Pipelines stay
// together under `pipeline`: the one with the fastest pipe first, each in its own order. Of equal
// rows, the order that they came in.
void sort_pipes(std::vector<const PipeRow*>& rows, PipeSort by);

// Whether one of its processes, by name, command line or pid, or the path of the FIFO contains
// `text`, in upper or lower case.
bool pipe_matches(const PipeRow& row, std::string_view text);

// Those that match, sorted.
std::vector<const PipeRow*> pipes_shown(std::span<const PipeRow> rows, PipeSort by,
                                        std::string_view filter);

}  // namespace pipetop::tui

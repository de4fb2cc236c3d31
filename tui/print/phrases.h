// Phrases that several commands print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

std::string counted(uint64_t count, std::string_view thing);  // "1 round", "2 rounds"

std::string machine_text(const HostInfo& host);  // "AMD EPYC, 2 CPUs, KVM, Linux 6.18.44"

// "pipe_size: 4MiB requested, 1MiB effective: why; remedy"
std::string mismatch_text(const Mismatch& mismatch);

// Name and value of each knob that differs from its default, in the order of the table.
std::vector<std::pair<std::string_view, std::string>> changed_knob_values(const Settings& settings);

// "write_with vmsplice, pages thp"; "all defaults" if nothing differs.
std::string changed_knobs(const Settings& settings);

}  // namespace pipetop::tui

// What is told about a ladder in words, on the terminal and in the picture.
#pragma once

#include <string>
#include <vector>

#include "tui/print/ladder_result.h"

namespace pipetop::tui {

// "AMD EPYC, 2 CPUs, KVM, Linux 6.18.44"; "an unknown machine".
std::string machine_words(const LadderResult& result);

// "5 rounds of 1s in shuffled order (seed 42), each run after a warm-up of 200ms"
std::string method_words(const LadderResult& result);

// "every rung with --pipe_size 1MiB"; "" when nothing was changed.
std::string knobs_words(const LadderResult& result);

// "ended early, after 12 of 35 runs"; "" when all were done.
std::string early_words(const LadderResult& result);

std::string drift_words(const LadderReport& report);
std::string steal_words(const LadderReport& report);

// "busy_loop_huge: pages thp requested, 4k effective: why; remedy", one a line.
std::vector<std::string> mismatch_words(const LadderReport& report);

}  // namespace pipetop::tui

// What limits a pipe or a pipeline: one verdict, with the numbers that show it, or the reason why
// there is none. The rules for our own pipe are at the top of pair_rules.cpp; those for a pipeline
// are in the manual, too: `pipetop help bottleneck`.
#pragma once

#include <cstdint>

#include "engine/model/snapshot.h"

namespace pipetop {

// Judges our own pipe, ignoring Snapshot::verdict. Warming while there are too few samples;
// unavailable if there is no single bottleneck, or nothing to judge (a stopped worker, slow
// motion).
Reading<Verdict> judge_pair(const Snapshot& s);

// ---- a pipeline, by the shares of a window ----

// A stage waits for its neighbours in proportion to the time it is blocked in its pipes, and so the
// blame moves along them: blocked writing, to the pipe's readers; blocked reading, to its writers.
// What it doesn't spend blocked there is its own. The stage in which most of the blame ends holds
// the pipeline up, if that is at least kBlame and it has kOwnWork of its own. The rings have to
// agree: a stage whose inputs are empty, or whose outputs are full, holds up nobody. Several stages
// with kBusy of their own are balanced; where one of them lacks a CPU, also those that get kBusy of
// its CPU time and have kOwnWork. Thin evidence (few samples, a short window) names nobody.
inline constexpr double kBlame = 0.5;
inline constexpr double kOwnWork = 0.6;
inline constexpr double kBusy = 0.85;
// A ring that is so often full, and so often empty, is too small for the bursts in it.
inline constexpr double kBurst = 0.2;
inline constexpr uint64_t kLargePipe = 1 << 20;  // bytes: larger ones are no remedy
inline constexpr uint64_t kLeastWindow_ns = 1'000'000'000;
inline constexpr uint64_t kLeastSamples = 20;

// Verdict::because has at most that many columns.
inline constexpr int kLineColumns = 100;

// Uses shares, states, capacity, rates and their history, the kernel's counts of open files, CPU,
// and the functions of stages that have them.
Verdict judge_pipeline(const Pipeline& pipeline);

}  // namespace pipetop

// Pipelines that are made up, as the observers would see them after five seconds.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"

namespace pipetop {

inline constexpr uint64_t kMadeNow_ns = 600'000'000'000;  // CLOCK_MONOTONIC

// A pipe, by the numbers of its stages.
struct MadePipe {
  std::vector<size_t> writers, readers;
};

// Stages with these names and the pids 4001, 4002, ..., which hang together by pipes of 64 KiB. A
// stage reads on descriptor 0 and writes on 1; further pipes are on 3, 4, ... Everything is known.
// Nobody waits for a pipe, and the rings are half full.
Pipeline made_pipeline(const std::vector<std::string>& names, const std::vector<MadePipe>& pipes);

// "a | b | c".
Pipeline made_chain(const std::vector<std::string>& names);

// One stage sets the pace, by its work on a CPU (none) or by waiting for something. All others wait
// for it: those that it hinders from writing before full rings, the others before empty ones.
void limit_by(Pipeline& pipeline, size_t stage, WaitsFor its_wait = WaitsFor::none);

// The shares of a stage; the rest of the time it waits for this.
void spend(Pipeline& pipeline, size_t stage, const StageShares& shares,
           WaitsFor rest = WaitsFor::other);

void set_ring(Pipe& pipe, double mean, double empty, double full);

// No byte went through any pipe within the window.
void stand_still(Pipeline& pipeline);

// It has exited: its ends are closed.
void exit_stage(Pipeline& pipeline, size_t stage);

// Without privileges: neither rings nor functions, shares of stages with a reason.
void hide_stage(Pipeline& pipeline, size_t stage);

// Moves every share that is not 0 by up to this much, at random; those of a stage still add up.
void add_noise(Pipeline& pipeline, double spread, std::mt19937& random);

}  // namespace pipetop

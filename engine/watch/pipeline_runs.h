// What a tree of processes ran: its pipelines, one after the other or side by side, each for
// itself. A script's or make's summary is by time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/model/pipeline.h"

namespace pipetop {

// From when to when a stage was there, CLOCK_MONOTONIC.
struct StageSpan {
  uint64_t begin_ns = 0, end_ns = 0;
};

// A pipeline, and those of the same stages that ran at other times.
struct PipelineRun {
  Pipeline pipeline;          // over all of its time; window_ns is as long as it ran
  std::vector<size_t> times;  // how many processes each stage stands for
  size_t runs = 1;
  StageSpan span;  // from the first one's begin to the last one's end
};

// Splits all that was seen, by what is connected by pipes; the earliest first. Processes with the
// same name that come one after the other at the same pipes are one stage. Who only holds a pipe,
// such as a shell that waits for its children, is none. As far as a stage's span is not known, it
// has ran all the time.
std::vector<PipelineRun> runs_of(const Pipeline& all, const std::map<ProcessId, StageSpan>& spans);

// What held a pipeline up while it ran, over all of its time: that it has ended since is another
// matter.
Verdict verdict_on_all(Pipeline all);

}  // namespace pipetop

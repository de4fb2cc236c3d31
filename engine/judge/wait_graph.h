// A pipeline as the rules of the bottleneck see it: how long each stage waits for its neighbours,
// in which pipes, and which of them have anything to do with the flow.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/pipeline.h"

namespace pipetop {

struct WaitRing {
  bool known = false;  // looked at often enough
  double empty = 0, full = 0;
  bool over = false;  // nobody can write to it any more
  bool socket = false;
  std::optional<bool> moved;             // any byte, in the window; nothing if that isn't known
  std::vector<size_t> writers, readers;  // stages that move its data, and live
};

struct WaitStage {
  bool alive = false;       // it holds an end that it moves data through, and has not exited
  bool takes_part = false;  // data moved, or waits, in one of its pipes
  bool known = false;       // how it spends its time
  // Waits for its writers, its readers: whom the blame goes on to. Where the clock can't tell, in
  // poll and in loops that never sleep, by its rings; so it is nothing to be said.
  double reading = 0, writing = 0;
  // The parts of these in each of its pipes, by the clock; empty where that can't tell.
  std::vector<std::pair<size_t, double>> read_from, written_to;
  // Waits for those at the other side of its connections, to be asked or answered.
  double peers = 0;
  double own = 1;  // the rest
  // What the rest is made of. Without shares, what it does at the moment is taken for all of it.
  double on_cpu = 0, runnable = 0;
  std::array<double, kWaits> elsewhere{};
  double for_time = 0;  // of it in poll, for a time only
  // It waits so of its own accord, though it has data, and nobody is busy.
  bool sets_pace = false;
  // Nearly all the time is its own; or it gets as much CPU time as one that would take more.
  bool busy = false;
  std::vector<size_t> inputs, outputs;  // pipes, without own ones
  // No input, or output, moved or holds data: an idle standard input doesn't feed a source.
  bool is_source = true, is_sink = true;

  double waits() const { return reading + writing + peers; }  // for other stages
};

struct WaitGraph {
  std::vector<WaitStage> stages;
  std::vector<WaitRing> rings;  // of each pipe

  // Some pipe is known to have moved data, or all are known not to.
  bool moved = false, still = false;
};

WaitGraph wait_graph_of(const Pipeline& pipeline);

}  // namespace pipetop

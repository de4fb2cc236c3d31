// How a bottleneck is said: one sentence that fits into a line, and clauses.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/judge/evidence.h"
#include "engine/judge/wait_graph.h"

namespace pipetop {

// A pipeline with what the rules made of it.
struct JudgedPipeline {
  const Pipeline& pipeline;
  const WaitGraph& graph;
};

// A part of what a stage does with the time that it has for itself.
struct StageActivity {
  enum class Kind : uint8_t {
    cpu,
    runnable,  // it would work, but gets no CPU
    threads,   // others of its threads work
    peer,      // it waits for another stage, at a connection
    waits,
  } kind = Kind::cpu;
  WaitsFor wait = WaitsFor::none;  // when it waits
  double share = 0;
  // Of that share, when it waits for the disk: on a CPU, but in the disk's driver.
  double in_driver = 0;
};
// The largest first; by its clock, or else by a look at it.
std::vector<StageActivity> activities_of(const JudgedPipeline& view, size_t stage);
StageActivity activity_of(const JudgedPipeline& view, size_t stage);  // the largest

// Blocked in its pipes, by the clock; nothing of a stage that only its rings tell of.
std::optional<double> blocked_share(const JudgedPipeline& view, size_t stage, bool writing);

// "is on a CPU 98 %", "waits for the disk 61 %, runs 30 %"
std::string activity_text(const JudgedPipeline& view, size_t stage);
// The same without a number: "waits for the terminal"
std::string_view activity_name(const StageActivity& activity);

// "zstd", shortened if it is far too long; "zstd 4711" beside another zstd.
std::string shown_name(const JudgedPipeline& view, size_t stage);
// "a", "a and b", "a, b and c", "a, b and 2 more"
std::string names_of(const JudgedPipeline& view, std::span<const size_t> stages);

// The first that fits into a line; else the last one, as far as its words fit.
std::string first_fitting(std::initializer_list<std::string> lines);

// "HEAD: its input is full 97 %, its output empty 99 %, and it is on a CPU 98 % (one thread)";
// from the end on, what doesn't fit or isn't known is left out. `does_too`: the last part is not
// part of the head.
std::string with_evidence(std::string_view head, const JudgedPipeline& view, size_t stage,
                          bool does_too = true);

// A clause for each thing that speaks for it: the rings, the neighbours, what it does, and where.
std::vector<std::string> evidence_for(const JudgedPipeline& view, size_t stage);

// Says of the whole pipeline who has exited, who holds an unused end, who is not visible.
std::vector<std::string> circumstances(const JudgedPipeline& view);

}  // namespace pipetop

// How close real pipes get to the roof: real writers and readers, measured between
// the steps.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/trial.h"
#include "engine/meter/statistics.h"
#include "engine/model/functions.h"
#include "engine/model/presets.h"

namespace pipetop {

// The article's top rung, the same with a larger ring, and the fastest way for two
// processes on one CPU.
std::vector<Preset> limits_presets();

// From samples, another way to the cost of a call: the share of the total weight in functions whose
// name contains `call`, without waiting and waking (mutex, scheduler, wait queue), which is not a
// cost of the page. 0 without samples.
double working_share(const CallTree& tree, std::string_view call);

struct LimitsRun {
  std::string name;
  Settings settings;
  Reading<Spread> gib_per_s;
  bool one_cpu = false;  // both workers were pinned to one; else they have two or more
  // ns per page in vmsplice, and in splice to /dev/null, without waiting and waking, but including
  // calls of a busy loop that moved nothing.
  Reading<double> vmsplice_ns, release_ns;
};

// An engine whose workers are held between the measurements.
class LimitsRuns {
 public:
  // Throws Error if the pipe or a process cannot be created.
  LimitsRuns(const EngineOptions& options, std::vector<Preset> presets, Interrupts& interrupts);
  ~LimitsRuns();

  const std::vector<Preset>& presets() const { return presets_; }

  // Measures one of the runs, for about a third of a second.
  void visit(size_t preset);

  std::vector<LimitsRun> results() const;

 private:
  struct Sums;

  std::vector<Preset> presets_;
  std::vector<Sums> sums_;
  Session session_;
};

}  // namespace pipetop

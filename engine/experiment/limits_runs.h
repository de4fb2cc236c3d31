// How near whole pipes come to the roof: real writers and readers, measured between
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

// From the samples of who ran what, the other way to what a call costs: the share of all
// weight that lies in functions whose name contains `call`, without what they do to wait
// and to wake, which a page does not need: a mutex, the scheduler, a wait queue. 0
// without samples.
double working_share(const CallTree& tree, std::string_view call);

struct LimitsRun {
  std::string name;
  Settings settings;
  Reading<Spread> gib_per_s;
  bool one_cpu = false;  // both workers were pinned to one; else they have two or more
  // ns a page in vmsplice, and in splice to /dev/null, without waiting and waking; but the
  // calls of a busy loop that moved nothing are in it.
  Reading<double> vmsplice_ns, release_ns;
};

// One engine, whose workers stand still between the measurements.
class LimitsRuns {
 public:
  // Throws Error when there can be no pipe or no process.
  LimitsRuns(const EngineOptions& options, std::vector<Preset> presets, Interrupts& interrupts);
  ~LimitsRuns();

  const std::vector<Preset>& presets() const { return presets_; }

  // Measures one of them, for about a third of a second.
  void visit(size_t preset);

  std::vector<LimitsRun> results() const;

 private:
  struct Sums;
  LimitsRun result(size_t preset) const;

  std::vector<Preset> presets_;
  std::vector<Sums> sums_;
  Session session_;
};

}  // namespace pipetop

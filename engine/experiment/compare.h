// Two results of the same settings side by side, from one machine or from two: which of their rungs
// differ, by how much, and what else differs. Runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/trial.h"
#include "engine/meter/statistics.h"

namespace pipetop {

// Of a role, on its CPU.
struct StoredFunction {
  double share = 0, error = 0;  // of its samples, 0 to 1, with half of the 95 % interval
  std::optional<double> ns;     // for 4 KiB
};

// Of costs: who has less of it is faster.
inline constexpr std::string_view kCostUnit = "ns";

// What was measured with one setting.
struct StoredRung {
  std::string name = {};                             // of the preset, or the knob with its value
  std::map<std::string, std::string> settings = {};  // the requested knobs, as JSON
  std::string unit = {};                             // "GiB/s"
  std::vector<double> rounds = {};                   // 0, that nothing moved, or more
  std::map<std::string, StoredFunction> functions = {};  // "writer gup_fast_fallback"
};

// A file that `run`, `ladder`, `tune`, `limits` or `watch` has written.
struct StoredResult {
  std::string file = {}, kind = {};              // "ladder"
  std::map<std::string, std::string> host = {};  // facts: "kernel", "cpu"
  std::vector<StoredRung> rungs = {};
  std::optional<double> steal = {};  // share of the CPUs' time
  // Why it can't be trusted by its own account, or that it isn't complete.
  std::vector<std::string> doubts = {};
};

struct RungChange {
  enum class Outcome : uint8_t { faster, slower, same, unknown };

  std::string name = {}, unit = {};
  size_t rounds_before = 0, rounds_after = 0;
  double before = 0, after = 0;   // medians
  UnpairedComparison ratio = {};  // of after over before; of costs the other way round
  Outcome outcome = Outcome::unknown;
  double within = 0;                        // `same`: they differ by at most this share
  uint32_t more_rounds = 0;                 // `unknown`: that would tell, if they scatter as these
  std::vector<std::string> functions = {};  // what changed most: "writer f 12.1 -> 20.3 %"
};

struct FactChange {
  std::string fact = {}, before = {}, after = {};
};

struct ResultComparison {
  std::string before = {}, after = {};  // files
  bool in_turns = false;                // each round right after its partner
  double level = 0;  // of each interval, so that all of them hold as often as one should
  std::vector<RungChange> rungs = {};
  std::vector<std::string> only_before = {}, only_after = {};  // rungs
  std::vector<FactChange> facts = {};                          // of the machines
  std::vector<std::string> doubts = {};                        // of either result
};

// Nothing if it has none with these settings, and this unit. Median of its rounds.
std::optional<double> rate_in(const StoredResult& result,
                              const std::map<std::string, std::string>& settings,
                              const std::string& unit);

// Rungs have the same settings if all knobs that both files know are equal. A difference of less
// than `least` is the same.
ResultComparison compare_results(const StoredResult& before, const StoredResult& after,
                                 double least = 0.05);

// What a pair of runs measured, to the pairs before it. A rung has rounds of both or of neither.
void add_pair(StoredResult& a, StoredResult& b, const StoredResult& of_a, const StoredResult& of_b);

// The same of results that were measured in turns, one pair after the other: each pair of rounds by
// itself. `is_final`: every rung is told.
struct InTurns {
  ResultComparison comparison;
  bool is_final = false;
};
InTurns compare_in_turns(const StoredResult& a, const StoredResult& b, double least);

// Whether each of its rungs is slower by `slower`, or isn't.
bool is_told(const ResultComparison& comparison, double slower);

// `slower` 0.05: a rung whose whole interval is below 0.95 makes it fail; one that may be, or not,
// or isn't in the second result, and a doubt, make it untrustworthy.
Assessment assess(const ResultComparison& comparison, std::optional<double> slower);

}  // namespace pipetop

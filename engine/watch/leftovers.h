// What pipetops that have ended, and their guardians too, have left changed in other people's
// processes, as their records say (engine/process/change_record.h).
#pragma once

#include <string>
#include <vector>

#include "engine/process/change_record.h"

namespace pipetop {

struct Leftovers {
  std::vector<std::string> changes;  // "process 123: nice 0 -> 10"
  std::vector<std::string> damaged;  // records that say nothing
  int in_use = 0;                    // records of pipetops that still put back what they changed

  bool empty() const { return changes.empty() && damaged.empty(); }
};
// Of processes that still exist. Records of others are removed.
Leftovers find_leftovers(const std::string& records = record_directory());

// One line: what is there, and the remedy; "" for nothing.
std::string leftovers_text(const Leftovers& leftovers);

struct PutBackReport {
  std::vector<std::string> done;  // "undone: process 123: nice 0 -> 10"
  std::vector<std::string> left;  // with why, and the remedy
  int in_use = 0;
};
PutBackReport put_back_leftovers(const std::string& records = record_directory());

}  // namespace pipetop

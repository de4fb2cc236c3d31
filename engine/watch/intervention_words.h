// What was changed of other people's pipes, why it could not be, and what would put it back.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/process/change_ledger.h"
#include "engine/process/foreign_change.h"

namespace pipetop {

// There is nothing left of what was to be changed.
struct Gone : Error {
  using Error::Error;
};

// What was refused: "why; remedy".
Error why_not_reached(const PipeEnd& end, int error_number);
Error why_not_resized(uint64_t bytes, uint64_t queued, int error_number);
Gone why_gone(ProcessId process);

// Describes a step, while the list holds it: "pipe 81234: 64 KiB -> 1 MiB".
std::string text_of(const ChangeList& list, uint32_t step);

// Before that text: "undone: ".
std::string text_of(const PutBack& result);

bool is_in_place(const ChangeList& list, uint32_t step);  // any of it

// Why it could not be put back, the last time.
std::string why_in_place(const ChangeList& list, uint32_t step);

// "pipetop watch --put-back", with the rights that we have.
std::string put_back_command();

// What would put it back. `is_recorded`: for `pipetop watch --put-back`.
std::string remedy_of(const ChangeList& list, uint32_t step, bool is_recorded);

// What pipetops that have ended, and their guardians too, have left changed, as
// their records say (engine/process/change_ledger.h).
struct Leftovers {
  std::vector<std::string> changes;  // "pipe 81234: 64 KiB -> 1 MiB"
  std::vector<std::string> damaged;  // records that say nothing
  int in_use = 0;                    // records of pipetops that still put back what they changed

  bool empty() const { return changes.empty() && damaged.empty(); }
};
// Finds the changes of processes that still exist. Removes the records of others.
Leftovers find_leftovers(const std::string& records = record_directory());

// One line: what is there, and the remedy; "" for nothing.
std::string leftovers_text(const Leftovers& leftovers);

struct PutBackReport {
  std::vector<std::string> done;  // "undone: pipe 81234: 64 KiB -> 1 MiB"
  std::vector<std::string> left;  // with why, and the remedy
  int in_use = 0;
};
PutBackReport put_back_leftovers(const std::string& records = record_directory());

}  // namespace pipetop

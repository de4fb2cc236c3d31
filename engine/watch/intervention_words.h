// What was changed in other people's processes, why it could not be, and what would put it back.
#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/process/foreign_change.h"
#include "engine/process/put_back.h"

namespace pipetop {

// There is nothing left of what was to be changed.
struct Gone : Error {
  using Error::Error;
};

// What was refused: "why; remedy".
Error why_not_reached(const PipeEnd& end, int error_number);
Error why_not_resized(uint64_t bytes, uint64_t queued, int error_number);
Error why_not_reniced(ProcessId process, int nice, int error_number);
Error why_not_pinned(ProcessId process, const CpuMask& cpus, int error_number);
Gone why_gone(ProcessId process);

// Of a step, while the list holds it: "process 123: nice 0 -> 10".
std::string text_of(const ChangeList& list, uint32_t step);

// Before that text: "undone: ".
std::string text_of(const PutBack& result);

bool is_in_place(const ChangeList& list, uint32_t step);  // any of it

// Why it could not be put back, the last time.
std::string why_in_place(const ChangeList& list, uint32_t step);

// "pipetop watch --put-back", with the rights that we have.
std::string put_back_command();

// What would put it back: "renice -n 0 -p 123". `is_recorded`: for `pipetop watch --put-back`.
std::string remedy_of(const ChangeList& list, uint32_t step, bool is_recorded);

}  // namespace pipetop

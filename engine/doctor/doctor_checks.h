// The individual checks of diagnose(), grouped by what they need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/doctor/doctor.h"

namespace pipetop {

using Checks = std::vector<Check>;

Checks check_pipes();
Checks check_memory();
Checks check_machine();
Checks check_observers();

// The message of an errno.
std::string errno_text(int error_number);

inline Check works(std::string name, std::string found) {
  return {std::move(name), CheckResult::works, std::move(found), {}, {}};
}

}  // namespace pipetop

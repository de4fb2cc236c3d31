// The checks of diagnose() that have a file of their own, and what all checks use.
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/doctor/doctor.h"
#include "engine/process/pipe_owner.h"

namespace pipetop {

using Checks = std::vector<Check>;

void check_observers(Checks& checks);

inline void add(Checks& checks, std::string name, Check check) {
  check.name = std::move(name);
  checks.push_back(std::move(check));
}

// Results without a name.
inline Check works(std::string found) { return {{}, CheckResult::works, std::move(found), {}, {}}; }
inline Check limited(std::string found, std::string why, std::string remedy) {
  return {{}, CheckResult::limited, std::move(found), std::move(why), std::move(remedy)};
}
inline Check missing(std::string found, std::string why, std::string remedy) {
  return {{}, CheckResult::missing, std::move(found), std::move(why), std::move(remedy)};
}

std::optional<PipeOwner> make_pipe();  // nothing, with errno set, if there is none

inline std::string errno_text(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace pipetop

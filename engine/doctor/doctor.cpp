#include "engine/doctor/doctor.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "engine/doctor/doctor_checks.h"

namespace pipetop {

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

std::vector<Check> diagnose() {
  Checks all;
  for (const auto part : {check_pipes, check_memory, check_machine, check_observers}) {
    Checks checks = part();
    std::ranges::move(checks, std::back_inserter(all));
  }
  return all;
}

}  // namespace pipetop

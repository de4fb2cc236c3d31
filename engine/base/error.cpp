#include "engine/base/error.h"

#include <system_error>

namespace pipetop {

SystemError::SystemError(const std::string& operation, int error_number, Exit exit)
    : Error(operation + ": " + std::generic_category().message(error_number), exit),
      error_number_(error_number) {}

}  // namespace pipetop

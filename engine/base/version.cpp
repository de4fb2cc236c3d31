#include "engine/base/version.h"

namespace pipetop {

const std::string kVersion = PIPETOP_VERSION;

}  // namespace pipetop

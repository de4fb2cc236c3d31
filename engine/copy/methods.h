// Which methods two ends allow, by what they are.
#pragma once

#include <string>
#include <vector>

#include "engine/copy/copier.h"

namespace pipetop {

struct CopyMethods {
  std::vector<CopyMethod> best_first;  // the last one is `copy`, which always works
  std::string why;                     // why the first one isn't better; "" if nothing is
};

CopyMethods methods_for(const CopyEnd& in, const CopyEnd& out, bool may_splice);

}  // namespace pipetop

// Which methods two ends allow, by what they are.
#pragma once

#include <string>
#include <vector>

#include "engine/transfer/transfer.h"

namespace pipetop {

struct TransferMethods {
  std::vector<TransferMethod> best_first;  // the last one is `copy`, which always works
  std::string why;                         // why the first one isn't better; "" if nothing is
};

TransferMethods methods_for(const TransferEnd& in, const TransferEnd& out, bool may_splice);

}  // namespace pipetop

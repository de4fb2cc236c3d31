// A role's hottest functions, in few rows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/functions.h"

namespace pipetop::tui {

// Of fewer samples no shares are shown: they are counted.
inline constexpr uint64_t kTooFewSamples = 20;

struct HotFunction {
  std::string_view name;
  double share = 0;  // of the role's samples, without its callees
};

// Found once per table: it takes a walk over the whole tree.
class Hottest {
 public:
  void update(const Reading<FunctionTable>& functions);

  // The first `count` of them. `kept` is always among them, as the last one if it is not hot
  // enough; with a share of 0 if it was not seen.
  std::vector<HotFunction> first(size_t count, std::string_view kept) const;

 private:
  std::weak_ptr<const CallTree> tree_;
  std::vector<HotFunction> functions_;  // by descending share
};

}  // namespace pipetop::tui

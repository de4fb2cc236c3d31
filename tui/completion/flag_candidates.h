// The values that a flag takes.
#pragma once

#include <span>
#include <string>

#include "engine/config/config.h"
#include "engine/model/knob.h"
#include "tui/completion/candidates.h"

namespace pipetop::tui {

// The knob that a flag stands for, also in the article's spelling; nullptr if none.
const Knob* knob_of(const ListedFlag& flag);

struct ValueQuestion {
  const ListedFlag& flag;
  const std::string& typed;  // so far; of a list, the whole list
  bool several = false;      // of a knob, as `run` takes them: a,b or 1..4
};

// All values, also those that do not match `typed`. `start` has the available
// presets.
Candidates values_of(const ValueQuestion& question, const Config& start,
                     std::span<const std::string> directories);

}  // namespace pipetop::tui

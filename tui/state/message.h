// What the person should know now, for the line above the keys.
#pragma once

#include <string>

#include "tui/state/view_state.h"

namespace pipetop::tui {

struct Message {
  std::string text;
  Severity severity = Severity::info;
};

// Where the verdict can be read to its end.
enum class VerdictAt : uint8_t { ring, message };

// The filter that is being typed; else what a key said; else what is wrong, one after the other:
// new errors, knobs that did not take effect, new warnings; else news; else the path of the
// selected function, why stamped pages cannot be checked, the verdict, why the bytes are copied or
// not.
Message message_of(const Snapshot& snapshot, const ViewState& state,
                   VerdictAt verdict = VerdictAt::ring);

std::string verdict_text(const Verdict& verdict);  // "lock-bound: writer spins ..."

// Whether it can be read to its end on a line; so is its absence.
bool verdict_fits(const Reading<Verdict>& verdict, int cols);

}  // namespace pipetop::tui

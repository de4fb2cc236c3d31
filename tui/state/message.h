// What the user should know now, for the line above the keys.
#pragma once

#include <string>

#include "tui/state/view_state.h"

namespace pipetop::tui {

struct Message {
  std::string text;
  Severity severity = Severity::info;
};

// Whether the verdict is shown in full elsewhere.
enum class VerdictAt : uint8_t { ring, message };

// The filter being typed; else a key's message; else problems, in turn: new errors, knobs that did
// not take effect, new warnings; else news; else the path of the selected function, why stamped
// pages cannot be checked, the verdict, why the bytes are copied or not.
Message message_of(const Snapshot& snapshot, const ViewState& state,
                   VerdictAt verdict = VerdictAt::ring);

std::string verdict_text(const Verdict& verdict);  // "lock-bound: writer spins ..."

// Whether it fits on one line; the reason for its absence always counts.
bool verdict_fits(const Reading<Verdict>& verdict, int cols);

}  // namespace pipetop::tui

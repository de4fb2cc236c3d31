// What the user should know now: the line below the panels, and the page with all of it.
#pragma once

#include <string>
#include <vector>

#include "tui/dashboard/dashboard_state.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {

// Whether the cause of the last change is shown in full elsewhere.
enum class ChangeAt : uint8_t { throughput, message };

// The filter being typed; else a key's message; else problems, in turn: new errors, knobs that did
// not take effect, new warnings, and what disturbs the measurement; else news; else what the
// selected function does, and its path; else, in turn: what the last change did, why stamped pages
// cannot be checked, the verdict and its advice, what a marked function counts; else why the bytes
// are copied or not.
Message message_of(const Snapshot& snapshot, const DashboardState& state,
                   VerdictAt verdict = VerdictAt::ring, ChangeAt change = ChangeAt::throughput);
// All that there is to say now, in the same order.
std::vector<Message> messages_of(const Snapshot& snapshot, const DashboardState& state);

std::string verdict_text(const Verdict& verdict);  // "lock-bound: writer spins ..."
// "the reader no longer copies: _copy_to_iter 13.5 → 0 %", or as much of it as fits; "" while it is
// not known.
std::string cause_text(const Snapshot& snapshot, int cols);

}  // namespace pipetop::tui

// The line above the keys: what the person should know now.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
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

// The lines that it takes in so many columns.
int message_rows(const Message& message, int cols);

void draw_message(const Area& area, const Message& message);

}  // namespace pipetop::tui

// The keys that do not change knobs, for the help page; for knobs see the engine's table.
#pragma once

#include <span>

#include "tui/state/view_state.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {

std::span<const ScreenKey> screen_keys();

inline HelpContents help_of(const ViewState& view) {
  return {view.requested, view.presets, screen_keys()};
}

}  // namespace pipetop::tui

// What keys do to the function lists.
#pragma once

#include <optional>
#include <string>

#include "tui/state/keymap.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// Makes both lists' rows, as far as something changed, and finds selection and
// scroll in them. Call it for every frame, and after every key.
void show_lists(ViewState& view, const Snapshot& shown, int rows, int cols);

// What there is to say about it, "" if nothing; nothing at all if the command does
// not concern the lists.
std::optional<std::string> act_on_lists(ViewState& view, const KeyCommand& command, int page_rows);

// While the filter is being edited: whether the key was meant for it.
bool edit_filter(ViewState& view, Key key);

// Sets the filter aside; false if there is none.
bool drop_filter(ViewState& view);

}  // namespace pipetop::tui

// Handles the keys of the function lists.
#pragma once

#include <string_view>

#include "tui/draw/keys.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// Updates both lists' rows if something changed, and their selection and scroll. To
// be called for every frame, and after every key.
void show_lists(ViewState& view, const Snapshot& shown, int rows, int cols);

void move_selection(ListState& list, int lines);

// For the list with the focus.
void open_level(ViewState& view);
void open_entry(ViewState& view);
void open_all(ViewState& view);
void close_all(ViewState& view);

// For both lists. They return a message.
std::string_view toggle_form(ViewState& view);
std::string_view toggle_sort(ViewState& view);
std::string_view toggle_activity(ViewState& view);
std::string_view toggle_wall(ViewState& view);

void begin_filter(ViewState& view);
// While the filter is being edited: handles the key; returns whether it was used.
bool edit_filter(ViewState& view, Key key);

// Drops the filter; false if there is none.
bool drop_filter(ViewState& view);

}  // namespace pipetop::tui

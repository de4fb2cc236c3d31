// What keys do to the function lists.
#pragma once

#include <string_view>

#include "tui/draw/keys.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// Makes both lists' rows, as far as something changed, and finds selection and
// scroll in them. Call it for every frame, and after every key.
void show_lists(ViewState& view, const Snapshot& shown, int rows, int cols);

void move_selection(ListState& list, int lines);

// Of the list in focus.
void open_level(ViewState& view);
void open_entry(ViewState& view);
void open_all(ViewState& view);
void close_all(ViewState& view);

// Of both. They return what there is to say about it.
std::string_view toggle_form(ViewState& view);
std::string_view toggle_sort(ViewState& view);
std::string_view toggle_activity(ViewState& view);
std::string_view toggle_wall(ViewState& view);

void begin_filter(ViewState& view);
// While the filter is being edited: whether the key was meant for it.
bool edit_filter(ViewState& view, Key key);

// Sets the filter aside; false if there is none.
bool drop_filter(ViewState& view);

}  // namespace pipetop::tui

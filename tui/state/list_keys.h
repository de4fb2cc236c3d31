// What keys do to a function list: selection, which rows are open, and a filter being typed.
#pragma once

#include <string>

#include "tui/draw/keys.h"
#include "tui/state/list_state.h"

namespace pipetop::tui {

void move_selection(ListState& list, int lines);

// The selected row, else the top one: opens or closes it.
void open_level(ListState& list, const ListChoice& choice);
// All rows below it, too. Closes them only if everything is open already.
void open_entry(ListState& list, const ListChoice& choice);
void open_all(ListState& list, const ListChoice& choice);
void close_all(ListState& list, const ListChoice& choice);

// What a key does to a line of text: types, or takes back. False: it is none of these.
bool edit_text(std::string& text, Key key);

}  // namespace pipetop::tui

// What keys do to the function lists and to the ring's panel.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/ring_state.h"
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

// Begins at the tail, or ends. Returns a message for the user, or "".
std::string toggle_inspection(RingState& state, const RingView& ring);

// Handles a key while a slot is inspected: arrows move to its neighbours in the
// strip; PgUp, PgDn, up and down move by a line of the strip (or a quarter of the
// ring); Home moves to the tail, End to the newest slot; Esc ends it. `panel` is
// the inside of the ring's panel. False: the key has its usual meaning.
bool inspect(RingState& state, Key key, const Snapshot& shown, const Rect& panel);

// Switches to the next chart below the slots. Returns a message.
std::string_view next_picture(ViewState& view);

}  // namespace pipetop::tui

// Who does the work: the panel of one role with its rates, and the kernel functions, or callers and
// callees, by their share of its running or waiting time, as in perf; and the parts panel, in the
// place of the ring: each pair, client or worker with its rate, the total, and further figures of
// the workload.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {

struct FunctionListOptions {
  const ListState& list;
  const ListChoice& choice;
  Role role = Role::writer;
  bool focused = false;
  bool remedy_said = false;         // the reason for an empty list is elsewhere on the screen
  std::string_view highlight = {};  // a function that stands out
  bool by_timer = false;  // the samples are a timer's, which waits while interrupts are off
};

void draw_function_list(const Area& area, const FunctionListOptions& view);

// "writer 812 · cpu 0 · vmsplice · thp · busy", and its state unless it is flowing;
// shorter if there are fewer columns.
std::vector<TitlePart> worker_title(const WorkerReadings& worker, int cols);

// Inside a role's panel: lines of counters, and the function list.
int counter_rows(const Rect& panel);
// `unit` is of what it counts.
void draw_worker(const Area& area, const WorkerReadings& worker, const Unit& unit,
                 const FunctionListOptions& functions);

std::vector<TitlePart> parts_title(const Snapshot& snapshot);

void draw_parts(const Area& area, const Snapshot& snapshot);

}  // namespace pipetop::tui

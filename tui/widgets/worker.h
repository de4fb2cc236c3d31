// The panel of one role: what it is, its rates, where its time goes.
#pragma once

#include <vector>

#include "engine/model/snapshot.h"
#include "engine/model/terms.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/function_list.h"

namespace pipetop::tui {

// "writer 812 · cpu 0 · vmsplice · thp · busy", and its state unless it is flowing;
// shorter if there are fewer columns.
std::vector<TitlePart> worker_title(const WorkerView& worker, int cols);

// `unit` is of what it counts.
void draw_worker(const Area& area, const WorkerView& worker, const Unit& unit,
                 const FunctionListView& functions);

}  // namespace pipetop::tui

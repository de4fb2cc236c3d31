// Who does the work: the panel of one role with its rates and where its time goes; and the parts
// panel, in the place of the ring: each pair, client or worker with its rate, the total, and
// further figures of the workload.
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

std::vector<TitlePart> parts_title(const Snapshot& snapshot);

void draw_parts(const Area& area, const Snapshot& snapshot);

}  // namespace pipetop::tui

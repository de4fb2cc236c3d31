// The machine that a result was measured on, as JSON.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {

// Without the facts when `host` is null. `steal_share` is that of the result.
Json host_json(const HostInfo* host, const Reading<double>& steal_share);

}  // namespace pipetop::tui

// Whether a stage that polls waits for what others feed or empty: a peer over the network, somebody
// at a terminal. Else it sets its own pace, as `pv -L` does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/model/pipeline.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

// One direction of a connection between two stages, at either side of which is this socket.
bool joins_stages(const Pipe& pipe, uint64_t socket_inode);

// Sets Stage::outside by what its threads poll; what that is can't always be read: then by what it
// holds. Keeps what is known while none of them polls. `is_inside`: a socket leads to another
// stage.
void find_outside(const WatchParts& parts, std::span<const ScannedTask> threads,
                  const std::function<bool(uint64_t socket_inode)>& is_inside, Stage& stage);

}  // namespace pipetop

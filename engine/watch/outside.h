// Whether a stage that polls waits for what others feed or empty: a peer over the network, somebody
// at a terminal, another stage. Else it sets its own pace, as `pv -L` does.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "engine/model/pipeline.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

// The inodes of sockets that lead from one stage to another.
struct InnerSockets {
  std::set<uint64_t> written, read;

  void add(const Pipe& pipe);
  bool has(uint64_t inode) const { return written.contains(inode) || read.contains(inode); }
  // What is read there only replies to what is written, and is no pipe itself.
  bool is_replied_at(uint64_t inode) const {
    return written.contains(inode) && !read.contains(inode);
  }
};

// Sets Stage::outside and Stage::polls_peer by what its threads poll; what that is can't always be
// read: then the first by what it holds. Keeps what is known while none of them polls.
void find_outside(const WatchParts& parts, std::span<const ScannedTask> threads,
                  const InnerSockets& inner, Stage& stage);

// Whether it polls for nothing but the end of a time, as `pv -L` does in between: takes a look into
// the mean of up to so many in Stage::polls_nothing. `looks`: so far. 20 us.
void look_at_poll(const WatchParts& parts, std::span<const ScannedTask> threads,
                  uint32_t most_looks, uint32_t& looks, Stage& stage);

}  // namespace pipetop

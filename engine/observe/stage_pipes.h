// The watched pipes, as bpf/pipe_samples.bpf.c finds them and looks at them.
#pragma once

#include <pipe_samples.skel.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bpf/stages.h"
#include "engine/base/handles.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/place_table.h"
#include "engine/observe/stage_observer.h"

namespace pipetop::observe {

class StagePipes {
 public:
  StagePipes();  // throws Error

  // Returns how many are too many. While there is one, the clocks tick. Throws Error.
  uint32_t watch(std::span<const ScannedPipe> pipes);

  std::vector<RingTally> samples() const;

  // By the number of bpf/stages.h; also of those that were watched until recently.
  std::optional<PipeId> with_id(uint32_t id) const;
  // Finds a watched pipe by what /proc shows of a descriptor.
  std::optional<PipeId> with_inode(uint64_t inode, bool named) const;

  // For other programs, to share.
  int inodes_fd() const;
  int rings_fd() const;

  // Whether the kernel allows it all. Throws Error.
  void try_clocks();

 private:
  // Before it was watched.
  struct Counts {
    uint64_t samples = 0, empty = 0, full = 0, used = 0;
  };

  void tick(bool on);
  void enter(const PipeId& pipe, uint32_t place);
  void leave(const PipeId& pipe, uint32_t place);
  void find(std::span<const ScannedPipe> pipes);
  bool is_lost(const PipeId& pipe) const;
  Counts counted(uint32_t place) const;
  stage_ring& ring(uint32_t place) const { return static_cast<stage_ring*>(rings_.data())[place]; }

  const uint32_t cpus_;
  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<pipe_samples_bpf> skeleton_;
  Mapping rings_, samples_;
  std::vector<Link> clocks_;

  PlaceTable<PipeId> places_{STAGE_PIPES};
  std::array<Counts, STAGE_PIPES> before_{};
  std::map<uint32_t, PipeId> past_;
  uint32_t generation_ = 0;
  uint32_t nameless_device_ = 0;  // of pipes that are no FIFOs
};

}  // namespace pipetop::observe

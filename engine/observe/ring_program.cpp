#include "engine/observe/ring_program.h"

#include <array>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::observe {
namespace {

struct Stealer {
  ring_stealer index;
  const char* function;
};

constexpr std::array kStealers = {
    Stealer{RING_STEAL_ANON, "anon_pipe_buf_try_steal"},
    Stealer{RING_STEAL_GENERIC, "generic_pipe_buf_try_steal"},
    Stealer{RING_STEAL_USER_PAGE, "user_page_pipe_buf_try_steal"},
    Stealer{RING_STEAL_PAGE_CACHE, "page_cache_pipe_buf_try_steal"},
    Stealer{RING_STEAL_ZERO_PAGE, "zero_pipe_buf_try_steal"},  // since 6.5
};
static_assert(kStealers.size() == RING_STEALERS);

}  // namespace

RingProgram::RingProgram() {
  skeleton_ = load_skeleton<ring_bpf>("the ring reader", [](ring_bpf&) {});
  snapshots_ = map_array(skeleton_->maps.snapshots);
  copies_ = map_array(skeleton_->maps.copies);
}

void RingProgram::learn_kinds(const Symbols& symbols) {
  for (const Stealer& stealer : kStealers)
    skeleton_->bss->stealers[stealer.index] = symbols.address_of(stealer.function);
}

void RingProgram::choose(int fd, uint64_t inode) {
  skeleton_->bss->pipe_fd = static_cast<uint32_t>(fd);
  skeleton_->bss->pipe_ino = inode;
}

const ring_snapshot* RingProgram::read(const Link& process, ring_copier copier) {
  skeleton_->bss->copier = copier;
  auto& snapshot = *static_cast<ring_snapshot*>(snapshots_.data());
  snapshot.ring.at_ns = 0;
  if (!run_iterator(process)) throw SystemError("read of the ring", errno);
  return snapshot.ring.at_ns != 0 ? &snapshot : nullptr;
}

}  // namespace pipetop::observe

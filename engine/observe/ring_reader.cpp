#include "engine/observe/ring_reader.h"

#include <ring.skel.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/observe/libbpf.h"

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

struct stat stat_of_pipe(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw SystemError("fstat of the pipe", errno);
  if (!S_ISFIFO(status.st_mode)) throw Error("the observed descriptor is not a pipe; give a pipe");
  return status;
}

class BpfRingReader final : public RingReader {
 public:
  explicit BpfRingReader(int pipe_fd) {
    const struct stat pipe = stat_of_pipe(pipe_fd);
    skeleton_ = load_skeleton<ring_bpf>("the ring reader", [&](ring_bpf& ring) {
      ring.rodata->pipe_fd = static_cast<uint32_t>(pipe_fd);
      ring.rodata->pipe_ino = pipe.st_ino;
    });
    snapshots_ = map_array(skeleton_->maps.snapshots);
    copies_ = map_array(skeleton_->maps.copies);

    // The main thread shares the process's files, and lives as long.
    link_ = attach_to_task(skeleton_->progs.take_snapshot, getpid());
    if (!link_) throw_refused("attach the ring reader", errno);
    pipe_address_ = snapshot_by(RING_BY_ITERATOR).ring.pipe;
  }

  void learn_kinds(const Symbols& symbols) override {
    for (const Stealer& stealer : kStealers)
      skeleton_->bss->stealers[stealer.index] = symbols.address_of(stealer.function);
  }

  uint64_t pipe_address() const override { return pipe_address_; }
  int copies_fd() const override { return bpf_map__fd(skeleton_->maps.copies); }

  const ring_snapshot& take_snapshot() override { return snapshot_by(RING_BY_ITERATOR); }

  const ring_snapshot* snapshot_of_tick() override {
    const auto& copy = static_cast<const ring_copy*>(copies_.data())[RING_BY_TICK];
    const uint64_t at_ns = __atomic_load_n(&copy.ring.at_ns, __ATOMIC_ACQUIRE);
    if (at_ns == last_tick_ns_) return nullptr;
    last_tick_ns_ = at_ns;
    return &snapshot_by(RING_BY_TICK);
  }

 private:
  const ring_snapshot& snapshot_by(ring_copier copier) {
    skeleton_->bss->copier = copier;
    auto& snapshot = *static_cast<ring_snapshot*>(snapshots_.data());
    snapshot.ring.at_ns = 0;
    if (!run_iterator(link_)) throw SystemError("read of the ring", errno);
    if (snapshot.ring.at_ns == 0)
      throw Error("the pipe is no longer open; restart pipetop", Exit::refused);
    return snapshot;
  }

  Skeleton<ring_bpf> skeleton_;
  Mapping snapshots_, copies_;
  uint64_t pipe_address_ = 0;
  uint64_t last_tick_ns_ = 0;
  Link link_;
};

}  // namespace

std::unique_ptr<RingReader> make_ring_reader(int pipe_fd) {
  return std::make_unique<BpfRingReader>(pipe_fd);
}

}  // namespace pipetop::observe

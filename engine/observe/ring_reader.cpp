#include "engine/observe/ring_reader.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <future>
#include <map>

#include "bpf/ring.h"

// The skeleton has variables of these types.
#include <ring.skel.h>

#include "engine/base/error.h"
#include "engine/base/handles.h"
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

// bpf/ring.bpf.c, loaded: for a pipe of ours as for those of others.
class RingProgram {
 public:
  RingProgram()
      : skeleton_(load_skeleton<ring_bpf>("the ring reader", [](ring_bpf&) {})),
        snapshots_(map_array(skeleton_->maps.snapshots)),
        copies_(map_array(skeleton_->maps.copies)) {}

  const bpf_program* iterator() const { return skeleton_->progs.take_snapshot; }
  int copies_fd() const { return bpf_map__fd(skeleton_->maps.copies); }
  const ring_copy& copy(ring_copier copier) const {
    return static_cast<const ring_copy*>(copies_.data())[copier];
  }

  // Used to identify a slot's kind; until set, every slot is `other`.
  void learn_kinds(const Symbols& symbols) {
    for (const Stealer& stealer : kStealers)
      skeleton_->bss->stealers[stealer.index] = symbols.address_of(stealer.function);
  }

  // Which pipe is read from now on: what a descriptor of the process refers to.
  void choose(int fd, uint64_t inode) {
    skeleton_->bss->pipe_fd = static_cast<uint32_t>(fd);
    skeleton_->bss->pipe_ino = inode;
  }

  // Through a link to the process that holds it. Null if it doesn't hold it there; else valid until
  // the next call. Throws SystemError.
  const ring_snapshot* read(const Link& process, ring_copier copier) {
    skeleton_->bss->copier = copier;
    auto& snapshot = *static_cast<ring_snapshot*>(snapshots_.data());
    snapshot.ring.at_ns = 0;
    if (!run_iterator(process)) throw SystemError("read of the ring", errno);
    return snapshot.ring.at_ns != 0 ? &snapshot : nullptr;
  }

 private:
  Skeleton<ring_bpf> skeleton_;
  Mapping snapshots_, copies_;
};

struct stat stat_of_pipe(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw SystemError("fstat of the pipe", errno);
  if (!S_ISFIFO(status.st_mode)) throw Error("the observed descriptor is not a pipe; give a pipe");
  return status;
}

class BpfRingReader final : public RingReader {
 public:
  explicit BpfRingReader(int pipe_fd) {
    program_.choose(pipe_fd, stat_of_pipe(pipe_fd).st_ino);
    // The main thread shares the process's files, and lives as long.
    link_ = attach_to_task(program_.iterator(), getpid());
    if (!link_) throw_refused("attach the ring reader", errno);
    pipe_address_ = snapshot_by(RING_BY_ITERATOR).ring.pipe;
  }

  void learn_kinds(const Symbols& symbols) override { program_.learn_kinds(symbols); }

  uint64_t pipe_address() const override { return pipe_address_; }
  int copies_fd() const override { return program_.copies_fd(); }

  const ring_snapshot& take_snapshot() override { return snapshot_by(RING_BY_ITERATOR); }

  const ring_snapshot* snapshot_of_tick() override {
    const uint64_t at_ns =
        __atomic_load_n(&program_.copy(RING_BY_TICK).ring.at_ns, __ATOMIC_ACQUIRE);
    if (at_ns == last_tick_ns_) return nullptr;
    last_tick_ns_ = at_ns;
    return &snapshot_by(RING_BY_TICK);
  }

 private:
  const ring_snapshot& snapshot_by(ring_copier copier) {
    const ring_snapshot* snapshot = program_.read(link_, copier);
    if (!snapshot) throw Error("the pipe is no longer open; restart pipetop", Exit::refused);
    return *snapshot;
  }

  RingProgram program_;
  uint64_t pipe_address_ = 0;
  uint64_t last_tick_ns_ = 0;
  Link link_;
};

// A pipeline needs a few at a time.
constexpr size_t kMostLinks = 64;

class BpfForeignRings final : public ForeignRings {
 public:
  // The kernel takes 40 ms to write its symbols.
  BpfForeignRings()
      : symbols_(std::async(std::launch::async | std::launch::deferred, Symbols::of_this_kernel)) {
    // A refusal must be noticed now.
    (void)attached(getpid());
  }

  Reading<RingFrame> frame(PipeId pipe, const PipeEnd& end) override {
    if (symbols_.valid()) program_.learn_kinds(symbols_.get());
    program_.choose(end.fd, pipe.inode);
    try {
      const ring_snapshot* snapshot = program_.read(attached(end.process.pid), RING_BY_ITERATOR);
      if (!snapshot)
        return Reading<RingFrame>::unavailable("this pipe end was closed; select another pipe");
      return frame_of(*snapshot);
    } catch (const Error& refused) {
      return Reading<RingFrame>::unavailable(refused.what());
    }
  }

 private:
  const Link& attached(pid_t pid) {
    Link& link = links_[pid];
    if (link) return link;
    if (links_.size() > kMostLinks) {
      links_.clear();
      return attached(pid);
    }
    begin_libbpf_log();
    link = attach_to_process(program_.iterator(), pid);
    if (!link) throw_refused("attach the ring reader", errno);
    return link;
  }

  RingProgram program_;
  std::map<pid_t, Link> links_;
  std::future<Symbols> symbols_;
};

}  // namespace

std::unique_ptr<RingReader> make_ring_reader(int pipe_fd) {
  return std::make_unique<BpfRingReader>(pipe_fd);
}

std::unique_ptr<ForeignRings> make_foreign_rings() { return std::make_unique<BpfForeignRings>(); }

}  // namespace pipetop::observe

#include "engine/observe/ring_reader.h"

#include <sys/stat.h>

#include <cerrno>

#include "engine/base/error.h"
#include "engine/observe/ring_program.h"

namespace pipetop::observe {
namespace {

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

}  // namespace

std::unique_ptr<RingReader> make_ring_reader(int pipe_fd) {
  return std::make_unique<BpfRingReader>(pipe_fd);
}

}  // namespace pipetop::observe

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <csignal>

#include "engine/base/clock.h"
#include "engine/base/handles.h"
#include "engine/host/buffer.h"
#include "engine/model/snapshot.h"
#include "engine/process/placement.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

bool again() { return errno == EAGAIN || errno == EINTR; }

[[noreturn]] void bare_writer(const Settings& s, int fd) {
  const Buffer buffers[2] = {map_buffer({s.pipe.pages, s.pipe.buf_size, true, false}),
                             map_buffer({s.pipe.pages, s.pipe.buf_size, true, false})};
  const unsigned flags = is_busy(s.pipe.writer_wait) ? SPLICE_F_NONBLOCK : 0;
  const bool lends = s.pipe.write_with == WriteWith::vmsplice;
  for (unsigned turn = 0;; ++turn) {
    iovec range = {buffers[lends ? turn % 2 : 0].data, s.pipe.buf_size};
    while (range.iov_len > 0) {
      const ssize_t moved =
          lends ? ::vmsplice(fd, &range, 1, flags) : ::write(fd, range.iov_base, range.iov_len);
      if (moved < 0 && !again()) ::_exit(1);
      if (moved < 0) continue;
      range.iov_base = static_cast<char*>(range.iov_base) + moved;
      range.iov_len -= static_cast<size_t>(moved);
    }
  }
}

// Returns GiB/s.
double bare_reader(const Settings& s, int fd, uint64_t bytes) {
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Buffer buffer = map_buffer({s.pipe.pages, s.pipe.buf_size, true, false});
  const unsigned flags = is_busy(s.pipe.reader_wait) ? SPLICE_F_NONBLOCK : 0;
  uint64_t count = 0, begin = 0;
  while (count < bytes) {
    const ssize_t moved = s.pipe.read_with == ReadWith::splice
                              ? ::splice(fd, nullptr, null.get(), nullptr, s.pipe.buf_size, flags)
                              : ::read(fd, buffer.data, s.pipe.buf_size);
    if (moved < 0 && !again()) ::_exit(1);
    // Timed from the first byte, without the writer's start.
    if (moved > 0 && begin == 0) begin = monotonic_ns();
    if (moved > 0) count += static_cast<uint64_t>(moved);
  }
  return double(bytes) / kGiB / (double(monotonic_ns() - begin) / 1e9);
}

template <class Body>
pid_t fork_on(int cpu, Body body) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Cpu only[] = {{.number = cpu}};
  pin(0, cpu, only);
  body();
  ::_exit(0);
}

}  // namespace

double bare_rate(const Settings& s, uint64_t bytes) {
  const PlacementChoice cpus = choose_cpus(s.pipe, read_topology());
  PipeOwner pipe;
  ChildResult result;
  if (const uint64_t size = wanted_pipe_bytes(s.pipe); size != kAutoPipeSize) pipe.resize(size);
  if (is_busy(s.pipe.reader_wait)) ::fcntl(pipe.read_fd(), F_SETFL, O_NONBLOCK);
  if (is_busy(s.pipe.writer_wait)) ::fcntl(pipe.write_fd(), F_SETFL, O_NONBLOCK);

  const pid_t writer = fork_on(cpus.writer_cpu, [&] { bare_writer(s, pipe.write_fd()); });
  const pid_t reader =
      fork_on(cpus.reader_cpu, [&] { result.give(bare_reader(s, pipe.read_fd(), bytes)); });
  ::waitpid(reader, nullptr, 0);
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  return result.take();
}

}  // namespace pipetop::bench

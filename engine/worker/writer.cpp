// The writer process: its loop, and all techniques of writing.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/worker/pipe_worker.h"
#include "engine/worker/writer_memory.h"

namespace pipetop {
namespace {

// The context of a technique's loop.
struct WriterLoop {
  PipeWorker& worker;
  WriterBuffers& buffers;
  TeeSource& tee_source;  // empty
  unsigned splice_flags;  // for all but write
  SlowMotion motion;
};

// The loop, for any system call that moves bytes from memory into the pipe. Instantiated per
// technique, wait and pace, so that an iteration does not test any options.
//
// transfer(fd, data, bytes, flags) -> bytes moved, or -1 with errno.
template <Wait wait, class Pace, class Transfer>
[[gnu::always_inline]] inline LoopEnd write_loop(WriterLoop& loop, Transfer transfer) {
  PipeWorker& worker = loop.worker;
  Pace pace(loop.motion);
  for (;;) {
    auto [data, left] = loop.buffers.next(worker.counts().items);
    loop.buffers.mark_rewritten(worker.marks());
    while (left > 0) {
      if (worker.changed()) return LoopEnd::changed;
      if (!pace.template ready<wait>(worker, POLLOUT)) continue;
      const uint64_t asked = pace.limit(left);
      const ssize_t moved = transfer(worker.pipe_fd(), data, asked, loop.splice_flags);
      if (!worker.account<wait>(moved, asked)) return LoopEnd::failed;
      if (moved <= 0) continue;
      pace.moved(worker);
      data += moved;
      left -= static_cast<uint64_t>(moved);
    }
  }
}

// write(2): the kernel copies our bytes into pages of its own.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_write(WriterLoop& loop) {
  return write_loop<wait, Pace>(loop, [](int fd, const char* data, uint64_t bytes, unsigned) {
    return ::write(fd, data, bytes);
  });
}

// vmsplice(2): the pipe refers to our pages; nothing is copied.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_vmsplice(WriterLoop& loop) {
  return write_loop<wait, Pace>(loop, [](int fd, char* data, uint64_t bytes, unsigned flags) {
    const iovec range = {data, bytes};
    return ::vmsplice(fd, &range, 1, flags);
  });
}

// tee(2): the pipe refers to the pages that another pipe refers to; nothing is copied, and no page
// has to be looked up. The source is filled once.
//
// Stamped pages are sent once each: tee always begins at the head of the source, so what was sent
// is removed from it.
template <Wait wait, class Pace, Payload payload>
[[gnu::noinline]] LoopEnd with_tee(WriterLoop& loop) {
  TeeSource& source = loop.tee_source;
  uint64_t& calls = loop.worker.counts().helper_calls;
  return write_loop<wait, Pace>(
      loop, [&](int fd, const char* data, uint64_t bytes, unsigned flags) -> ssize_t {
        if (!source.hold(data, bytes, calls)) return -1;
        const ssize_t moved = ::tee(source.fd(), fd, bytes, flags);
        if constexpr (payload == Payload::stamped)
          if (moved > 0 && !source.drop(static_cast<uint64_t>(moved), calls)) return -1;
        return moved;
      });
}

// splice(2) from a file: the pipe refers to pages of the page cache; nothing is copied.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_file_splice(WriterLoop& loop) {
  const int file = loop.buffers.file();
  const char* const start = loop.buffers.file_start();
  return write_loop<wait, Pace>(loop,
                                [=](int fd, const char* data, uint64_t bytes, unsigned flags) {
                                  loff_t offset = data - start;
                                  return ::splice(file, &offset, fd, nullptr, bytes, flags);
                                });
}

template <Wait wait, class Pace>
LoopEnd run_technique(const PipeCommand& command, WriterLoop& loop) {
  switch (static_cast<WriteWith>(command.technique)) {
    case WriteWith::vmsplice:
      return with_vmsplice<wait, Pace>(loop);
    case WriteWith::tee:
      return command.payload == Payload::stamped ? with_tee<wait, Pace, Payload::stamped>(loop)
                                                 : with_tee<wait, Pace, Payload::constant>(loop);
    case WriteWith::splice:
      return with_file_splice<wait, Pace>(loop);
    case WriteWith::write:
      break;
  }
  return with_write<wait, Pace>(loop);
}

}  // namespace

int run_writer(ControlBlock& block, int pipe_fd) {
  WriterBuffers buffers;
  TeeSource tee_source;
  const auto prepare = [&](PipeCommand command, WorkerReport& report) {
    // Before making new buffers, because it may hold huge pages of the old ones.
    tee_source.close();
    if (static_cast<WriteWith>(command.technique) == WriteWith::tee &&
        !tee_source.open(command.buf_bytes)) {
      report.error_number = static_cast<uint64_t>(errno);
      return false;
    }
    // A source that is smaller than a buffer makes the calls smaller.
    uint64_t call_bytes = 0;
    if (tee_source.capacity_bytes() > 0 && tee_source.capacity_bytes() < command.buf_bytes)
      command.buf_bytes = call_bytes = tee_source.capacity_bytes();
    const bool ready = buffers.prepare(command);
    PipeReport granted = buffers.granted();
    granted.call_bytes = call_bytes;
    put_words(report.words, granted);
    report.error_number = static_cast<uint64_t>(buffers.error_number());
    return ready;
  };
  const auto move = [&](const PipeCommand& command, PipeWorker& worker) {
    WriterLoop loop = {worker, buffers, tee_source, splice_flags(command, SPLICE_F_GIFT),
                       slow_motion_of(Role::writer, command)};
    return with_kind_of_loop(
        command, [&]<Wait wait, class Pace>() { return run_technique<wait, Pace>(command, loop); });
  };
  return run_pipe_role(block, pipe_fd, prepare, move);
}

}  // namespace pipetop

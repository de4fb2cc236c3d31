// The reader process: its loop, and all techniques of reading.
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/handles.h"
#include "engine/host/buffer.h"
#include "engine/worker/pipe_worker.h"
#include "engine/worker/stamp.h"

namespace pipetop {
namespace {

// The context of a technique's loop.
struct ReaderLoop {
  PipeWorker& worker;
  char* data;      // where read() puts the bytes
  uint64_t bytes;  // requested per call
  int sink_fd;     // where splice() sends them: /dev/null
  unsigned splice_flags;
  StampChecker& checker;
  SlowMotion motion;
};

// The loop, for any system call that takes bytes out of the pipe.
//
// transfer(requested bytes) -> bytes moved, or -1 with errno; check(bytes, offset) is called with
// what arrived and its offset in the stream.
template <Wait wait, class Pace, class Transfer, class Check>
[[gnu::always_inline]] inline LoopEnd read_loop(ReaderLoop& loop, Transfer transfer, Check check) {
  PipeWorker& worker = loop.worker;
  Pace pace(loop.motion);
  for (;;) {
    if (worker.changed()) return LoopEnd::changed;
    if (!pace.template ready<wait>(worker, POLLIN)) continue;
    const uint64_t asked = pace.limit(loop.bytes);
    const uint64_t offset = worker.counts().items;
    const ssize_t moved = transfer(asked);
    if (!worker.account<wait>(moved, asked)) return LoopEnd::failed;
    if (moved <= 0) continue;
    check(static_cast<uint64_t>(moved), offset);
    pace.moved(worker);
  }
}

// read(2): the kernel copies the pipe's pages into our buffer.
template <Wait wait, class Pace, Payload payload>
[[gnu::noinline]] LoopEnd with_read(ReaderLoop& loop) {
  return read_loop<wait, Pace>(
      loop, [&](uint64_t bytes) { return ::read(loop.worker.pipe_fd(), loop.data, bytes); },
      [&](uint64_t bytes, uint64_t offset) {
        if constexpr (payload == Payload::stamped) loop.checker.check(loop.data, bytes, offset);
      });
}

// splice(2) to /dev/null: the pages are released without being read.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_splice(ReaderLoop& loop) {
  return read_loop<wait, Pace>(
      loop,
      [&](uint64_t bytes) {
        return ::splice(loop.worker.pipe_fd(), nullptr, loop.sink_fd, nullptr, bytes,
                        loop.splice_flags);
      },
      [](uint64_t, uint64_t) {});
}

template <Wait wait, class Pace>
LoopEnd run_technique(const PipeCommand& command, ReaderLoop& loop) {
  switch (static_cast<ReadWith>(command.technique)) {
    case ReadWith::splice:
      return with_splice<wait, Pace>(loop);
    case ReadWith::read:
      break;
  }
  return command.payload == Payload::stamped ? with_read<wait, Pace, Payload::stamped>(loop)
                                             : with_read<wait, Pace, Payload::constant>(loop);
}

// splice() to /dev/null needs no memory of ours.
BufferRequest request_for(const PipeCommand& command) {
  if (static_cast<ReadWith>(command.technique) == ReadWith::splice) return {};
  return {command.pages, command.buf_bytes, command.touch_pages, command.lock_memory};
}

}  // namespace

int run_reader(ControlBlock& block, int pipe_fd) {
  const UniqueFd sink(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  StampChecker checker(block.integrity);
  // A reader that replaces a dead one cannot know how much was read since the last
  // count: it takes its position from the stream.
  const bool fresh = block.counts.items == 0;
  BufferRequest request;
  Buffer buffer;

  const auto prepare = [&](const PipeCommand& command, WorkerReport& report) {
    checker.expect_epoch(command.epoch, fresh && command.epoch == kFirstEpoch);
    const BufferRequest wanted = request_for(command);
    if (wanted != request) {
      buffer = {};
      if (wanted.bytes > 0) buffer = map_buffer(wanted);
      request = wanted;
    }
    put_words(report.words,
              PipeReport{.pages = buffer.pages,
                         .pages_error = buffer.pages_error,
                         .lock_error = buffer.lock_error,
                         .buffer_bytes = request.bytes,
                         .buffer_address = {reinterpret_cast<uintptr_t>(buffer.data)}});
    report.error_number = static_cast<uint64_t>(buffer.error_number);
    return wanted.bytes == 0 || buffer.data != nullptr;
  };
  const auto move = [&](const PipeCommand& command, PipeWorker& worker) {
    ReaderLoop loop = {worker,
                       buffer.data,
                       command.buf_bytes,
                       sink.get(),
                       splice_flags(command, SPLICE_F_MOVE),
                       checker,
                       slow_motion_of(Role::reader, command)};
    return with_kind_of_loop(
        command, [&]<Wait wait, class Pace>() { return run_technique<wait, Pace>(command, loop); });
  };
  return run_pipe_role(block, pipe_fd, prepare, move);
}

}  // namespace pipetop

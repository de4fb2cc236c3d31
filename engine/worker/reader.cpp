#include "engine/worker/reader.h"

#include "engine/base/unique_fd.h"
#include "engine/worker/role_loop.h"

namespace pipetop {
namespace {

ReadTechnique choose(const PipeCommand& command) {
  const LoopKind kind = loop_kind(command);
  if (static_cast<ReadWith>(command.technique) == ReadWith::splice) return splice_technique(kind);
  const bool stamped = static_cast<Payload>(command.payload) == Payload::stamped;
  return stamped ? read_checked_technique(kind) : read_technique(kind);
}

// splice() to /dev/null needs no memory of ours.
BufferRequest request_for(const PipeCommand& command) {
  if (static_cast<ReadWith>(command.technique) == ReadWith::splice) return {};
  return {static_cast<Pages>(command.pages), command.buf_bytes, command.touch_pages != 0,
          command.lock_memory != 0};
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
              PipeReport{.pages = static_cast<uint64_t>(buffer.pages),
                         .pages_error = static_cast<uint64_t>(buffer.pages_error),
                         .lock_error = static_cast<uint64_t>(buffer.lock_error),
                         .buffer_bytes = request.bytes,
                         .buffer_address = {reinterpret_cast<uintptr_t>(buffer.data)}});
    report.error_number = static_cast<uint64_t>(buffer.error_number);
    return wanted.bytes == 0 || buffer.data != nullptr;
  };
  const auto move = [&](const PipeCommand& command, Flow& flow) {
    ReaderLoop loop = {flow,
                       buffer.data,
                       command.buf_bytes,
                       sink.get(),
                       splice_flags(command, SPLICE_F_MOVE),
                       checker,
                       slow_motion_of(Role::reader, command)};
    return choose(command)(loop);
  };
  return run_pipe_role(block, pipe_fd, prepare, move);
}

}  // namespace pipetop

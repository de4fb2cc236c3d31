#include "engine/worker/writer.h"

#include <algorithm>
#include <cerrno>

#include "engine/worker/role_loop.h"

namespace pipetop {
namespace {

WriteTechnique choose(const PipeCommand& command) {
  const LoopKind kind = loop_kind(command);
  const bool stamped = static_cast<Payload>(command.payload) == Payload::stamped;
  switch (static_cast<WriteWith>(command.technique)) {
    case WriteWith::vmsplice:
      return vmsplice_technique(kind);
    case WriteWith::tee:
      return stamped ? tee_once_technique(kind) : tee_technique(kind);
    case WriteWith::splice:
      return file_splice_technique(kind);
    case WriteWith::write:
      break;
  }
  return write_technique(kind);
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
  const auto move = [&](const PipeCommand& command, Flow& flow) {
    WriterLoop loop = {flow, buffers, tee_source, splice_flags(command, SPLICE_F_GIFT),
                       slow_motion_of(Role::writer, command)};
    return choose(command)(loop);
  };
  return run_pipe_role(block, pipe_fd, prepare, move);
}

}  // namespace pipetop

#include "engine/worker/writer.h"

#include "engine/worker/role_loop.h"

namespace pipetop {

int run_writer(ControlBlock& block, int pipe_fd) {
  WriterBuffers buffers;
  const auto prepare = [&](const PipeCommand& command, WorkerReport& report) {
    const bool granted = buffers.prepare(command);
    buffers.describe(report);
    return granted;
  };
  const auto move = [&](const PipeCommand& command, Flow& flow) {
    WriterLoop loop = {flow, buffers, splice_flags(command, SPLICE_F_GIFT),
                       slow_motion_of(Role::writer, command)};
    const LoopKind kind = loop_kind(command);
    const bool lends = static_cast<WriteWith>(command.technique) == WriteWith::vmsplice;
    return (lends ? vmsplice_technique(kind) : write_technique(kind))(loop);
  };
  return run_pipe_role(block, pipe_fd, prepare, move);
}

}  // namespace pipetop

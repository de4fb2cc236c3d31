// read(2): the kernel copies the pipe's pages into our buffer.
#include <unistd.h>

#include "engine/worker/reader.h"

namespace pipetop {
namespace {

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_read(ReaderLoop& loop) {
  return read_loop<wait, Pace>(
      loop, [&](uint64_t bytes) { return ::read(loop.flow.pipe_fd(), loop.data, bytes); },
      [](uint64_t, uint64_t) {});
}

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_checked_read(ReaderLoop& loop) {
  return read_loop<wait, Pace>(
      loop, [&](uint64_t bytes) { return ::read(loop.flow.pipe_fd(), loop.data, bytes); },
      [&](uint64_t bytes, uint64_t offset) { loop.checker.check(loop.data, bytes, offset); });
}

}  // namespace

ReadTechnique read_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> ReadTechnique { return with_read<wait, Pace>; });
}

ReadTechnique read_checked_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> ReadTechnique { return with_checked_read<wait, Pace>; });
}

}  // namespace pipetop

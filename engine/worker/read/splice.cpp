// splice(2) to /dev/null: the pages are released without being read.
#include <fcntl.h>

#include "engine/worker/reader.h"

namespace pipetop {
namespace {

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_splice(ReaderLoop& loop) {
  return read_loop<wait, Pace>(
      loop,
      [&](uint64_t bytes) {
        return ::splice(loop.flow.pipe_fd(), nullptr, loop.sink_fd, nullptr, bytes,
                        loop.splice_flags);
      },
      [](uint64_t, uint64_t) {});
}

}  // namespace

ReadTechnique splice_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> ReadTechnique { return with_splice<wait, Pace>; });
}

}  // namespace pipetop

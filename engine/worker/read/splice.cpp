// splice(2) to /dev/null: the pages are let go of without being looked at.
#include <fcntl.h>

#include "engine/worker/read/loop.h"
#include "engine/worker/technique_table.h"

namespace pipetop {
namespace {

template <Wait wait>
[[gnu::noinline]] LoopEnd with_splice(ReaderLoop& loop) {
  return read_loop<wait>(
      loop,
      [&] {
        return ::splice(loop.flow.pipe_fd(), nullptr, loop.sink_fd, nullptr, loop.bytes,
                        loop.splice_flags);
      },
      [](uint64_t, uint64_t) {});
}

}  // namespace

ReadTechnique splice_technique(Wait wait) {
  return technique_table<ReadTechnique>(wait, with_splice<Wait::block>, with_splice<Wait::poll>,
                                        with_splice<Wait::busy>, with_splice<Wait::busy_poll>);
}

}  // namespace pipetop

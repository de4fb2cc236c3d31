// read(2): the kernel copies the pipe's pages into our buffer.
#include <unistd.h>

#include "engine/worker/read/loop.h"
#include "engine/worker/technique_table.h"

namespace pipetop {
namespace {

template <Wait wait>
[[gnu::noinline]] LoopEnd with_read(ReaderLoop& loop) {
  return read_loop<wait>(
      loop, [&] { return ::read(loop.flow.pipe_fd(), loop.data, loop.bytes); },
      [](uint64_t, uint64_t) {});
}

template <Wait wait>
[[gnu::noinline]] LoopEnd with_checked_read(ReaderLoop& loop) {
  return read_loop<wait>(
      loop, [&] { return ::read(loop.flow.pipe_fd(), loop.data, loop.bytes); },
      [&](uint64_t bytes, uint64_t offset) { loop.checker.check(loop.data, bytes, offset); });
}

}  // namespace

ReadTechnique read_technique(Wait wait) {
  return technique_table<ReadTechnique>(wait, with_read<Wait::block>, with_read<Wait::poll>,
                                        with_read<Wait::busy>, with_read<Wait::busy_poll>);
}

ReadTechnique read_checked_technique(Wait wait) {
  return technique_table<ReadTechnique>(
      wait, with_checked_read<Wait::block>, with_checked_read<Wait::poll>,
      with_checked_read<Wait::busy>, with_checked_read<Wait::busy_poll>);
}

}  // namespace pipetop

// write(2): the kernel copies our bytes into pages of its own.
#include <unistd.h>

#include "engine/worker/technique_table.h"
#include "engine/worker/write/loop.h"

namespace pipetop {
namespace {

template <Wait wait>
[[gnu::noinline]] LoopEnd with_write(WriterLoop& loop) {
  return write_loop<wait>(loop, [](int fd, const char* data, uint64_t bytes, unsigned) {
    return ::write(fd, data, bytes);
  });
}

}  // namespace

WriteTechnique write_technique(Wait wait) {
  return technique_table<WriteTechnique>(wait, with_write<Wait::block>, with_write<Wait::poll>,
                                         with_write<Wait::busy>, with_write<Wait::busy_poll>);
}

}  // namespace pipetop

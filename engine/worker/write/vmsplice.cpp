// vmsplice(2): the pipe refers to our pages, nothing is copied.
#include <fcntl.h>
#include <sys/uio.h>

#include "engine/worker/technique_table.h"
#include "engine/worker/write/loop.h"

namespace pipetop {
namespace {

template <Wait wait>
[[gnu::noinline]] LoopEnd with_vmsplice(WriterLoop& loop) {
  return write_loop<wait>(loop, [](int fd, char* data, uint64_t bytes, unsigned flags) {
    const iovec range = {data, bytes};
    return ::vmsplice(fd, &range, 1, flags);
  });
}

}  // namespace

WriteTechnique vmsplice_technique(Wait wait) {
  return technique_table<WriteTechnique>(wait, with_vmsplice<Wait::block>,
                                         with_vmsplice<Wait::poll>, with_vmsplice<Wait::busy>,
                                         with_vmsplice<Wait::busy_poll>);
}

}  // namespace pipetop

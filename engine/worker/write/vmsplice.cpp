// vmsplice(2): the pipe refers to our pages; nothing is copied.
#include <fcntl.h>
#include <sys/uio.h>

#include "engine/worker/writer.h"

namespace pipetop {
namespace {

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_vmsplice(WriterLoop& loop) {
  return write_loop<wait, Pace>(loop, [](int fd, char* data, uint64_t bytes, unsigned flags) {
    const iovec range = {data, bytes};
    return ::vmsplice(fd, &range, 1, flags);
  });
}

}  // namespace

WriteTechnique vmsplice_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> WriteTechnique { return with_vmsplice<wait, Pace>; });
}

}  // namespace pipetop

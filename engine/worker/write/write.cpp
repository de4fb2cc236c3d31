// write(2): the kernel copies our bytes into pages of its own.
#include <unistd.h>

#include "engine/worker/writer.h"

namespace pipetop {
namespace {

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_write(WriterLoop& loop) {
  return write_loop<wait, Pace>(loop, [](int fd, const char* data, uint64_t bytes, unsigned) {
    return ::write(fd, data, bytes);
  });
}

}  // namespace

WriteTechnique write_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> WriteTechnique { return with_write<wait, Pace>; });
}

}  // namespace pipetop

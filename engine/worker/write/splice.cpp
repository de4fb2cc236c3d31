// splice(2) from a file: the pipe refers to pages of the page cache; nothing is
// copied.
#include <fcntl.h>

#include "engine/worker/writer.h"

namespace pipetop {
namespace {

template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_splice(WriterLoop& loop) {
  const int file = loop.buffers.file();
  const char* const start = loop.buffers.file_start();
  return write_loop<wait, Pace>(loop,
                                [=](int fd, const char* data, uint64_t bytes, unsigned flags) {
                                  loff_t offset = data - start;
                                  return ::splice(file, &offset, fd, nullptr, bytes, flags);
                                });
}

}  // namespace

WriteTechnique file_splice_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> WriteTechnique { return with_splice<wait, Pace>; });
}

}  // namespace pipetop

// tee(2): the pipe refers to the pages that another pipe refers to; nothing is
// copied, and no page has to be looked up.
#include <fcntl.h>

#include "engine/worker/writer.h"

namespace pipetop {
namespace {

// The source is filled once.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_tee(WriterLoop& loop) {
  TeeSource& source = loop.tee_source;
  return write_loop<wait, Pace>(
      loop, [&](int fd, const char* data, uint64_t bytes, unsigned flags) -> ssize_t {
        if (!source.hold(data, bytes)) return -1;
        return ::tee(source.fd(), fd, bytes, flags);
      });
}

// Every page is sent once. tee always begins at the head of the source, so what was
// sent is removed from it.
template <Wait wait, class Pace>
[[gnu::noinline]] LoopEnd with_tee_once(WriterLoop& loop) {
  TeeSource& source = loop.tee_source;
  return write_loop<wait, Pace>(
      loop, [&](int fd, const char* data, uint64_t bytes, unsigned flags) -> ssize_t {
        if (!source.hold(data, bytes)) return -1;
        const ssize_t moved = ::tee(source.fd(), fd, bytes, flags);
        if (moved > 0 && !source.drop(static_cast<uint64_t>(moved))) return -1;
        return moved;
      });
}

}  // namespace

WriteTechnique tee_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> WriteTechnique { return with_tee<wait, Pace>; });
}

WriteTechnique tee_once_technique(LoopKind kind) {
  return technique_table(
      kind, []<Wait wait, class Pace>() -> WriteTechnique { return with_tee_once<wait, Pace>; });
}

}  // namespace pipetop

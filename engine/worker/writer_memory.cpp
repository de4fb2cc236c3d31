#include "engine/worker/writer_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/model/control_block.h"
#include "engine/worker/stamp.h"

namespace pipetop {
namespace {

// Our old huge pages return to the pool only when the ring releases them, usually
// within microseconds. Bounded, because the reader may be stopped.
Buffer map_once_released(const BufferRequest& request, bool file, bool had_hugetlb) {
  if (file) return map_file_buffer(request);
  Buffer buffer = map_buffer(request);
  for (int i = 0; i < 10 && had_hugetlb && buffer.pages_error == ENOMEM; ++i) {
    const timespec one_ms = {0, 1'000'000};
    ::nanosleep(&one_ms, nullptr);
    buffer = map_buffer(request);
  }
  return buffer;
}

}  // namespace

bool TeeSource::open(uint64_t bytes) {
  close();
  // Without O_NONBLOCK: tee honours it on either pipe, and would never sleep.
  pipe_ = open_pipe();
  if (!pipe_) return false;
  sink_ = UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!sink_) return false;
  // On failure it keeps its size.
  ::fcntl(pipe_.write.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
  const int granted = ::fcntl(pipe_.write.get(), F_GETPIPE_SZ);
  if (granted < 0) return false;
  capacity_bytes_ = static_cast<uint64_t>(granted);
  return true;
}

bool TeeSource::fill(const char* data, uint64_t bytes, uint64_t& calls) {
  while (held_ < bytes) {
    const iovec range = {const_cast<char*>(data) + held_, bytes - held_};
    const ssize_t lent = ::vmsplice(pipe_.write.get(), &range, 1, SPLICE_F_NONBLOCK);
    add(calls, 1);
    if (lent < 0 && errno == EINTR) continue;
    if (lent < 0 && errno == EAGAIN) errno = ENOSPC;  // never blocks: there is no other reader
    if (lent <= 0) return false;
    held_ += static_cast<uint64_t>(lent);
  }
  return true;
}

bool TeeSource::drop(uint64_t bytes, uint64_t& calls) {
  while (bytes > 0) {
    const ssize_t gone =
        ::splice(pipe_.read.get(), nullptr, sink_.get(), nullptr, bytes, SPLICE_F_NONBLOCK);
    add(calls, 1);
    if (gone < 0 && errno == EINTR) continue;
    if (gone <= 0) return false;
    bytes -= static_cast<uint64_t>(gone);
    held_ -= static_cast<uint64_t>(gone);
  }
  return true;
}

WriterBuffers::Layout WriterBuffers::layout_for(const PipeCommand& command) {
  const auto technique = static_cast<WriteWith>(command.technique);
  const bool halved = lends_pages(technique) && command.buffers == Buffers::same;
  const bool doubled = lends_pages(technique) && command.buffers != Buffers::single;

  Layout layout;
  layout.stamped = command.payload == Payload::stamped;
  layout.rewrites_early = layout.stamped && lends_pages(technique) && !doubled;
  layout.file = technique == WriteWith::splice;
  layout.buffers = doubled ? 2 : 1;
  layout.halves = halved || (layout.file && doubled) ? 2 : 1;
  layout.piece_bytes = command.buf_bytes / (halved ? 2 : 1);
  uint64_t each = layout.piece_bytes;
  if (doubled && layout.stamped) {
    const uint64_t pieces = (command.ring_bytes + each - 1) / each;
    each *= std::max<uint64_t>(1, pieces);
  }
  layout.request = {command.pages, each * layout.halves, command.touch_pages, command.lock_memory};
  return layout;
}

bool WriterBuffers::prepare(const PipeCommand& command) {
  const Layout layout = layout_for(command);
  epoch_ = command.epoch;
  if (layout.stamped && !layout_.stamped) ++series_;
  // Stamped pages of the old buffers may still be in the ring: leave them and write
  // the next stamps elsewhere. Old stamps must not be sent as constant payload
  // either: a reader that still checks would report them as misplaced.
  if (layout == layout_ && !layout.stamped && start_[0] != nullptr) return true;
  return map(layout);
}

bool WriterBuffers::map(const Layout& layout) {
  const bool had_hugetlb = buffer_[0].pages == Pages::hugetlb;
  buffer_ = {};
  start_ = {};
  next_buffer_ = next_offset_ = 0;
  began_ = false;
  rewritten_from_ = rewritten_to_ = 0;
  layout_ = layout;
  bytes_each_ = layout.request.bytes / layout.halves;
  const uint64_t mappings = layout.halves == 2 ? 1 : layout.buffers;
  for (uint64_t i = 0; i < mappings; ++i) {
    buffer_[i] = map_once_released(layout.request, layout.file, had_hugetlb);
    if (buffer_[i].data == nullptr) return false;
    start_[i] = buffer_[i].data;
  }
  if (layout.halves == 2) start_[1] = start_[0] + bytes_each_;
  return true;
}

int WriterBuffers::first_error(int Buffer::*field) const {
  return buffer_[0].*field != 0 ? buffer_[0].*field : buffer_[1].*field;
}

PipeReport WriterBuffers::granted() const {
  const Buffer& first = buffer_[0];
  const Buffer& second = buffer_[1].data ? buffer_[1] : first;
  return {.pages = std::min(first.pages, second.pages),
          .pages_error = first_error(&Buffer::pages_error),
          .lock_error = first_error(&Buffer::lock_error),
          .buffer_bytes = bytes_each_,
          .buffer_address = {reinterpret_cast<uintptr_t>(start_[0]),
                             reinterpret_cast<uintptr_t>(start_[1])}};
}

WriterBuffers::Piece WriterBuffers::next(uint64_t position_bytes) {
  const Piece piece = {start_[next_buffer_] + next_offset_, layout_.piece_bytes};
  // It is the whole buffer: all that was lent of it before is rewritten now.
  if (layout_.rewrites_early) {
    if (!std::exchange(began_, true)) rewritten_from_ = position_bytes;
    rewritten_to_ = position_bytes;
  }
  next_offset_ += piece.bytes;
  if (next_offset_ >= bytes_each_) {
    next_offset_ = 0;
    next_buffer_ = (next_buffer_ + 1) % layout_.buffers;
  }
  if (layout_.stamped)
    stamp_pages(piece.data, piece.bytes,
                {kStampMagic, epoch_, series_, position_bytes / kPageBytes});
  return piece;
}

}  // namespace pipetop

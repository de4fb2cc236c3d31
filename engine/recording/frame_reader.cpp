#include "engine/recording/frame_reader.h"

#include <utility>

#include "engine/recording/chunk.h"
#include "engine/recording/owned_memory.h"

namespace pipetop::recording {
namespace {

// A snapshot, and what it becomes: with a thousand functions a role, five minutes of history and
// the largest ring each has about one MiB. Screens keep several.
constexpr uint64_t kMostBytes = 8 << 20;

}  // namespace

FrameReader::FrameReader(std::string raw, const SharedValues& shared, const Layout& layout)
    : raw_(std::move(raw)),
      frames_(raw_),
      frame_(""),
      budget_(kMostBytes),
      decoder_(frame_, shared, layout, budget_, true) {}

void FrameReader::next(uint64_t now_ns) {
  const uint64_t size = frames_.number();
  const uint32_t crc = frames_.u32();
  const std::string_view bytes = frames_.raw(size);
  if (crc32_of(bytes) != crc) fail("a frame's checksum is wrong");
  frame_ = ByteReader(bytes);
  budget_ = Budget(kMostBytes, OwnedMemory::of(snapshot_));
  decoder_.set_form(frame_, count_ == 0);
  decoder_.get(snapshot_);
  if (!frame_.empty()) fail("a frame is longer than it says");
  snapshot_.now_ns = now_ns;
  ++count_;
}

}  // namespace pipetop::recording

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/worker/stamp.h"
#include "engine/worker/writer_memory.h"

namespace pipetop {
namespace {

PipeCommand command(WriteWith technique, Payload payload, uint64_t buf, uint64_t ring,
                    Buffers buffers = Buffers::separate) {
  PipeCommand c;
  c.technique = static_cast<uint8_t>(technique);
  c.payload = payload;
  c.buffers = buffers;
  c.buf_bytes = buf;
  c.ring_bytes = ring;
  c.epoch = 1;
  return c;
}

// Between two uses of a piece, at least a ring of other bytes goes through.
void expect_ring_between_rewrites(const PipeCommand& c) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(c));
  std::map<const char*, uint64_t> ended;  // piece -> stream position after it
  uint64_t position = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto piece = buffers.next(position);
    if (const auto used = ended.find(piece.data); used != ended.end()) {
      ASSERT_GE(position - used->second, c.ring_bytes) << "piece " << i;
    }
    position += piece.bytes;
    ended[piece.data] = position;
  }
}

TEST(WriterBuffers, StampedPiecesAreNotRewrittenWhileTheRingHoldsThem) {
  for (const uint64_t buf : {4096u, 8192u, 65536u, 262144u})
    for (const uint64_t ring : {4096u, 65536u, 131072u, 1048576u})
      for (const Buffers buffers : {Buffers::separate, Buffers::same})
        if (buffers == Buffers::separate || buf >= 2 * kPageBytes)
          for (const WriteWith lends : {WriteWith::vmsplice, WriteWith::tee, WriteWith::splice})
            expect_ring_between_rewrites(command(lends, Payload::stamped, buf, ring, buffers));
}

TEST(WriterBuffers, ConstantPayloadIsTheArticlesDoubleBuffer) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(command(WriteWith::vmsplice, Payload::constant, 262144, 1048576)));
  const auto a = buffers.next(0), b = buffers.next(0), again = buffers.next(0);
  EXPECT_NE(a.data, b.data);
  EXPECT_EQ(a.data, again.data);
  EXPECT_EQ(a.bytes, 262144u);
}

// From when on, and how far, pages that the ring may hold were rewritten.
TEST(WriterBuffers, ASingleBufferSaysWhatItRewrites) {
  WriterBuffers buffers;
  WorkerMarks marks;
  const auto rewritten = [&](uint64_t position) {
    buffers.next(position);
    buffers.mark_rewritten(marks);
    return std::pair(marks.rewritten_from, marks.rewritten_to);
  };
  const PipeCommand single =
      command(WriteWith::vmsplice, Payload::stamped, 8192, 65536, Buffers::single);
  ASSERT_TRUE(buffers.prepare(single));
  EXPECT_EQ(rewritten(4096), std::pair(uint64_t{4096}, uint64_t{4096})) << "nothing yet";
  EXPECT_EQ(rewritten(12288), std::pair(uint64_t{4096}, uint64_t{12288}));
  EXPECT_EQ(rewritten(20480), std::pair(uint64_t{4096}, uint64_t{20480}));
  ASSERT_TRUE(buffers.prepare(single));
  EXPECT_EQ(rewritten(24576), std::pair(uint64_t{24576}, uint64_t{24576})) << "other pages";
  ASSERT_TRUE(buffers.prepare(command(WriteWith::vmsplice, Payload::stamped, 8192, 65536)));
  rewritten(32768);
  EXPECT_EQ(rewritten(40960), std::pair(uint64_t{0}, uint64_t{0})) << "two buffers are safe";
}

TEST(WriterBuffers, SameMeansTwoHalvesOfOne) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(
      command(WriteWith::vmsplice, Payload::constant, 262144, 131072, Buffers::same)));
  const auto a = buffers.next(0), b = buffers.next(0);
  EXPECT_EQ(a.bytes, 131072u);
  EXPECT_EQ(b.data, a.data + 131072);
}

TEST(WriterBuffers, SingleIsRewrittenAtOnce) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(
      command(WriteWith::vmsplice, Payload::stamped, 65536, 131072, Buffers::single)));
  const auto first = buffers.next(0), again = buffers.next(65536);
  EXPECT_EQ(first.data, again.data);
  EXPECT_EQ(first.bytes, 65536u);
}

// Where splice looks for a piece is where it was stamped.
TEST(WriterBuffers, SplicesPiecesLieInItsFile) {
  for (const Buffers layout : {Buffers::separate, Buffers::same, Buffers::single}) {
    WriterBuffers buffers;
    ASSERT_TRUE(
        buffers.prepare(command(WriteWith::splice, Payload::stamped, 65536, 262144, layout)));
    for (uint64_t position = 0; position < 100 * 65536;) {
      const auto piece = buffers.next(position);
      PageStamp stamp;
      ASSERT_EQ(::pread(buffers.file(), &stamp, sizeof stamp, piece.data - buffers.file_start()),
                ssize_t{sizeof stamp});
      ASSERT_EQ(stamp.position, position / kPageBytes);
      position += piece.bytes;
    }
  }
}

TEST(WriterBuffers, OnlySpliceHasAFile) {
  for (const WriteWith technique : {WriteWith::write, WriteWith::vmsplice, WriteWith::tee}) {
    WriterBuffers buffers;
    ASSERT_TRUE(buffers.prepare(command(technique, Payload::constant, 65536, 65536)));
    EXPECT_EQ(buffers.file(), -1);
  }
}

TEST(WriterBuffers, WriteUsesOneBuffer) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(command(WriteWith::write, Payload::constant, 262144, 65536)));
  EXPECT_EQ(buffers.next(0).data, buffers.next(0).data);
}

TEST(WriterBuffers, AChangeNeverRewritesStampedPages) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(command(WriteWith::vmsplice, Payload::stamped, 65536, 65536)));
  buffers.next(0);
  ASSERT_TRUE(buffers.prepare(command(WriteWith::vmsplice, Payload::stamped, 65536, 65536)));
  const auto piece = buffers.next(16 * kPageBytes);
  PageStamp stamp;
  std::memcpy(&stamp, piece.data, sizeof stamp);
  EXPECT_EQ(stamp.position, 16u);
}

TEST(WriterBuffers, ConstantPayloadCarriesNoOldStamps) {
  WriterBuffers buffers;
  ASSERT_TRUE(buffers.prepare(command(WriteWith::write, Payload::stamped, 65536, 65536)));
  buffers.next(0);
  ASSERT_TRUE(buffers.prepare(command(WriteWith::write, Payload::constant, 65536, 65536)));
  const auto piece = buffers.next(65536);
  EXPECT_EQ(std::count(piece.data, piece.data + piece.bytes, 'X'), int64_t{65536});
}

TEST(WriterBuffers, ARefusalIsReported) {
  WriterBuffers buffers;
  EXPECT_FALSE(buffers.prepare(command(WriteWith::write, Payload::constant, 1ull << 62, 65536)));
  EXPECT_EQ(buffers.error_number(), ENOMEM);
}

}  // namespace
}  // namespace pipetop

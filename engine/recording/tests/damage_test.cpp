#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/base/error.h"
#include "engine/recording/bytes.h"
#include "engine/recording/chunk.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording.h"
#include "engine/recording/tests/hostile_recordings.h"
#include "engine/recording/tests/random_values.h"

namespace pipetop {
namespace {

using recording::RandomValues;

constexpr size_t kWholeFrames = 160;

const std::string& some_recording() {
  static const std::string bytes = [] {
    std::string written;
    Recorder recorder({}, [&](std::string_view block) { written += block; });
    RandomValues values(5);
    Snapshot s;
    for (size_t i = 0; i < kWholeFrames; ++i) {
      values.change(s, 40);
      recorder.add(s);
    }
    recorder.finish();
    return written;
  }();
  return bytes;
}

// Reads all of it. Returns the number of frames; 0 for an error.
size_t replayed(const std::string& bytes) {
  try {
    Recording read = Recording::of_bytes("test", bytes);
    for (size_t i = 0; i < read.frames(); ++i) (void)read.frame(i);
    const bool ends_after_a_block = some_recording().starts_with(bytes);
    EXPECT_TRUE(read.frames() == kWholeFrames || ends_after_a_block || !read.damage().empty());
    return read.frames();
  } catch (const Error& e) {
    EXPECT_STRNE(e.what(), "");
    return 0;
  }
}

TEST(RecordingDamage, ACutFileReplaysUpToTheCut) {
  const std::string& whole = some_recording();
  ASSERT_EQ(replayed(whole), kWholeFrames);
  size_t last = 0;
  for (size_t size = 0; size < whole.size(); size += whole.size() / 199) {
    const size_t frames = replayed(whole.substr(0, size));
    ASSERT_GE(frames, last) << "more of the file is more to replay";
    ASSERT_LT(frames, kWholeFrames);
    last = frames;
  }
  EXPECT_GT(last, kWholeFrames - 50) << "all but the last block";
}

TEST(RecordingDamage, RandomDamageIsAnErrorOrAShorterReplay) {
  std::mt19937 random(11);
  const std::string& whole = some_recording();
  const auto below = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  size_t errors = 0, shorter = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    for (size_t faults = 1 + below(3); faults-- > 0;) {
      switch (const size_t at = below(bytes.size()); below(4)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes.erase(at, 1 + below(100));
          break;
        case 2:
          bytes.insert(at, 1 + below(100), static_cast<char>(below(256)));
          break;
        default:
          std::fill_n(bytes.begin() + ptrdiff_t(at), std::min<size_t>(512, bytes.size() - at),
                      '\0');
      }
    }
    if (bytes == whole) continue;
    const size_t frames = replayed(bytes);
    ASSERT_LT(frames, kWholeFrames) << i;
    ++(frames == 0 ? errors : shorter);
  }
  EXPECT_GT(shorter, errors) << "most of it is not at the beginning";
}

// Some bytes of each frame are others, and their lengths are right.
std::string forged_frames(const std::string& raw, std::mt19937& random) {
  recording::ByteWriter out;
  for (recording::ByteReader in(raw); !in.empty();) {
    std::string frame(in.text());
    for (uint64_t n = random() % 3; n-- > 0;)
      frame[random() % frame.size()] = static_cast<char>(random());
    out.text(frame);
  }
  return out.bytes();
}

std::string forged_news(std::string raw, std::mt19937& random) {
  for (uint64_t n = 1 + random() % 3; n-- > 0;)
    raw[random() % raw.size()] = static_cast<char>(random());
  return raw;
}

// Damage with the right checksums, as nobody but an enemy makes it.
TEST(RecordingDamage, AForgedFileDoesNoHarm) {
  const std::string& whole = some_recording();
  std::mt19937 random(12);
  recording::Decompressor decompressor;
  recording::Compressor compressor;
  constexpr size_t kHead = recording::ChunkHead::kBytes;
  const size_t begin = recording::first_line().size();
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole.substr(0, begin);
    const size_t forged = random() % 9;
    for (size_t at = begin, n = 0; at < whole.size(); ++n) {
      const auto head = recording::read_chunk_head(std::string_view(whole).substr(at, kHead));
      const std::string_view stored = std::string_view(whole).substr(at + kHead, head.stored);
      if (n == forged) {
        const std::string raw = decompressor.raw(head, stored);
        bytes += compressor.chunk(head.kind, head.kind == recording::ChunkKind::frames
                                                 ? forged_frames(raw, random)
                                                 : forged_news(raw, random));
      } else {
        bytes += std::string_view(whole).substr(at, kHead + head.stored);
      }
      at += kHead + head.stored;
    }
    try {
      Recording read = Recording::of_bytes("test", bytes);
      for (size_t frame = 0; frame < read.frames(); ++frame) (void)read.frame(frame);
      EXPECT_LE(read.frames(), kWholeFrames);
    } catch (const Error& e) {
      EXPECT_STRNE(e.what(), "");
    }
  }
}

// Reading one damaged block inside the handler of another ended the stack.
TEST(RecordingDamage, AnyNumberOfBlocksMayBeDamaged) {
  constexpr size_t kBlocks = 100'000, kWhole = 3;
  Recording read = Recording::of_bytes("test", recording::many_blocks(kBlocks, kWhole));
  ASSERT_EQ(read.frames(), kBlocks);
  EXPECT_EQ(read.frame(kBlocks - 1).now_ns, read.times()[kWhole - 1]);
  EXPECT_EQ(read.frames(), kWhole);
  EXPECT_EQ(read.damage(), "damaged after 0.1 s: it ends too early");
}

Snapshot with_stack(uint32_t depth) {
  auto tree = std::make_shared<CallTree>();
  for (uint32_t i = 0; i < depth; ++i)
    tree->nodes.push_back({Function("f"), i == 0 ? CallNode::kNone : i - 1, 1, 0});
  Snapshot s;
  s.now_ns = 1;
  s.workers[0].functions = Reading<FunctionTable>::of({.tree = tree});
  return s;
}

std::string file_of(const Snapshot& s) {
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  recorder.add(s);
  recorder.finish();
  return bytes;
}

// Who looks for a function among its callers takes the square of the depth.
TEST(RecordingDamage, NoStackIsDeeperThanAKernelHas) {
  EXPECT_NO_THROW(Recording::of_bytes("test", file_of(with_stack(200))));
  EXPECT_THROW(Recording::of_bytes("test", file_of(with_stack(300))), Error);
}

TEST(RecordingDamage, NoTextIsEndless) {
  Snapshot s;
  s.now_ns = 1;
  s.noise = std::string(60'000, 'x');
  EXPECT_EQ(Recording::of_bytes("test", file_of(s)).frame(0).noise, s.noise);
  s.noise = std::string(70'000, 'x');
  EXPECT_THROW(Recording::of_bytes("test", file_of(s)), Error);
}

}  // namespace
}  // namespace pipetop

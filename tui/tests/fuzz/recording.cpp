// A recording: a file, or what its chunks hold, whose checksums would be right. The first byte says
// which: 'c' the contents, from which a file is made; 'b' blocks, as many as an input of this size
// could never hold; otherwise all of it is the file. Whatever can be read is drawn.
#include "engine/recording/recording.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/recording/bytes.h"
#include "engine/recording/chunk.h"
#include "engine/recording/codec.h"
#include "engine/tests/fuzz/fuzz.h"
#include "tui/dashboard/source.h"
#include "tui/dashboard/view.h"
#include "tui/draw/canvas.h"
#include "tui/watch/recorded_pipeline.h"
#include "tui/watch/watch_controller.h"

using namespace pipetop;
using fuzz::accepted;
using fuzz::expect;

namespace {

constexpr size_t kMostFrames = 20;  // of each input

constexpr uint64_t kMostBlocks = 3'000;
// So that so many are too many for whoever nests a call for each. More would take long: what
// AddressSanitizer keeps for each exception grows.
constexpr rlim_t kStackBytes = 256 << 10;

bool make_stack_small() {
  rlimit stack;
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) return false;
  stack.rlim_cur = kStackBytes;
  return ::setrlimit(RLIMIT_STACK, &stack) == 0;
}

std::string framed(std::string_view frame) {
  recording::ByteWriter out;
  out.text(frame);
  return out.bytes();
}

template <class T>
std::string bytes_of(const T& value) {
  recording::Written written;
  recording::Encoder encoder(written);
  encoder.put(value);
  return encoder.bytes();
}

std::string header() {
  recording::ByteWriter out;
  out.text("fuzz");
  recording::Layout::write(out);
  out.raw(bytes_of(RecordingHeader()));
  return out.bytes();
}

// Each kind of blocks: how many of them, the shared values that they have beside their times, the
// frame, how many frames, and by how much the time goes on.
std::string file_of_blocks(std::string_view recipe) {
  const std::string whole = bytes_of(Snapshot());
  recording::Compressor compressor;
  std::string file =
      recording::first_line() + compressor.chunk(recording::ChunkKind::header, header());
  uint64_t time = 1, blocks = 0;
  for (recording::ByteReader in(recipe); !in.empty() && blocks < kMostBlocks;) {
    const uint64_t count = in.number<uint32_t>() % kMostBlocks;
    const std::string_view shared = in.text(), frame = in.text();
    const auto frames = in.number<uint8_t>() % 8u;
    const uint64_t step = in.number<uint32_t>() % 1'000'000'000;
    std::string raw;
    for (uint32_t i = 0; i < frames; ++i) raw += framed(frame.empty() ? whole : frame);
    const std::string frames_chunk = compressor.chunk(recording::ChunkKind::frames, raw);
    for (uint64_t i = 0; i < count && blocks < kMostBlocks; ++i, ++blocks) {
      recording::ByteWriter entries;
      entries.raw(shared);
      entries.number(static_cast<uint8_t>(recording::SharedKind::times));
      entries.number(uint32_t{frames});
      for (uint32_t n = 0; n < frames; ++n) entries.number(time + n * step);
      time += step * frames;
      file += compressor.chunk(recording::ChunkKind::shared, entries.bytes()) + frames_chunk;
    }
  }
  return file;
}

// Contents: for each chunk its kind and length, then so many bytes. Of frames: each with its
// length.
std::string file_of(std::string_view contents) {
  recording::Compressor compressor;
  std::string file = recording::first_line();
  recording::ByteReader in(contents);
  while (!in.empty()) {
    const auto kind = static_cast<recording::ChunkKind>(in.number<uint8_t>());
    const uint32_t size = in.number<uint32_t>();
    file += compressor.chunk(kind, in.raw(std::min<uint64_t>(size, in.left())));
  }
  return file;
}

std::string file_in(std::string_view text) {
  if (text.starts_with('c')) return file_of(text.substr(1));
  if (text.starts_with('b')) return file_of_blocks(text.substr(1));
  return std::string(text);
}

void draw_all(Recording& recording) {
  tui::Canvas small(tui::glyphs_of(tui::GlyphSet::unicode), 24, 80);
  tui::Canvas large(tui::glyphs_of(tui::GlyphSet::ascii), 60, 200);
  tui::DashboardState view;
  for (size_t i = 0; i < std::min(recording.frames(), kMostFrames); ++i)
    for (tui::Canvas* canvas : {&small, &large}) {
      tui::draw_recorded(*canvas, recording.frame(i), view);
      view.log.open = !view.log.open;
    }
  tui::RecordedPipeline pipeline(recording.header().host.cpus);
  tui::WatchController watch(pipeline, {.pipeline = true, .recorded = true});
  for (size_t i = 0; i < std::min(recording.frames(), kMostFrames); ++i)
    for (tui::Canvas* canvas : {&small, &large}) {
      pipeline.show(recording.frame(i));
      watch.tick(recording.frame(i).now_ns);
      watch.handle({tui::Input::Kind::key, U'j', {}});
      watch.lay_out(canvas->rows(), canvas->cols());
      watch.draw(*canvas);
    }
}

}  // namespace

PIPETOP_FUZZ_TARGET(recording) {
  static const bool stack_is_small = make_stack_small();
  expect(stack_is_small, "the stack has a limit");
  const std::string_view text = fuzz::text_of(data, size);
  (void)accepted([&] {
    Recording recording = Recording::of_bytes("file", file_in(text));
    expect(recording.frames() > 0, "a recording has a frame");
    (void)recording.frame(recording.frames() - 1);  // from the last block back
    draw_all(recording);
    expect(recording.frames() > 0, "a frame is left");
  });
}

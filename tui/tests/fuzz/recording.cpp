// A recording: a file, or what its chunks hold, whose checksums would be right. The first byte says
// which: 'c' the contents, from which a file is made; otherwise all of it is the file. Whatever can
// be read is drawn.
#include "engine/recording/recording.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/recording/bytes.h"
#include "engine/recording/chunk.h"
#include "engine/tests/fuzz/fuzz.h"
#include "tui/dashboard/replay.h"
#include "tui/draw/canvas.h"

using namespace pipetop;
using fuzz::accepted;
using fuzz::expect;

namespace {

constexpr size_t kMostFrames = 20;  // of each input

// Contents: for each chunk its kind and length, then so many bytes. Of frames: each with its
// length.
std::string file_of(std::string_view contents) {
  recording::Compressor compressor;
  std::string file = recording::first_line();
  recording::ByteReader in(contents);
  while (!in.empty()) {
    const auto kind = static_cast<recording::ChunkKind>(in.byte());
    const uint64_t size = in.number();
    const std::string_view raw = in.raw(std::min<uint64_t>(size, in.left()));
    if (kind != recording::ChunkKind::frames) {
      file += compressor.chunk(kind, raw);
      continue;
    }
    recording::ByteWriter frames;
    for (recording::ByteReader left(raw); !left.empty();) {
      const uint64_t length = left.number();
      const std::string_view frame = left.raw(std::min<uint64_t>(length, left.left()));
      frames.number(frame.size());
      frames.u32(recording::crc32_of(frame));
      frames.raw(frame);
    }
    file += compressor.chunk(kind, frames.bytes());
  }
  return file;
}

void draw_all(Recording& recording) {
  tui::Canvas small(tui::glyphs_of(tui::GlyphSet::unicode), 24, 80);
  tui::Canvas large(tui::glyphs_of(tui::GlyphSet::ascii), 60, 200);
  tui::ViewState view;
  for (size_t i = 0; i < std::min(recording.frames(), kMostFrames); ++i)
    for (tui::Canvas* canvas : {&small, &large}) {
      tui::draw_recorded(*canvas, recording.frame(i), view);
      view.log.open = !view.log.open;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  (void)accepted([&] {
    const bool contents = text.starts_with('c');
    Recording recording =
        Recording::of_bytes("file", contents ? file_of(text.substr(1)) : std::string(text));
    expect(recording.frames() > 0, "a recording has a frame");
    draw_all(recording);
    expect(recording.frames() > 0, "a frame is left");
  });
  return 0;
}

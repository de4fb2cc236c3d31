#include "engine/workload/pipe/pipe_presets.h"

#include <algorithm>
#include <array>

namespace pipetop {
namespace {

// The combinations of the article's measure.py, with its published figures.
std::array<Preset, 7> make_article_presets() {
  Settings s;
  std::array<Preset, 7> rungs;
  rungs[0] = {"write_read", "write, read", s, 3.7};
  s.pipe.pages = Pages::thp;
  rungs[1] = {"write_read_huge", "write, read, huge pages", s, 0};
  s.pipe.pages = Pages::k4;
  s.pipe.write_with = WriteWith::vmsplice;
  rungs[2] = {"vmsplice_read", "vmsplice, read", s, 12.7};
  s.pipe.pages = Pages::thp;
  rungs[3] = {"vmsplice_read_huge", "vmsplice, read, huge pages", s, 0};
  s.pipe.pages = Pages::k4;
  s.pipe.read_with = ReadWith::splice;
  rungs[4] = {"vmsplice_splice", "vmsplice, splice", s, 32.8};
  s.pipe.pages = Pages::thp;
  rungs[5] = {"vmsplice_splice_huge", "vmsplice, splice, huge pages", s, 51.0};
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  rungs[6] = {"busy_loop_huge", "vmsplice, splice, huge pages, busy loop", s, 62.5};
  return rungs;
}

Preset make_hazard() {
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.buffers = Buffers::single;
  s.pipe.payload = Payload::stamped;
  s.pipe.buf_size = 1 << 20;  // so large that the reader is probably reading it during the rewrite
  return {"hazard", "the buffer is rewritten too early: torn pages", s, 0};
}

std::array<Preset, 8> make_built_in_presets() {
  std::array<Preset, 8> presets;
  std::ranges::copy(make_article_presets(), presets.begin());
  presets.back() = make_hazard();
  return presets;
}

}  // namespace

std::span<const Preset> built_in_presets() {
  static const std::array<Preset, 8> presets = make_built_in_presets();
  return presets;
}

std::span<const Preset> article_presets() { return built_in_presets().first(7); }

}  // namespace pipetop

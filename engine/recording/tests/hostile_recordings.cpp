#include "engine/recording/tests/hostile_recordings.h"

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/recording/chunk.h"
#include "engine/recording/codec.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording.h"
#include "engine/recording/tests/random_values.h"

namespace pipetop::recording {
namespace {

using Random = std::mt19937;
using Blocks = std::vector<std::string>;  // each with its shared values

constexpr size_t kMostBytes = 30'000'000, kFullChunk = kMostRaw - (64 << 10);
constexpr uint64_t kBegin = 10'000'000'000, kStep = 50'000'000;

uint64_t below(Random& random, uint64_t end) { return random() % end; }

// Its first line and its header, and its blocks.
struct Parts {
  std::string begin;
  Blocks blocks;
};

std::vector<std::string_view> chunks_of(std::string_view file) {
  std::vector<std::string_view> chunks;
  for (size_t at = first_line().size(); at < file.size(); at += chunks.back().size())
    chunks.push_back(file.substr(
        at, ChunkHead::kBytes + read_chunk_head(file.substr(at, ChunkHead::kBytes)).stored));
  return chunks;
}

Parts parts_of(const std::string& file) {
  const auto chunks = chunks_of(file);
  Parts parts{first_line() + std::string(chunks[0]), {}};
  for (size_t i = 1; i + 1 < chunks.size(); i += 2)
    parts.blocks.push_back(std::string(chunks[i]) + std::string(chunks[i + 1]));
  return parts;
}

std::string raw_of(std::string_view chunk) {
  Decompressor decompressor;
  return decompressor.raw(read_chunk_head(chunk), chunk.substr(ChunkHead::kBytes));
}

std::string joined(const std::string& begin, const Blocks& blocks) {
  std::string file = begin;
  for (const std::string& block : blocks) {
    if (file.size() + block.size() > kMostBytes) break;
    file += block;
  }
  return file;
}

std::string entry(SharedKind what, const std::string& value) {
  return std::string(1, static_cast<char>(what)) + value;
}

std::string times(uint64_t first_ns, size_t count = 1) {
  ByteWriter out;
  out.number(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) out.number(first_ns + i);
  return entry(SharedKind::times, out.bytes());
}

std::string framed(std::string_view frame) {
  ByteWriter out;
  out.text(frame);
  return out.bytes();
}

std::string block_of(const std::string& shared, const std::string& frames) {
  static Compressor compressor;
  return compressor.chunk(ChunkKind::shared, shared) + compressor.chunk(ChunkKind::frames, frames);
}

template <class T>
std::string full(const T& value, ByteWriter* shared = nullptr) {
  Written written;
  Encoder encoder(written);
  encoder.put(value);
  if (shared) shared->raw(written.shared().bytes());
  return encoder.bytes();
}

std::string small_frame() { return framed(full(Snapshot())); }

std::string filled(const std::string& entry) {
  std::string raw;
  while (raw.size() + entry.size() < kFullChunk) raw += entry;
  return raw;
}

// What cannot be compressed makes a file large.
std::string noise(Random& random) {
  std::vector<uint64_t> numbers(6 << 17);
  std::ranges::generate(numbers, std::mt19937_64(random()));
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint64_t)};
}

std::string long_text(size_t bytes = 60'000) {
  ByteWriter out;
  out.text(std::string(bytes, 'x'));
  return out.bytes();
}

RecordedMark mark_with(const std::string& label) {
  RecordedMark mark;
  mark.label = label;
  return mark;
}

std::shared_ptr<const CallTree> tree_of(uint32_t nodes, bool deep) {
  auto tree = std::make_shared<CallTree>();
  for (uint32_t i = 0; i < nodes; ++i)
    tree->nodes.push_back({Function(i % 2 ? "pipe_write" : "pipe_read"),
                           i == 0 || !deep ? CallNode::kNone : i - 1, 1, 0});
  return tree;
}

// So that all blocks have the same layout.
std::string recorded_again(const std::string& file) {
  Recording read = Recording::of_bytes("real", file);
  std::string bytes;
  Recorder recorder(read.header(), [&](std::string_view block) { bytes += block; });
  for (size_t i = 0; i < read.frames(); ++i) recorder.add(read.frame(i));
  recorder.finish();
  return bytes;
}

// ---- the order of blocks ----------------------------------------------------------------------

Blocks repeated(const Parts& parts, size_t, Random& random) {
  Blocks blocks;
  for (const std::string& block : parts.blocks)
    blocks.insert(blocks.end(), 1 + below(random, 40), block);
  return blocks;
}

Blocks reversed(const Parts& parts, size_t, Random& random) {
  Blocks blocks = parts.blocks;
  const auto begin = blocks.begin() + ptrdiff_t(below(random, blocks.size() / 2));
  std::reverse(begin, blocks.end() - ptrdiff_t(below(random, blocks.size() / 2)));
  return blocks;
}

Blocks shuffled_chunks(const Parts& parts, size_t, Random& random) {
  Blocks chunks;
  for (const std::string& block : parts.blocks) {
    const size_t shared = ChunkHead::kBytes + read_chunk_head(block).stored;
    chunks.push_back(block.substr(0, shared));
    chunks.push_back(block.substr(shared));
  }
  for (uint64_t n = 1 + below(random, 30); n-- > 0;)
    std::swap(chunks[2 + below(random, chunks.size() - 2)],
              chunks[2 + below(random, chunks.size() - 2)]);
  return chunks;
}

Blocks interleaved(const Parts& parts, size_t, Random& random) {
  std::string other;
  Recorder recorder({}, [&](std::string_view bytes) { other += bytes; });
  RandomValues values(static_cast<unsigned>(random()));
  Snapshot s;
  for (size_t i = 0; i < 400; ++i) {
    values.change(s, 20);
    recorder.add(s);
  }
  recorder.finish();
  Blocks blocks, others = parts_of(other).blocks;
  for (size_t i = 0; i < std::max(parts.blocks.size(), others.size()); ++i) {
    if (i < parts.blocks.size()) blocks.push_back(parts.blocks[i]);
    if (i < others.size()) blocks.push_back(others[i]);
  }
  return blocks;
}

// ---- their number -------------------------------------------------------------------------------

// Damaged ones between whole ones: every `damaged`-th; 0 for none. `after`: how many are whole.
Blocks tiny(size_t count, size_t damaged, size_t after = 1) {
  const std::string whole = small_frame(), broken = framed("\x01\x02\x03");
  Blocks blocks;
  for (size_t i = 0; i < count; ++i)
    blocks.push_back(block_of(times(kBegin + i * kStep),
                              damaged > 0 && i >= after && i % damaged == 0 ? broken : whole));
  return blocks;
}

Blocks tiny_blocks(const Parts&, size_t, Random& random) {
  return tiny(20'000 + below(random, 40'000), 0);
}
Blocks damaged_blocks(const Parts&, size_t, Random& random) {
  return tiny(20'000 + below(random, 60'000), 1 + below(random, 3));
}

// ---- their contents -----------------------------------------------------------------------------

// Some numbers of one block are as large as can be.
Blocks huge_counts(const Parts& parts, size_t, Random& random) {
  static const std::array<std::string, 3> kHuge = {std::string("\xff\xff\xff\xff"),
                                                   std::string("\xff\xff\x1f\0", 4),
                                                   std::string("\xff\xff\0\0", 4)};
  const auto forge = [&](std::string& bytes) {
    if (bytes.size() < 4) return;
    bytes.replace(below(random, bytes.size() - 3), 4, kHuge[below(random, kHuge.size())]);
  };
  Blocks blocks = parts.blocks;
  std::string& block = blocks[below(random, blocks.size())];
  const size_t end = ChunkHead::kBytes + read_chunk_head(block).stored;
  std::string shared = raw_of(std::string_view(block).substr(0, end));
  const std::string frames = raw_of(std::string_view(block).substr(end));
  ByteWriter forged;
  for (ByteReader in(frames); !in.empty();) {
    std::string frame(in.text());
    if (below(random, 4) == 0) forge(frame);
    forged.text(frame);
  }
  if (below(random, 2) == 0) forge(shared);
  block = block_of(shared, forged.bytes());
  return blocks;
}

// Values that follow in a series, all 0.
std::string series_entry(uint32_t list, uint8_t type, uint32_t count) {
  ByteWriter out;
  out.number(list);
  out.number(type);
  out.number(count);
  out.raw(std::string(count * series_type(type).element->size, '\0'));
  return entry(SharedKind::series, out.bytes());
}

// A series of each of many pipes, with one point.
std::string many_series() {
  std::string raw;
  for (uint32_t list = 0; list < 200'000; ++list) raw += series_entry(list, 0, 1);
  return raw;
}

// Shared values that say little, and fill a chunk each.
Blocks full_shared(const Parts&, size_t round, Random& random) {
  Segment segment;
  segment.label = std::string(60'000, 'x');
  segment.roles[0].functions = Reading<FunctionTable>::of({.tree = tree_of(100'000, false)});
  ByteWriter names;
  const std::string segment_entry = entry(SharedKind::segment, full(segment, &names));
  const std::array<std::string, 10> entries = {
      entry(SharedKind::name, long_text(1)),
      entry(SharedKind::name, long_text()),
      series_entry(0, 0, 1),
      series_entry(0, 1, 1),
      segment_entry,
      entry(SharedKind::segment, full(Segment())),
      entry(SharedKind::mark, full(mark_with("x"))),
      entry(SharedKind::mark, full(mark_with(std::string(60'000, 'x')))),
      series_entry(0, 0, 100'000),
      many_series()};
  const std::string& one = entries[round % entries.size()];
  const std::string full = names.bytes() + filled(one);
  Blocks blocks;
  for (uint64_t i = 0, count = 1 + below(random, 6); i < count; ++i) {
    blocks.push_back(block_of(full + times(kBegin + i * kStep), small_frame()));
  }
  blocks.insert(blocks.begin(), block_of(times(kBegin - kStep), small_frame()));
  blocks.push_back(block_of(times(2 * kBegin), noise(random)));
  return blocks;
}

// Just so much that all of it is accepted.
Blocks much_shared(const Parts&, size_t, Random& random) {
  const size_t marks = below(random, 9000), names = below(random, 200'000),
               points = below(random, 2'000'000), columns = below(random, 300'000);
  std::string shared;
  const auto add = [&](size_t count, const std::string& one) {
    for (size_t i = 0; i < count && shared.size() < kFullChunk; ++i) shared += one;
  };
  add(marks, entry(SharedKind::mark, full(mark_with("x"))));
  add(names, entry(SharedKind::name, long_text(8)));
  add(points, series_entry(0, 0, 1));
  add(columns, series_entry(1, 1, 1));
  return {block_of(times(kBegin - kStep), small_frame()),
          block_of(shared + times(kBegin), small_frame()),
          block_of(times(2 * kBegin), noise(random))};
}

// Snapshots that no engine makes.
Blocks large_frames(const Parts&, size_t round, Random& random) {
  const std::array<std::function<void(Snapshot&, uint64_t)>, 13> fills = {
      [](Snapshot& s, uint64_t n) { s.parts.resize(n * 2'000); },
      [](Snapshot& s, uint64_t n) { s.workers[0].technique.assign(n * 20'000, "x"); },
      [](Snapshot& s, uint64_t n) {
        s.throughput.segments.assign(n * 20'000, std::make_shared<const Segment>());
      },
      [](Snapshot& s, uint64_t n) {
        s.workers[n % 2].functions =
            Reading<FunctionTable>::of({.tree = tree_of(uint32_t(n) * 5'000, false)});
      },
      [](Snapshot& s, uint64_t n) {
        s.workers[1].blocked =
            Reading<BlockedTable>::of({.tree = tree_of(uint32_t(n) * 5'000, true)});
      },
      [](Snapshot& s, uint64_t n) {
        s.notices.assign(n * 8, {1, Severity::error, std::string(60'000, 'x')});
      },
      [](Snapshot& s, uint64_t n) {
        s.effective.mismatches.assign(n * 5'000, {"x", "x", "x", "x"});
      },
      [](Snapshot& s, uint64_t) { s.noise = std::string(7'000'000, 'x'); },
      [](Snapshot& s, uint64_t n) {
        s.ring.slots = 1 << 18;
        RingFrame frame;
        frame.slots = 1 << 18;
        frame.slot.resize(n * 10'000);
        s.ring.frame = Reading<RingFrame>::of(frame);
      },
      [](Snapshot& s, uint64_t n) { s.watched.emplace().stages.resize(n * 1'000); },
      // As many as are shown at most, with all that is kept of them and more.
      [](Snapshot& s, uint64_t n) {
        auto& pipes = s.watched.emplace().pipes;
        pipes.resize(256);
        for (Pipe& pipe : pipes)
          for (uint64_t i = 0; i < n * 100; ++i) {
            pipe.rates.push_back({i, double(n)});
            pipe.fill.push_back({i, double(n) + 1});
          }
      },
      [](Snapshot& s, uint64_t n) {
        HostInfo host;
        host.mitigations.resize(n * 10'000);
        s.host = std::make_shared<const HostInfo>(host);
      },
      [](Snapshot& s, uint64_t n) { s.interventions.resize(n * 5'000); }};
  std::string file;
  Snapshot s;
  try {
    Recorder recorder({}, [&](std::string_view bytes) { file += bytes; });
    for (uint64_t i = 0, count = 2 + below(random, 20); i < count; ++i) {
      s.now_ns += 100'000'000;
      if (i > 0) fills[(round + i / 4) % fills.size()](s, 1 + below(random, 20));
      recorder.add(s);
    }
    recorder.finish();
  } catch (const Error&) {
    // A chunk would be too large: the blocks before it remain.
  }
  return parts_of(file).blocks;
}

Blocks many_frames(const Parts&, size_t, Random& random) {
  const std::string one = small_frame();
  std::string frames = one;
  size_t count = 1;
  const size_t most = 2 + below(random, 900'000);
  while (count < most && frames.size() < kFullChunk) {
    frames += one;
    ++count;
  }
  Blocks blocks = {block_of(times(1), small_frame())};
  for (uint64_t i = 0; i < 5; ++i)
    blocks.push_back(
        block_of(times(kBegin + i * kStep, std::min<size_t>(count, 3000 + i * 500)), frames));
  return blocks;
}

std::string begin_of(const RecordingHeader& header) {
  ByteWriter out;
  out.text("1");
  Layout::write(out);
  out.raw(full(header));
  return first_line() + Compressor().chunk(ChunkKind::header, out.bytes());
}

std::string large_header(Random& random) {
  RecordingHeader header;
  header.presets.resize(1 + below(random, 60'000));
  for (Preset& preset : header.presets) preset.title = std::string(below(random, 40), 'x');
  return begin_of(header);
}

constexpr std::array kShapes = {repeated,    reversed,       shuffled_chunks, interleaved,
                                tiny_blocks, damaged_blocks, huge_counts,     full_shared,
                                much_shared, large_frames,   many_frames};

}  // namespace

std::string hostile_recording(const std::string& real, int number) {
  Random random(static_cast<unsigned>(number));
  static const Parts parts = parts_of(recorded_again(real));
  const size_t shape = static_cast<size_t>(number) % (kShapes.size() + 1);
  if (shape == kShapes.size()) return joined(large_header(random), parts.blocks);
  return joined(parts.begin,
                kShapes[shape](parts, static_cast<size_t>(number) / kShapes.size(), random));
}

std::string many_blocks(size_t blocks, size_t whole) {
  return joined(begin_of({}), tiny(blocks, 1, whole));
}

}  // namespace pipetop::recording

#include "engine/recording/recording.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/text.h"
#include "engine/recording/chunk.h"
#include "engine/recording/codec.h"

namespace pipetop {

namespace recording {

// A file, or its bytes.
class Input {
 public:
  Input(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)), size_(bytes_.size()) {}

  explicit Input(const std::string& path) : name_(path) {
    // Not blocking: it may be a pipe without a writer.
    file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file_) throw SystemError(path, errno, Exit::usage);
    struct stat status;
    if (::fstat(file_.get(), &status) != 0) throw SystemError(path, errno, Exit::usage);
    if (!S_ISREG(status.st_mode))
      throw Error(fmt::format("{}: it is not a regular file: give a recording", path));
    size_ = static_cast<uint64_t>(status.st_size);
  }

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // Fewer at its end.
  std::string read(uint64_t offset, uint64_t count) const {
    if (!file_) return offset < bytes_.size() ? bytes_.substr(offset, count) : std::string();
    std::string bytes(std::min(count, size_ - std::min(offset, size_)), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::pread(file_.get(), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw SystemError(name_, errno, Exit::usage);
      if (got == 0) break;  // it has become shorter
      done += static_cast<size_t>(got);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  std::string name_, bytes_;
  UniqueFd file_;
  uint64_t size_ = 0;
};

// Reads the frames of a block, one after the other.
class FrameReader {
 public:
  // The shared values and the layout outlive it.
  FrameReader(std::string raw, const SharedValues& shared, const Layout& layout)
      : raw_(std::move(raw)), frames_(raw_), decoder_(shared, layout, budget_) {}
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Throws Error; then snapshot() is of no use any more.
  void next(uint64_t now_ns) {
    ByteReader frame(frames_.text());
    budget_ = Budget(kMostBytes - std::min(decoder_.object_bytes(), kMostBytes));
    snapshot_ = {};
    decoder_.get(frame, snapshot_);
    if (!frame.empty()) fail("a frame is longer than it says");
    snapshot_.now_ns = now_ns;
    ++count_;
  }

  size_t count() const { return count_; }  // read so far
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  // A snapshot, and what the snapshots of its block share: with a thousand functions a role and the
  // largest ring it has about one MiB; 256 watched pipes have another one. Screens keep several.
  static constexpr uint64_t kMostBytes = 24 << 20;

  std::string raw_;
  ByteReader frames_;
  Budget budget_{0};
  Decoder decoder_;
  Snapshot snapshot_;
  size_t count_ = 0;
};

// The frames of two seconds.
struct Block {
  uint64_t offset = 0;  // of what is stored
  ChunkHead head;
  size_t first = 0, frames = 0;
};

// In 2 s, at 20 a second and with the changes between them.
constexpr size_t kMostFrames = 4096;
// What stays in memory while it is replayed, however large the file is. An hour takes 4 MiB, a
// change 8 KiB. While a list grows it exists twice, so that with a block and some snapshots replay
// stays below 256 MiB.
constexpr uint64_t kSharedBytes = 64 << 20, kHeaderBytes = 4 << 20;

}  // namespace recording

using namespace recording;

class Recording::Impl {
 public:
  explicit Impl(Input input) : input_(std::move(input)), budget_(kSharedBytes) {
    read_first_line();
    read_header();
    read_blocks();
    if (shared_.times.empty())
      throw Error(fmt::format(
          "{}: {}", input_.name(),
          damage_.empty() ? "the recording holds no frame" : "not one frame is whole: " + damage_));
    finish();
    frame(0);  // or it is of no use
  }

  const Snapshot& frame(size_t index);
  void finish();

  Input input_;
  Budget budget_;
  std::string version_, damage_;
  RecordingHeader header_;
  Layout layout_;
  SharedValues shared_;
  std::vector<Block> blocks_;

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{}: {}", input_.name(), why));
  }
  void read_first_line();
  void read_header();
  void read_blocks();
  bool read_block();
  std::optional<std::string> next_chunk(ChunkHead& head);
  double seconds() const;
  void end_at(size_t frames, const std::string& why);
  const Block& block_of(size_t index) const;
  void read_up_to(size_t index, size_t& next);

  uint64_t offset_ = 0;
  Decompressor decompressor_;
  std::optional<FrameReader> reader_;  // of one block
  const Block* read_block_ = nullptr;
};

void Recording::Impl::read_first_line() {
  const std::string begin = input_.read(0, kMagic.size() + 11);
  const size_t end = begin.find('\n');
  uint32_t format = 0;
  if (!begin.starts_with(kMagic) || end == std::string::npos) refuse("it is no pipetop recording");
  const char* digits = begin.data() + kMagic.size();
  const auto parsed = std::from_chars(digits, begin.data() + end, format);
  if (parsed.ec != std::errc() || parsed.ptr != begin.data() + end || format == 0)
    refuse("it is no pipetop recording");
  if (format > kFormat)
    refuse(
        fmt::format("format {}, but this pipetop reads {}: install a newer one", format, kFormat));
  if (format < kFormat)
    refuse(fmt::format("format {}, of an older pipetop: replay it with that, or record it again",
                       format));
  offset_ = end + 1;
}

// Nothing at the end of the file.
std::optional<std::string> Recording::Impl::next_chunk(ChunkHead& head) {
  const std::string bytes = input_.read(offset_, ChunkHead::kBytes);
  if (bytes.empty()) return std::nullopt;
  if (bytes.size() < ChunkHead::kBytes) fail("the last block is cut off");
  head = read_chunk_head(bytes);
  if (head.stored > input_.size() - offset_ - ChunkHead::kBytes) fail("the last block is cut off");
  std::string stored = input_.read(offset_ + ChunkHead::kBytes, head.stored);
  if (!is_whole(head, stored)) fail("a block's checksum is wrong");
  offset_ += ChunkHead::kBytes + head.stored;
  return stored;
}

void Recording::Impl::read_header() {
  try {
    ChunkHead head;
    const auto stored = next_chunk(head);
    if (!stored || head.kind != ChunkKind::header) fail("its header is missing");
    const std::string raw = decompressor_.raw(head, *stored);
    ByteReader in(raw);
    version_ = one_line(in.text());
    try {
      layout_ = Layout::read(in);
    } catch (const Error& e) {
      fail(fmt::format("pipetop {} has recorded it, and {}: install that, or a newer one", version_,
                       e.what()));
    }
    Budget budget(kHeaderBytes);
    Decoder(shared_, layout_, budget).get(in, header_);
  } catch (const Error& e) {
    refuse(e.what());
  }
}

void Recording::Impl::read_blocks() {
  try {
    while (read_block()) continue;
  } catch (const Error& e) {
    shared_.times.resize(blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().frames);
    damage_ = fmt::format("damaged after {:.1f} s, at byte {}: {}", seconds(), offset_, e.what());
  }
}

double Recording::Impl::seconds() const {
  return shared_.times.empty() ? 0 : double(shared_.times.back() - shared_.times.front()) / 1e9;
}

// Shared values and frames. False at the end of the file.
bool Recording::Impl::read_block() {
  ChunkHead head;
  const auto shared = next_chunk(head);
  if (!shared) return false;
  if (head.kind != ChunkKind::shared) fail("a block is out of its place");
  Block block;
  const uint64_t frames_at = offset_;
  const std::string raw = decompressor_.raw(head, *shared);
  if (!next_chunk(block.head)) fail("the last block is cut off");
  if (block.head.kind != ChunkKind::frames) fail("a block is out of its place");
  block.offset = frames_at + ChunkHead::kBytes;
  block.first = shared_.times.size();
  read_shared(raw, layout_, budget_, shared_);
  block.frames = shared_.times.size() - block.first;
  // Each has at least a length.
  if (block.frames == 0 || block.frames > block.head.raw / sizeof(uint32_t))
    fail("a block has fewer frames than it says");
  if (block.frames > kMostFrames) fail("a block has too many frames");
  budget_.charge(2 * sizeof(Block));
  blocks_.push_back(block);
  return true;
}

void Recording::Impl::finish() {
  std::ranges::stable_sort(shared_.marks, {}, &RecordedMark::at_ns);
  end_at(shared_.times.size(), "");
}

// Without what follows.
void Recording::Impl::end_at(size_t frames, const std::string& why) {
  shared_.times.resize(frames);
  std::erase_if(shared_.marks,
                [this](const RecordedMark& mark) { return mark.at_ns > shared_.times.back(); });
  if (why.empty()) return;
  damage_ = fmt::format("damaged after {:.1f} s: {}", seconds(), why);
}

const Block& Recording::Impl::block_of(size_t index) const {
  return *std::prev(std::ranges::upper_bound(blocks_, index, {}, &Block::first));
}

// Block by block: a file can have many that are damaged.
const Snapshot& Recording::Impl::frame(size_t index) {
  size_t wanted = std::min(index, shared_.times.size() - 1);
  std::string why;
  for (;;) {
    size_t next = block_of(wanted).first;
    try {
      read_up_to(wanted, next);
      if (!why.empty()) end_at(wanted + 1, why);
      return reader_->snapshot();
    } catch (const Error& e) {
      reader_.reset();
      if (next == 0) refuse(std::string("its first frame is damaged: ") + e.what());
      wanted = next - 1;
      why = e.what();
    }
  }
}

// `next`: the frame that it reads.
void Recording::Impl::read_up_to(size_t index, size_t& next) {
  const Block& block = block_of(index);
  if (read_block_ != &block || !reader_ || block.first + reader_->count() > index + 1) {
    reader_.reset();
    read_block_ = &block;
    const std::string stored = input_.read(block.offset, block.head.stored);
    if (!is_whole(block.head, stored)) fail("a block's checksum is wrong");
    reader_.emplace(decompressor_.raw(block.head, stored), shared_, layout_);
  }
  while (block.first + reader_->count() <= index) {
    next = block.first + reader_->count();
    reader_->next(shared_.times[next]);
  }
}

Recording::Recording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recording::Recording(const std::string& path) : impl_(std::make_unique<Impl>(Input(path))) {}
Recording Recording::of_bytes(std::string name, std::string bytes) {
  return Recording(std::make_unique<Impl>(Input(std::move(name), std::move(bytes))));
}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;

const RecordingHeader& Recording::header() const { return impl_->header_; }
const std::string& Recording::version() const { return impl_->version_; }
uint64_t Recording::bytes() const { return impl_->input_.size(); }
const std::string& Recording::damage() const { return impl_->damage_; }
std::span<const uint64_t> Recording::times() const { return impl_->shared_.times; }
std::span<const RecordedMark> Recording::marks() const { return impl_->shared_.marks; }

size_t Recording::frame_at(uint64_t now_ns) const {
  const auto after = std::ranges::upper_bound(times(), now_ns);
  return static_cast<size_t>(std::max<ptrdiff_t>(after - times().begin(), 1) - 1);
}

std::vector<std::shared_ptr<const Segment>> Recording::segments() const {
  std::map<uint64_t, std::shared_ptr<const Segment>> first;  // later ones have lost their functions
  for (const auto& segment : impl_->shared_.segments) first.emplace(segment->begin_ns, segment);
  std::vector<std::shared_ptr<const Segment>> all;
  for (auto& [_, segment] : first) all.push_back(std::move(segment));
  return all;
}

const Snapshot& Recording::frame(size_t index) { return impl_->frame(index); }
const Snapshot& Recording::snapshot_at(double seconds) {
  const double ns = std::clamp(seconds * 1e9, 0.0, double(duration_ns()));
  return frame(frame_at(begin_ns() + static_cast<uint64_t>(ns)));
}

}  // namespace pipetop

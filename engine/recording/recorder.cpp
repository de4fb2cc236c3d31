#include "engine/recording/recorder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/version.h"
#include "engine/recording/chunk.h"
#include "engine/recording/codec.h"

namespace pipetop {
namespace recording {
namespace {

constexpr uint64_t kBlock_ns = 2 * kSecond;
constexpr size_t kBlockBytes = kMostRaw / 2;
constexpr uint32_t kMostFramesPerS = 20;

// The writer's version and its layout come first, so that any reader can tell what it reads.
std::string header_bytes(const RecordingHeader& header, Written& written) {
  ByteWriter out;
  out.text(kVersion);
  Layout::write(out);
  Encoder encoder(written);
  encoder.put(header);
  out.raw(encoder.bytes());
  return out.bytes();
}

}  // namespace
}  // namespace recording

using namespace recording;

class Recorder::Impl {
 public:
  Impl(RecordingHeader header, Write write)
      : header_(std::move(header)), write_(std::move(write)) {}

  void add(const Snapshot& s);
  void begin_scene(const RecordedMark& mark) { written_.add(mark); }
  void flush();
  uint64_t bytes() const { return bytes_; }

 private:
  bool is_new(const Segment& current) const;
  bool is_too_soon(const Snapshot& s) const;
  void mark_change(const Segment& current);
  void put_frame(const Snapshot& s);
  void write(const std::string& bytes);

  RecordingHeader header_;
  Write write_;
  bool begun_ = false, ended_ = false;
  Compressor compressor_;
  Written written_;
  Encoder encoder_{written_};
  ByteWriter frames_;
  std::vector<uint64_t> times_;  // of the block's frames
  Snapshot before_;              // the last frame
  uint64_t marked_ns_ = 0;       // when the newest segment began
  uint64_t bytes_ = 0;
};

bool Recorder::Impl::is_new(const Segment& current) const {
  const Segment& last = before_.throughput.current;
  return !begun_ || current.begin_ns != last.begin_ns || current.number != last.number;
}

// A key makes frames beside those of the clock, and some callers look more often.
bool Recorder::Impl::is_too_soon(const Snapshot& s) const {
  if (is_new(s.throughput.current)) return false;
  const uint64_t interval_ns = kSecond / std::clamp(header_.frames_per_s, 1u, kMostFramesPerS);
  return s.now_ns < before_.now_ns + interval_ns * 3 / 4;
}

void Recorder::Impl::add(const Snapshot& s) {
  if (ended_ || is_too_soon(s)) return;
  if (!begun_) {
    if (s.host) header_.host = *s.host;
    header_.settings = s.requested;
    write(first_line() + compressor_.chunk(ChunkKind::header, header_bytes(header_, written_)));
  } else if (s.now_ns <= before_.now_ns) {
    return;  // time goes on
  }
  if (!times_.empty() && (s.now_ns >= times_.front() + kBlock_ns || frames_.size() >= kBlockBytes))
    flush();
  if (is_new(s.throughput.current)) mark_change(s.throughput.current);
  begun_ = true;
  put_frame(s);
}

// A talk goes from our pipe to a watched pipeline, and back to a segment that is marked already.
void Recorder::Impl::mark_change(const Segment& current) {
  if (current.begin_ns < marked_ns_) return;
  marked_ns_ = current.begin_ns;
  written_.add({.at_ns = current.begin_ns,
                .kind = RecordedMark::Kind::change,
                .number = current.number,
                .label = current.label,
                .key = current.key});
}

void Recorder::Impl::put_frame(const Snapshot& s) {
  encoder_.clear();
  encoder_.put(s);
  frames_.text(encoder_.bytes());
  times_.push_back(s.now_ns);
  before_ = s;
}

void Recorder::Impl::flush() {
  if (times_.empty() || ended_) return;
  written_.add_times(times_);
  times_.clear();
  written_.forget_unused();
  encoder_.forget_objects();
  ByteWriter& shared = written_.shared();
  write(compressor_.chunk(ChunkKind::shared, shared.bytes()) +
        compressor_.chunk(ChunkKind::frames, frames_.bytes()));
  shared.clear();
  frames_.clear();
}

void Recorder::Impl::write(const std::string& bytes) {
  ended_ = true;  // should it fail
  write_(bytes);
  ended_ = false;
  bytes_ += bytes.size();
}

Recorder::Recorder(RecordingHeader header, Write write)
    : impl_(std::make_unique<Impl>(std::move(header), std::move(write))) {}
Recorder::~Recorder() = default;
void Recorder::add(const Snapshot& snapshot) { impl_->add(snapshot); }
void Recorder::begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) {
  impl_->begin_scene({.at_ns = now_ns,
                      .kind = RecordedMark::Kind::scene,
                      .number = number,
                      .label = scene.title,
                      .key = {},
                      .caption = scene.caption,
                      .view = scene.view,
                      .highlight = scene.highlight,
                      .notes = scene.notes,
                      .wait = scene.wait,
                      .planned_ns = scene.planned_ns});
}
void Recorder::finish() { impl_->flush(); }
uint64_t Recorder::bytes() const { return impl_->bytes(); }

}  // namespace pipetop

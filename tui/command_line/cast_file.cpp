#include "tui/command_line/cast_file.h"

#include <time.h>

#include <algorithm>

#include "engine/base/error.h"

namespace pipetop::tui {

CastFile::CastFile(const std::string& path)
    : CastFile(path, static_cast<uint64_t>(::time(nullptr))) {}

CastFile::CastFile(const std::string& path, uint64_t unix_s) : cast_(unix_s) {
  if (!path.empty()) output_.emplace(path, WriteMode::as_written);
}

double CastFile::seconds_at(uint64_t now_ns) {
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  last_ns_ = std::max({last_ns_, now_ns, begin_ns_});
  return double(last_ns_ - begin_ns_) / 1e9;
}

void CastFile::add(const Canvas& canvas, uint64_t now_ns, const Segment& current) {
  const bool changed = segment_ns_ != 0 && current.begin_ns != segment_ns_;
  segment_ns_ = current.begin_ns;
  const double seconds = seconds_at(now_ns);
  write(cast_.frame(seconds, canvas));
  if (changed) write(cast_.marker(seconds, current.label));
}

void CastFile::mark(uint64_t now_ns, const std::string& label) {
  write(cast_.marker(seconds_at(now_ns), label));
}

void CastFile::write(const std::string& lines) {
  if (!output_ || failure_ || lines.empty()) return;
  try {
    output_->write(lines);
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
}

void CastFile::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (output_) output_->finish();
}

}  // namespace pipetop::tui

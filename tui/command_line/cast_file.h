// The file of --cast: a film of the screen, with a marker for each change and scene.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "engine/model/snapshot.h"
#include "tui/command_line/output.h"
#include "tui/draw/canvas.h"
#include "tui/print/cast.h"

namespace pipetop::tui {

class CastFile {
 public:
  // "" for none: nothing is written. Throws Error.
  explicit CastFile(const std::string& path);
  // It shows what happened then.
  CastFile(const std::string& path, uint64_t unix_s);

  // What the screen shows at a time. A failure stops the film, but not the dashboard; finish()
  // reports it.
  void add(const Canvas& canvas, uint64_t now_ns, const Segment& current);
  void mark(uint64_t now_ns, const std::string& label);

  // Throws Error if not everything could be written.
  void finish();

 private:
  double seconds_at(uint64_t now_ns);
  void write(const std::string& lines);

  std::optional<Output> output_;
  Cast cast_;
  uint64_t begin_ns_ = 0, last_ns_ = 0;
  uint64_t segment_ns_ = 0;  // the beginning of the one that was shown last
  std::exception_ptr failure_;
};

}  // namespace pipetop::tui

// The progress of `pipetop view`, as text: a line of a terminal, or a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pipetop::tui {

// None is asked for: all of them but the average.
struct ProgressParts {
  bool bar = false;  // and percent
  bool timer = false, eta = false, rate = false, average = false, bytes = false;
  bool operator==(const ProgressParts&) const = default;
};

struct Progress {
  ProgressParts parts;
  std::string name;  // "" for none; this and `remark` may hold any bytes
  uint64_t bytes = 0;
  std::optional<uint64_t> size;  // of everything, if it is known
  uint64_t elapsed_ns = 0;
  std::optional<double> rate, average;   // bytes per second
  std::optional<uint64_t> remaining_ns;  // if it can be told
  std::string remark;                    // "waiting for gzip", where there is room
  bool ended = false;
};

// "name: 1.23GiB 0:00:05 [ 245MiB/s] [=====>      ] 25% ETA 0:00:15  waiting for gzip", as wide as
// `cols`; a narrow one leaves out the remark, the bar, the ETA, the rate, in that order. `tick`
// moves the bar of an unknown size. If parts are asked for there are no others, and no remark.
std::string progress_line(const Progress& progress, int cols, uint64_t tick);

// "25", percent; the bytes if they are asked for, or the size isn't known. "5.0001 25" if the timer
// is asked for.
std::string progress_number(const Progress& progress);

std::string short_bytes(double bytes);  // "1.23GiB", "245MiB", "512B"
std::string clock_text(uint64_t ns);    // "0:00:15", "1:02:03:04" from a day on

}  // namespace pipetop::tui

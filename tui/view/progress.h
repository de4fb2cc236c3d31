// The progress of `pipetop view`: how fast it moves bytes and when it will be done, the text that
// says so, and the line of the terminal that shows it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop::tui {

// None is asked for: all of them but the average.
struct ProgressParts {
  bool bar = false;  // and percent
  bool timer = false, eta = false, rate = false, average = false, bytes = false;
  bool end_time = false;  // the time of day, in place of the ETA
  bool buffer = false;    // how much of it is used
  size_t last = 0;        // bytes that were written last
  bool operator==(const ProgressParts&) const = default;
};

struct Progress {
  ProgressParts parts;
  std::string name;    // "" for none; this and `remark` may hold any bytes
  bool lines = false;  // they are counted, in place of bytes
  bool bits = false;   // in place of bytes
  uint64_t bytes = 0;
  std::optional<uint64_t> size;  // of everything, if it is known
  uint64_t elapsed_ns = 0;
  std::optional<double> rate, average;   // bytes per second
  std::optional<uint64_t> remaining_ns;  // if it can be told
  int64_t unix_s = 0;                    // now
  std::string remark;                    // "waiting for gzip", where there is room
  bool ended = false;
  std::optional<double> buffer_used;  // nothing: none is used
  std::string last_written;           // any bytes
};

// "name: 1.23GiB 0:00:05 [ 245MiB/s] [=====>      ] 25% ETA 0:00:15  waiting for gzip", as wide as
// `cols`; a narrow one leaves out the remark, the bar, the ETA, the rate, in that order. `tick`
// moves the bar of an unknown size. If parts are asked for there are no others, and no remark.
std::string progress_line(const Progress& progress, int cols, uint64_t tick);

// The same by a format as pv takes it: %p, which takes the room that is left, %t %e %I %r %a %b %T
// %nA %N %%. Throws Error for any other.
std::string formatted_line(const Progress& progress, const std::string& format, int cols,
                           uint64_t tick);

// "25", percent; the bytes if they are asked for, or the size isn't known. "5.0001 25" if the timer
// is asked for.
std::string progress_number(const Progress& progress);

std::string short_bytes(double bytes);  // "1.23GiB", "245MiB", "512B"
std::string short_count(double count);  // "1.23M", "245k", "512"
std::string clock_text(uint64_t ns);    // "0:00:15", "1:02:03:04" from a day on

// From counts at certain times.
class ByteRate {
 public:
  // The average of the last moments and the time that is left are of `window_ns`.
  explicit ByteRate(uint64_t now_ns, uint64_t window_ns = 30'000'000'000);

  // `bytes` in all. Times never go back.
  void add(uint64_t now_ns, uint64_t bytes);

  // We were stopped for so long: that doesn't count.
  void leave_out(uint64_t ns);

  uint64_t bytes() const { return points_.back().bytes; }
  uint64_t elapsed_ns() const { return points_.back().at_ns - begin_ns_; }

  // In bytes per second. Nothing before any time has passed.
  std::optional<double> last() const;     // since the add() before
  std::optional<double> average() const;  // of everything

  // Until `bytes` have moved, at the rate of the window. Nothing while nothing moves.
  std::optional<uint64_t> remaining_ns(uint64_t bytes) const;

 private:
  struct Point {
    uint64_t at_ns, bytes;
  };
  static std::optional<double> rate(const Point& from, const Point& to);

  uint64_t begin_ns_, window_ns_;
  std::deque<Point> points_;
};

// Of the rates between the times when progress was shown.
class RateSpread {
 public:
  void add(double per_s);
  // "rate min/avg/max/mdev = 1.0MiB/s / 2.0MiB/s / 3.0MiB/s / 0.5MiB/s"
  std::string text(double average) const;

 private:
  size_t count_ = 0;
  double least_ = 0, most_ = 0, sum_ = 0, squares_ = 0;
};

// The last line of the terminal that is our stderr, drawn over again and again.
class StatusLine {
 public:
  // It is one of so many, which other processes draw: the first is the uppermost. To be called
  // before the first show().
  void share(int place, int lines);

  // In columns; the last one stays free, because some terminals wrap there.
  int cols() const;

  // Whether it would be seen, and wouldn't stop us: a job in the background doesn't write to its
  // terminal, unless that is `forced`, and a terminal that was stopped (Ctrl-S) doesn't stop the
  // data.
  bool can_show(bool forced = false) const;

  // In place of what is there.
  void show(const std::string& text);

  // Leaves what is there, and ends the line if there is one; or removes it.
  void end();
  void clear();

  bool is_open() const { return shown_cols_ > 0; }

 private:
  int shown_cols_ = 0;
  int place_ = 0, lines_ = 1;
};

// The width of the terminal behind `fd`; `usual` if it is none, or doesn't say.
int terminal_columns(int fd, int usual);

// As far as it is possible: nobody may read it any more, and the data is more important. Not
// through stdio, which would discard the text on an error.
void write_to_stderr(std::string_view text);

}  // namespace pipetop::tui

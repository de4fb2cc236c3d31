#include "tui/view/progress.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostLast = 4096;   // bytes that were written last
constexpr int kLeastBar = 6;         // "[===>]" and more
constexpr int kWorthBar = 10;        // with less, a remark has to go
constexpr uint64_t kStepsOfBar = 3;  // columns per tick, as something that moves

// The share of the expected bytes; never all of them before the last one has come.
std::optional<uint64_t> percent(const Progress& p) {
  if (!p.size || *p.size == 0) return {};
  return uint64_t(std::floor(100.0 * (double(p.bytes) / double(*p.size))));
}

std::string repeated(char c, int count) { return std::string(size_t(std::max(count, 0)), c); }

std::string known_bar(uint64_t percent, int inner) {
  const int filled = int(std::min<uint64_t>(percent, 100)) * inner / 100;
  if (filled == 0) return repeated(' ', inner);
  return repeated('=', filled - 1) + '>' + repeated(' ', inner - filled);
}

// "<=>" goes to and fro.
std::string unknown_bar(uint64_t tick, int inner) {
  constexpr std::string_view kMark = "<=>";
  const auto way = uint64_t(std::max(inner - int(kMark.size()), 1));
  const uint64_t at = tick * kStepsOfBar % (2 * way);
  const int before = int(at < way ? at : 2 * way - at);
  return repeated(' ', before) + std::string(kMark) +
         repeated(' ', inner - before - int(kMark.size()));
}

std::string bar(const Progress& p, int cols, uint64_t tick) {
  const auto share = percent(p);
  const int inner = cols - 2;
  return fmt::format("[{}]", share ? known_bar(*share, inner) : unknown_bar(tick, inner));
}

ProgressParts shown_parts(const Progress& p) {
  constexpr ProgressParts kUsual{
      .bar = true, .timer = true, .eta = true, .rate = true, .bytes = true};
  return p.parts == ProgressParts{} ? kUsual : p.parts;
}

std::string amount(const Progress& p, double many) {
  if (p.lines) return short_count(many);
  if (!p.bits) return short_bytes(many);
  std::string text = short_bytes(8 * many);
  text.back() = 'b';
  return text;
}

std::string bytes_field(const Progress& p) {
  return fmt::format("{:>7}", amount(p, double(p.bytes)));
}

std::string buffer_field(const Progress& p) {
  return p.buffer_used ? fmt::format("{{{:3.0f}%}}", 100 * *p.buffer_used) : "{----}";
}

// Dots for what can't be printed, and for what isn't there yet.
std::string last_field(const Progress& p, size_t count) {
  std::string text(count, '.');
  const size_t known = std::min(count, p.last_written.size());
  for (size_t i = 0; i < known; ++i) {
    const char c = p.last_written[p.last_written.size() - known + i];
    if (c > ' ' && c < 0x7f) text[count - known + i] = c;
  }
  return text;
}

std::string rate_field(const Progress& p, const std::optional<double>& rate) {
  return fmt::format("[{:>9}]", rate ? amount(p, *rate) + "/s" : "---");
}

// "FIN 17:05:23"; of another day with the date.
std::string end_field(const Progress& p) {
  if (!p.remaining_ns) return "FIN --:--:--";
  const time_t now = p.unix_s, end = now + time_t(*p.remaining_ns / kSecond);
  tm today = {}, then = {};
  ::localtime_r(&now, &today);
  ::localtime_r(&end, &then);
  const bool same = today.tm_yday == then.tm_yday && today.tm_year == then.tm_year;
  char text[32] = "";
  std::strftime(text, sizeof text, same ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &then);
  return std::string("FIN ") + text;
}

std::string eta_field(const Progress& p) {
  if (p.parts.end_time) return end_field(p);
  return "ETA " + (p.remaining_ns ? clock_text(*p.remaining_ns) : "-:--:--");
}

int width(const std::vector<std::string>& parts) {
  int cols = parts.empty() ? 0 : int(parts.size()) - 1;
  for (const std::string& part : parts) cols += columns_of(part);
  return cols;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, " "));
}

bool has_remark(const Progress& p) { return !p.remark.empty() && p.parts == ProgressParts{}; }

// How much of it is shown: the next level has less.
enum class Level : uint8_t { all, no_remark, no_bar, no_eta, no_rate, least };

struct Line {
  std::vector<std::string> before_bar, after_bar;

  int room(int cols) const {
    const int gaps = int(!before_bar.empty()) + int(!after_bar.empty());
    return cols - width(before_bar) - width(after_bar) - gaps;
  }
};

Line parts_of(const Progress& p, Level level) {
  const ProgressParts parts = shown_parts(p);
  Line line;
  if (!p.name.empty() && level < Level::least) line.before_bar.push_back(one_line(p.name) + ":");
  if (parts.bytes) line.before_bar.push_back(bytes_field(p));
  if (parts.buffer) line.before_bar.push_back(buffer_field(p));
  if (parts.timer && level < Level::least) line.before_bar.push_back(clock_text(p.elapsed_ns));
  if (parts.rate && level < Level::no_rate) line.before_bar.push_back(rate_field(p, p.rate));
  if (parts.average && level < Level::no_rate) line.before_bar.push_back(rate_field(p, p.average));
  if (const auto share = percent(p); share && parts.bar)
    line.after_bar.push_back(fmt::format("{:3}%", *share));
  if (((parts.eta && !p.ended) || parts.end_time) && p.size && level < Level::no_eta)
    line.after_bar.push_back(eta_field(p));
  if (parts.last > 0) line.after_bar.push_back(last_field(p, parts.last));
  if (has_remark(p) && level == Level::all) line.after_bar.push_back(" " + one_line(p.remark));
  return line;
}

std::string without_bar(const Line& line) {
  std::vector<std::string> parts = line.before_bar;
  parts.insert(parts.end(), line.after_bar.begin(), line.after_bar.end());
  return joined(parts);
}

// More is as good as never, and doesn't fit into a number.
constexpr double kFarSeconds = 1e9;

}  // namespace

std::string progress_line(const Progress& progress, int cols, uint64_t tick) {
  for (const Level level : {Level::all, Level::no_remark}) {
    if (!shown_parts(progress).bar) break;
    const Line line = parts_of(progress, level);
    const int room = line.room(cols);
    if (room < (level == Level::all && has_remark(progress) ? kWorthBar : kLeastBar)) continue;
    std::vector<std::string> parts = line.before_bar;
    parts.push_back(bar(progress, room, tick));
    parts.insert(parts.end(), line.after_bar.begin(), line.after_bar.end());
    return joined(parts);
  }
  for (const Level level : {Level::no_bar, Level::no_eta, Level::no_rate}) {
    std::string line = without_bar(parts_of(progress, level));
    if (columns_of(line) <= cols) return line;
  }
  return std::string(beginning(without_bar(parts_of(progress, Level::least)), cols));
}

namespace {

// What a sequence of a format stands for, but the bar.
std::string field_of(char what, size_t number, const Progress& p) {
  switch (what) {
    case 't':
      return clock_text(p.elapsed_ns);
    case 'e':
    case 'I': {
      Progress other = p;
      other.parts.end_time = what == 'I';
      return p.size ? eta_field(other) : "";
    }
    case 'r':
      return rate_field(p, p.rate);
    case 'a':
      return rate_field(p, p.average);
    case 'b':
      return bytes_field(p);
    case 'T':
      return buffer_field(p);
    case 'A':
      return last_field(p, number);
    case 'N':
      return fmt::format("{:>9}:", one_line(p.name));
    case '%':
      return "%";
    default:
      throw Error(fmt::format("--format: %{} is none of %p %t %e %I %r %a %b %T %nA %N %%", what));
  }
}

}  // namespace

std::string formatted_line(const Progress& progress, const std::string& format, int cols,
                           uint64_t tick) {
  std::string before, after;
  bool has_bar = false;
  for (size_t i = 0; i < format.size(); ++i) {
    std::string& text = has_bar ? after : before;
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    size_t number = 0;
    for (++i; i < format.size() && std::isdigit(static_cast<unsigned char>(format[i])); ++i)
      number = std::min<size_t>(number * 10 + size_t(format[i] - '0'), kMostLast);
    const char what = i < format.size() ? format[i] : ' ';
    if (what == 'p' && !has_bar)
      has_bar = true;
    else
      text += field_of(what, number, progress);
  }
  if (!has_bar) return std::string(beginning(before, cols));
  if (const auto share = percent(progress)) after = fmt::format(" {:3}%", *share) + after;
  const int room = cols - columns_of(before) - columns_of(after);
  if (room >= kLeastBar) before += bar(progress, room, tick);
  return std::string(beginning(before + after, cols));
}

void RateSpread::add(double per_s) {
  least_ = count_ == 0 ? per_s : std::min(least_, per_s);
  most_ = std::max(most_, per_s);
  sum_ += per_s;
  squares_ += per_s * per_s;
  ++count_;
}

std::string RateSpread::text(double average) const {
  if (count_ == 0) return fmt::format("rate avg = {}/s", short_bytes(average));
  const double mean = sum_ / double(count_);
  const double spread = std::sqrt(std::max(0.0, squares_ / double(count_) - mean * mean));
  return fmt::format("rate min/avg/max/mdev = {}/s / {}/s / {}/s / {}/s", short_bytes(least_),
                     short_bytes(average), short_bytes(most_), short_bytes(spread));
}

std::string progress_number(const Progress& progress) {
  const auto share = progress.parts.bytes ? std::nullopt : percent(progress);
  std::string number = std::to_string(share.value_or(progress.bytes));
  if (!progress.parts.timer) return number;
  return fmt::format("{:.4f} {}", double(progress.elapsed_ns) / double(kSecond), number);
}

std::string short_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f}B", bytes) : rate_text(bytes) + kUnits[unit];
}

std::string short_count(double count) {
  constexpr std::array kUnits = {"", "k", "M", "G", "T", "P"};
  size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return unit == 0 ? fmt::format("{:.0f}", count) : rate_text(count) + kUnits[unit];
}

std::string clock_text(uint64_t ns) {
  const uint64_t seconds = ns / kSecond, hours = seconds / 3600;
  const std::string rest = fmt::format("{:02}:{:02}", seconds / 60 % 60, seconds % 60);
  return hours < 24 ? fmt::format("{}:{}", hours, rest)
                    : fmt::format("{}:{:02}:{}", hours / 24, hours % 24, rest);
}

ByteRate::ByteRate(uint64_t now_ns, uint64_t window_ns)
    : begin_ns_(now_ns), window_ns_(window_ns), points_{{now_ns, 0}} {}

void ByteRate::add(uint64_t now_ns, uint64_t bytes) {
  points_.push_back({now_ns, bytes});
  // The second one is to be old enough, so that the rest is the window at least.
  while (points_.size() > 2 && points_[1].at_ns + window_ns_ <= now_ns) points_.pop_front();
}

void ByteRate::leave_out(uint64_t ns) {
  begin_ns_ += ns;
  for (Point& point : points_) point.at_ns += ns;
}

std::optional<double> ByteRate::rate(const Point& from, const Point& to) {
  if (to.at_ns <= from.at_ns) return {};
  return double(to.bytes - from.bytes) * double(kSecond) / double(to.at_ns - from.at_ns);
}

std::optional<double> ByteRate::last() const {
  return points_.size() < 2 ? std::nullopt : rate(points_[points_.size() - 2], points_.back());
}

std::optional<double> ByteRate::average() const { return rate({begin_ns_, 0}, points_.back()); }

std::optional<uint64_t> ByteRate::remaining_ns(uint64_t bytes) const {
  if (bytes <= points_.back().bytes) return 0;
  const auto recent = rate(points_.front(), points_.back());
  const double left = double(bytes - points_.back().bytes);
  if (!recent || *recent <= 0 || left / *recent > kFarSeconds) return {};
  return uint64_t(left / *recent * double(kSecond));
}

int StatusLine::cols() const { return terminal_columns(STDERR_FILENO, 80) - 1; }

bool StatusLine::can_show(bool forced) const {
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);  // -1: not our terminal, or none
  if (!forced && foreground != -1 && foreground != ::getpgrp()) return false;
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

// The cursor stays in the last line. The first one makes room for all.
void StatusLine::share(int place, int lines) {
  place_ = place;
  lines_ = lines;
  if (place == 0) write_to_stderr(repeated('\n', lines - 1));
}

// Blanks over the rest of a longer one: not everything that is a terminal knows sequences.
void StatusLine::show(const std::string& text) {
  if (lines_ > 1) {
    const int up = lines_ - 1 - place_;
    const std::string go = up > 0 ? fmt::format("\033[{}A", up) : "";
    const std::string back = up > 0 ? fmt::format("\033[{}B", up) : "";
    shown_cols_ = 1;
    return write_to_stderr(go + "\r" + text + "\033[K" + back + "\r");
  }
  const int now_cols = columns_of(text), room = std::max(cols() - now_cols, 0);
  const int blanks = std::clamp(shown_cols_ - now_cols, 0, room);  // it may be narrower by now
  // As pv: the first line is where the cursor is.
  write_to_stderr((is_open() ? "\r" : "") + text + std::string(size_t(blanks), ' '));
  shown_cols_ = std::max(now_cols, 1);
}

void StatusLine::end() {
  // Of several the last one in the pipeline ends last.
  if (is_open() && place_ + 1 == lines_) write_to_stderr("\n");
  shown_cols_ = 0;
}

void StatusLine::clear() {
  if (is_open())
    write_to_stderr("\r" + std::string(size_t(std::min(shown_cols_, cols())), ' ') + "\r");
  shown_cols_ = 0;
}

int terminal_columns(int fd, int usual) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual;
}

void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(size_t(done));
  }
}

}  // namespace pipetop::tui

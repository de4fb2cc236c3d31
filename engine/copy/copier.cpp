#include "engine/copy/copier.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr double kPieceSeconds = 0.01, kMostSeconds = 0.1;
constexpr double kPage = 4096;
constexpr double kWorthPages = 2 * kPage;

// A call moves at most a pipe's worth anyway.
constexpr uint64_t kMostAtOnce = 1 << 30;

// The size of a pipe that nobody has given another one.
constexpr int kUsualPipeBytes = 64 << 10, kLargerPipeBytes = 256 << 10;
constexpr uint64_t kWorthEnlarging = 1 << 20;

// Until that many, an end that becomes ready between two calls is the likely reason.
constexpr int kFalseAlarms = 3;

// A connection tells them once: the next call would take its end for that of the data. Any other
// error may be of the call alone, and a plainer one doesn't have it, or has it again.
bool is_told_once(int error) {
  constexpr std::array kErrors = {EPIPE,     ECONNRESET,   ECONNABORTED, ECONNREFUSED,
                                  ETIMEDOUT, ENETDOWN,     ENETUNREACH,  ENETRESET,
                                  EHOSTDOWN, EHOSTUNREACH, ENOTCONN,     ESHUTDOWN};
  return std::ranges::find(kErrors, error) != kErrors.end();
}

// There is something behind it that could be read.
bool is_of_the_medium(int error) {
  constexpr std::array kErrors = {EIO, ENODATA, EREMOTEIO, EILSEQ, EBADMSG, EUCLEAN};
  return std::ranges::find(kErrors, error) != kErrors.end();
}

CopyEnd checked_end(int fd, const std::string& name) {
  CopyEnd end = end_of_descriptor(fd, name);
  if (end.directory) throw SystemError(name, EISDIR, Exit::usage);
  return end;
}

// Whether it had to be waited for; a signal ends that.
bool wait_for_event(int fd, short event) {
  pollfd ready{fd, event, 0};
  return ::poll(&ready, 1, 0) == 0 && ::poll(&ready, 1, -1) != 0;
}

std::string why_copy(const CopyOptions& options) {
  if (options.buffer.counts) return "lines are counted (-l, -0)";
  if (options.skips_errors) return "errors are skipped (-E)";
  if (options.buffer.keeps != 0 || options.buffer.is_looked_at) return "it is shown (-A, -T)";
  if (options.buffer.bytes != 0) return "a buffer was asked for (-B)";
  return options.may_splice ? "" : "copying was asked for (-C)";
}

void sleep_for(uint64_t ns) {
  const timespec time = {time_t(ns / kSecond), long(ns % kSecond)};
  ::nanosleep(&time, nullptr);
}

}  // namespace

// A limit of some bytes per second, too, needs room for what comes while its owner oversleeps.
double TokenBucket::most() const {
  return std::max(double(bytes_per_s_) * kMostSeconds, 2 * piece());
}

double TokenBucket::piece() const {
  const double bytes = double(bytes_per_s_) * kPieceSeconds;
  return bytes < kWorthPages ? std::max(std::floor(bytes), 1.0) : std::floor(bytes / kPage) * kPage;
}

void TokenBucket::fill(uint64_t now_ns) {
  const uint64_t passed_ns = now_ns > at_ns_ ? now_ns - at_ns_ : 0;
  at_ns_ = std::max(at_ns_, now_ns);
  const double come = double(bytes_per_s_) * double(passed_ns) / double(kSecond);
  bytes_ = std::min(bytes_ + come, most());
}

uint64_t TokenBucket::available(uint64_t now_ns) {
  fill(now_ns);
  if (bytes_ < piece()) return 0;
  return uint64_t(bytes_ < kWorthPages ? bytes_ : std::floor(bytes_ / kPage) * kPage);
}

uint64_t TokenBucket::wait_ns() const {
  const double missing = std::max(piece() - bytes_, 0.0);
  return uint64_t(std::ceil(missing * double(kSecond) / double(bytes_per_s_)));
}

void TokenBucket::set_rate(uint64_t bytes_per_s, uint64_t now_ns) {
  fill(now_ns);
  bytes_per_s_ = bytes_per_s;
}

Copier::Copier(const CopyOptions& options)
    : in_(checked_end(options.in, options.in_name)),
      out_(checked_end(options.out, options.out_name)),
      buffer_(options.buffer),
      left_(options.stop_after),
      skips_errors_(options.skips_errors),
      skip_bytes_(options.skip_bytes) {
  set_limit(options.limit_bytes_per_s);
  CopyMethods methods = methods_for(in_, out_, why_copy(options));
  progress_.why = std::move(methods.why);
  worse_ = std::move(methods.best_first);
  use_next(progress_.why);
  const bool file_to_pipe =
      progress_.method == CopyMethod::splice_by_pipe && out_.kind == EndKind::pipe;
  if (file_to_pipe && !limit_) enlarge_at_bytes_ = kWorthEnlarging;
}

void Copier::set_limit(uint64_t bytes_per_s) {
  if (bytes_per_s == 0)
    limit_.reset();
  else if (limit_)
    limit_->set_rate(bytes_per_s, monotonic_ns());
  else
    limit_.emplace(bytes_per_s, monotonic_ns());
}

// There may be no descriptor or memory for a better one: the last one takes no descriptor.
void Copier::use_next(std::string why) {
  Leftover leftover = mover_ ? mover_->give_up() : Leftover();
  for (;;) {
    const CopyMethod next = worse_.front();
    worse_.erase(worse_.begin());
    try {
      mover_ = make_mover(next, in_, out_, leftover, buffer_);
      progress_.method = next;
      progress_.why = std::move(why);
      return;
    } catch (const SystemError& e) {
      if (worse_.empty()) throw;
      why = e.what();
    }
  }
}

std::optional<uint64_t> Copier::quota() {
  uint64_t most = left_ ? std::min(*left_, kMostAtOnce) : kMostAtOnce;
  if (!limit_ || most == 0 || (mover_->held() > 0 && !buffer_.limits_counted)) return most;
  const uint64_t allowed = limit_->available(monotonic_ns());
  if (allowed > 0) return std::min(most, allowed);
  sleep_for(limit_->wait_ns());
  return {};
}

const CopyProgress& Copier::step() {
  if (progress_.ended) return progress_;
  const auto most = quota();
  if (!most) return progress_;
  if (*most == 0 && (mover_->held() == 0 || buffer_.limits_counted)) {
    progress_.ended = true;
    return progress_;
  }
  const Moved moved = mover_->move(*most);
  progress_.bytes += moved.given;
  progress_.counted += moved.counted;
  const uint64_t used = buffer_.limits_counted ? moved.counted : moved.taken;
  if (left_) *left_ -= used;
  if (limit_) limit_->take(used);
  if (moved.given > 0) false_alarms_ = 0;
  if (moved.taken > 0) next_skip_ = kLeastSkip;
  if (progress_.bytes >= enlarge_at_bytes_) enlarge_output();
  if (moved.error != 0) react(moved.error, moved.side);
  if (!moved.ended) return progress_;
  if (has_really_ended())
    progress_.ended = true;
  else
    use_next(fmt::format("{} returned 0 before the end", name_of(progress_.method)));
  return progress_;
}

// A file that has grown, or a file system whose own way to splice or copy doesn't see all.
bool Copier::has_really_ended() const {
  return worse_.empty() || bytes_left(in_.fd).value_or(0) == 0;
}

void Copier::react(int error, CopySide side) {
  if (error == EINTR) return;
  if (error == EAGAIN) return wait_until_ready(side);
  // A plainer method will say whose error it is, if it has it, too.
  if (!is_told_once(error) && !worse_.empty())
    return use_next(fmt::format("{}: {}", name_of(progress_.method), std::strerror(error)));
  if (skips_errors_ && side == CopySide::in && is_of_the_medium(error) && skip()) return;
  const std::string& name = side == CopySide::in ? in_.name : out_.name;
  throw CopyError(
      progress_.bytes == 0 ? name : fmt::format("{}, after {} bytes", name, progress_.bytes), error,
      side);
}

// To the next multiple of what is skipped at once. False: it can't be told where that is.
bool Copier::skip() {
  const off_t at = ::lseek(in_.fd, 0, SEEK_CUR);
  if (at < 0) return false;
  const uint64_t step = skip_bytes_ != 0 ? skip_bytes_ : next_skip_;
  uint64_t bytes = step - uint64_t(at) % step;
  if (const auto left = bytes_left(in_.fd)) bytes = std::min(bytes, *left);
  if (left_) bytes = std::min(bytes, *left_);
  bytes = mover_->hold_zeros(bytes);
  if (bytes == 0 || ::lseek(in_.fd, at + off_t(bytes), SEEK_SET) < 0) return false;
  if (left_) *left_ -= bytes;
  progress_.skipped += bytes;
  next_skip_ = std::min(2 * next_skip_, kMostSkip);
  return true;
}

// One end after the other: an end that is ready would end a wait for both at once.
void Copier::wait_until_ready(CopySide side) {
  const bool waited = (side != CopySide::out && wait_for_event(in_.fd, POLLIN)) ||
                      (side != CopySide::in && wait_for_event(out_.fd, POLLOUT));
  false_alarms_ = waited ? 0 : false_alarms_ + 1;
  if (false_alarms_ >= kFalseAlarms) sleep_for(kMs);
}

// Not beyond the limits of the user or the machine: then it stays as it is.
void Copier::enlarge_output() {
  enlarge_at_bytes_ = UINT64_MAX;
  if (::fcntl(out_.fd, F_GETPIPE_SZ) == kUsualPipeBytes)
    (void)!::fcntl(out_.fd, F_SETPIPE_SZ, kLargerPipeBytes);
}

CopySide Copier::waits_for() const {
  std::array<pollfd, 2> fds = {pollfd{in_.fd, POLLIN, 0}, pollfd{out_.fd, POLLOUT, 0}};
  if (::poll(fds.data(), fds.size(), 0) < 0) return CopySide::none;
  if (fds[1].revents == 0) return CopySide::out;
  if (fds[0].revents == 0 && mover_->held() == 0) return CopySide::in;
  return CopySide::none;
}

}  // namespace pipetop

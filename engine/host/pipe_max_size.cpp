#include "engine/host/pipe_max_size.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/system_files.h"

namespace pipetop {
namespace {

using Limits = RaisedPipeMaxSize::Limits;

// 0 when there is no number.
uint64_t read_bytes(int file) {
  std::array<char, 32> text;
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  uint64_t bytes = 0;
  if (got > 0) std::from_chars(text.data(), text.data() + got, bytes);
  return bytes;
}

// Returns 0 or errno. A sysctl takes its value in one write at offset 0; in a regular file the
// newline ends a shorter value than before.
int write_bytes(int file, uint64_t bytes) {
  std::array<char, 32> text;
  char* end = std::to_chars(text.data(), text.data() + text.size() - 1, bytes).ptr;
  *end++ = '\n';
  return ::pwrite(file, text.data(), size_t(end - text.data()), 0) < 0 ? errno : 0;
}

// Whether it was still as we raised it, and is restored.
bool put_back(int file, int record, const Limits& limits) {
  const bool ours = read_bytes(file) == limits.raised_bytes;
  const bool restored = ours && write_bytes(file, limits.before_bytes) == 0;
  if (restored || !ours) (void)!::ftruncate(record, 0);
  return restored;
}

// False, with errno set, if another process holds the lock. A child shares it, and holds it on.
bool lock(const UniqueFd& record) {
  return record && ::flock(record.get(), LOCK_EX | LOCK_NB) == 0;
}

// With the lock held: what a process that was killed has recorded.
bool restore_recorded(int file, int record) {
  Limits limits;
  if (::pread(record, &limits, sizeof limits, 0) != sizeof limits) return false;
  return put_back(file, record, limits);
}

// The guardian's: writing the sysctl needs the user root, and no capability.
bool lower_again(void* memory, const int* fds) {
  const auto& limits = *static_cast<const Limits*>(memory);
  if (limits.raised_bytes != 0) put_back(fds[0], fds[1], limits);
  return false;
}

}  // namespace

std::optional<uint64_t> repair_pipe_max_size(const std::string& file, const std::string& record) {
  const UniqueFd limit(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  const UniqueFd recorded(::open(record.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!limit || !lock(recorded) || !restore_recorded(limit.get(), recorded.get())) return {};
  return read_bytes(limit.get());
}

RaisedPipeMaxSize::RaisedPipeMaxSize(uint64_t bytes, const std::string& file,
                                     const std::string& record) {
  const auto open = [](const std::string& path, int flags) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
    if (!fd) throw SystemError("raising the limit: " + path, errno);
    return fd;
  };
  before_bytes_ = bytes_ = static_cast<uint64_t>(read_number(file, 0));
  if (before_bytes_ >= bytes && ::access(record.c_str(), R_OK | W_OK) != 0) return;
  file_ = open(file, 0);
  if (before_bytes_ == 0) throw Error(file + " does not contain a number", Exit::unsupported);
  record_ = open(record, O_CREAT | O_NOFOLLOW);
  // It would be lowered under us.
  if (!lock(record_))
    throw Error("another pipetop has raised " + file + ": wait until it ends", Exit::refused);
  restore_recorded(file_.get(), record_.get());
  before_bytes_ = bytes_ = read_bytes(file_.get());
  if (before_bytes_ < bytes)
    raise(std::bit_ceil(bytes), file);  // as the kernel does
  else
    record_.reset();
}

RaisedPipeMaxSize::Limits& RaisedPipeMaxSize::shared_limits() const {
  return *static_cast<Limits*>(memory_.data());
}

void RaisedPipeMaxSize::raise(uint64_t bytes, const std::string& file) {
  memory_ = map_shared_memory(sizeof(Limits));
  if (!memory_) throw SystemError("raising the limit: mmap", errno);
  guardian_.emplace(GuardianDuty{
      .attempt = lower_again, .memory = memory_.data(), .fds = {file_.get(), record_.get()}});
  // Tells the guardian first: if we die in between, it still restores the value.
  shared_limits() = {bytes, before_bytes_};
  const bool recorded =
      ::pwrite(record_.get(), &shared_limits(), sizeof(Limits), 0) == sizeof(Limits);
  const int error = recorded ? write_bytes(file_.get(), bytes) : errno;
  if (error != 0) {
    dismiss_guardian();
    (void)!::ftruncate(record_.get(), 0);
    throw SystemError(fmt::format("raising {} to {}", file, bytes), error);
  }
  bytes_ = read_bytes(file_.get());
}

// The guardian must not restore again: somebody else may have set the value since.
void RaisedPipeMaxSize::dismiss_guardian() {
  shared_limits() = {};
  guardian_.reset();
}

RaisedPipeMaxSize::~RaisedPipeMaxSize() {
  if (!guardian_) return;
  put_back(file_.get(), record_.get(), {bytes_, before_bytes_});
  dismiss_guardian();
}

}  // namespace pipetop

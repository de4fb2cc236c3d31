// Owners of what the kernel has given us: descriptors, and mappings of memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace pipetop {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  int release() { return std::exchange(fd_, -1); }

  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

struct PipeEnds {
  UniqueFd read, write;

  explicit operator bool() const { return bool(write); }
};

// A pipe of our own. Empty, with errno set, on failure. Async-signal-safe.
inline PipeEnds open_pipe(int flags = O_CLOEXEC) {
  int ends[2];
  if (::pipe2(ends, flags) != 0) return {};
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class Mapping {
  struct Unmap {
    size_t bytes;
    void operator()(void* data) const { ::munmap(data, bytes); }
  };

 public:
  Mapping() = default;
  Mapping(void* data, size_t bytes) : data_(data, {bytes}) {}

  void* data() const { return data_.get(); }
  size_t size() const { return data_ ? data_.get_deleter().bytes : 0; }
  explicit operator bool() const { return data_ != nullptr; }

  void reset() { data_.reset(); }

 private:
  std::unique_ptr<void, Unmap> data_;
};

// The first `bytes` of a file, as a shared mapping. Empty, with errno set, on
// failure.
inline Mapping map_shared(int fd, size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return data == MAP_FAILED ? Mapping() : Mapping(data, bytes);
}

// Memory that a child shares with us. Empty, with errno set, on failure.
inline Mapping map_shared_memory(size_t bytes) {
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  return data == MAP_FAILED ? Mapping() : Mapping(data, bytes);
}

}  // namespace pipetop

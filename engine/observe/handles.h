// Owners for what the kernel lends to the observers.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace pipetop::observe {

class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Some bytes of a file, shared with the kernel.
class SharedMapping {
 public:
  SharedMapping() = default;
  SharedMapping(int fd, size_t bytes)
      : bytes_(bytes), address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) {
    if (address_ == MAP_FAILED) address_ = nullptr;
  }
  SharedMapping(SharedMapping&& other) noexcept
      : bytes_(other.bytes_), address_(std::exchange(other.address_, nullptr)) {}
  SharedMapping& operator=(SharedMapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~SharedMapping() {
    if (address_) munmap(address_, bytes_);
  }

  void* get() const { return address_; }
  explicit operator bool() const { return address_ != nullptr; }

 private:
  size_t bytes_ = 0;
  void* address_ = nullptr;
};

}  // namespace pipetop::observe

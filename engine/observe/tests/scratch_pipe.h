// A pipe of a test's own.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"

namespace pipetop::observe {

class ScratchPipe {
 public:
  ScratchPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
    read_end_ = UniqueFd(ends[0]);
    write_end_ = UniqueFd(ends[1]);
  }

  int read_end() const { return read_end_.get(); }
  int write_end() const { return write_end_.get(); }

  bool resize(int bytes) { return fcntl(write_end(), F_SETPIPE_SZ, bytes) == bytes; }

  ssize_t put(size_t bytes) { return write(write_end(), page_.data(), bytes); }
  ssize_t take(size_t bytes) { return read(read_end(), page_.data(), bytes); }
  void fill() {
    while (put(page_.size()) > 0) continue;
  }

 private:
  UniqueFd read_end_, write_end_;
  std::array<char, 4096> page_ = {};
};

}  // namespace pipetop::observe

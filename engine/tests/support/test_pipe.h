// A pipe of a test's own.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "engine/base/handles.h"
#include "engine/model/pipe_scan.h"

namespace pipetop {

inline PipeId id_of(const struct stat& status) {
  return {static_cast<uint32_t>(status.st_dev), status.st_ino};
}

struct TestPipe {
  // `flags` beside O_CLOEXEC.
  explicit TestPipe(int flags = 0) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | flags) != 0) throw std::runtime_error("pipe2");
    out.reset(ends[0]);
    in.reset(ends[1]);
    struct stat status = {};
    if (fstat(out.get(), &status) != 0) throw std::runtime_error("fstat");
    id = id_of(status);
  }

  // What write() and read() return; -1 is that it would block.
  ssize_t put(size_t bytes = 1) const {
    const std::string text(bytes, 'x');
    return checked(write(in.get(), text.data(), bytes));
  }
  ssize_t take(size_t bytes = 1) const {
    std::string text(bytes, '\0');
    return checked(read(out.get(), text.data(), bytes));
  }
  // Page by page, with what fits.
  void fill() const {
    const int flags = fcntl(in.get(), F_GETFL);
    fcntl(in.get(), F_SETFL, flags | O_NONBLOCK);
    while (put(4096) > 0) continue;
    fcntl(in.get(), F_SETFL, flags);
  }
  bool resize(int bytes) const { return fcntl(in.get(), F_SETPIPE_SZ, bytes) == bytes; }
  void close() {
    out.reset();
    in.reset();
  }

  UniqueFd out, in;  // to read from, to write to
  PipeId id;

 private:
  static ssize_t checked(ssize_t moved) {
    if (moved < 0 && errno != EAGAIN) throw std::runtime_error("a pipe's end");
    return moved;
  }
};

}  // namespace pipetop

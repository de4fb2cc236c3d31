// `pipetop view`, pv and cat in pipelines of a shell.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {
namespace {

// So that starting the processes is a small part of it.
constexpr uint64_t kBytes = 2ULL << 30, kFileBytes = 1 << 30;

// Without a name: the shell opens it by its descriptor.
int temporary_file() {
  std::FILE* file = std::tmpfile();  // until we end
  if (!file) throw SystemError("a temporary file", errno);
  return ::fileno(file);
}

int filled_file() {
  const int fd = temporary_file();
  const std::vector<char> piece(1 << 20, 'x');
  for (uint64_t bytes = 0; bytes < kFileBytes; bytes += piece.size())
    if (::write(fd, piece.data(), piece.size()) != ssize_t(piece.size()))
      throw SystemError("a temporary file", errno);
  return fd;
}

struct Files {
  int from = filled_file(), to = temporary_file();
};

constexpr ViewShape kShapes[] = {
    {"pipe to pipe", "head -c $BYTES /dev/zero | $IT | cat >/dev/null", kBytes},
    {"pipe to /dev/null", "head -c $BYTES /dev/zero | $IT >/dev/null", kBytes},
    {"file to pipe", "$IT <$FROM | cat >/dev/null", kFileBytes},
    {"pipe to file", "head -c $BYTES /dev/zero | $IT >$TO", kBytes},
    {"file to /dev/null", "$IT <$FROM >/dev/null", kFileBytes},
};

}  // namespace

std::span<const ViewShape> view_shapes() { return kShapes; }

double view_rate(const ViewShape& shape, const std::string& program) {
  static const Files files;
  if (::ftruncate(files.to, 0) != 0) throw SystemError("a temporary file", errno);
  ::setenv("BYTES", std::to_string(shape.bytes).c_str(), 1);
  ::setenv("FROM", fmt::format("/dev/fd/{}", files.from).c_str(), 1);
  ::setenv("TO", fmt::format("/dev/fd/{}", files.to).c_str(), 1);
  ::setenv("IT", program.c_str(), 1);
  const uint64_t begin_ns = monotonic_ns();
  if (std::system(shape.command) != 0) throw Error(program + " failed");
  return double(shape.bytes) / double(1 << 30) * 1e9 / double(monotonic_ns() - begin_ns);
}

}  // namespace pipetop::bench

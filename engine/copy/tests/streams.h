// Ends for a copy, and somebody at the other side of them, for tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "engine/base/handles.h"

namespace pipetop {

// Other bytes at every offset.
inline std::string random_bytes(size_t size, unsigned seed = 1) {
  std::string bytes(size, '\0');
  std::mt19937_64 next(seed);
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t word = next();
    std::copy_n(reinterpret_cast<const char*>(&word), std::min(sizeof word, size - at),
                bytes.data() + at);
  }
  return bytes;
}

// False when nobody reads any more.
inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(size_t(done));
  }
  return true;
}

// In pieces of any size up to `most`.
inline bool write_pieces(int fd, std::string_view bytes, size_t most) {
  std::mt19937 next(7);
  while (!bytes.empty()) {
    const size_t piece = std::min<size_t>(bytes.size(), 1 + next() % most);
    if (!write_all(fd, bytes.substr(0, piece))) return false;
    bytes.remove_prefix(piece);
  }
  return true;
}

// To the end of the file, or to the error of a terminal that was closed.
inline std::string read_all(int fd, size_t at_once = 1 << 16) {
  std::string all, chunk(at_once, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(chunk, 0, size_t(got));
  }
}

struct TwoEnds {
  UniqueFd read, write;
};

inline TwoEnds make_pipe() {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

inline TwoEnds make_sockets() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// `read` is the terminal's master. Bytes pass as they are.
inline TwoEnds make_raw_terminal() {
  int master = -1, slave = -1;
  EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  termios settings{};
  ::tcgetattr(slave, &settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(slave, TCSANOW, &settings);
  return {UniqueFd(master), UniqueFd(slave)};
}

// Has no name any more. Of the temporary directory, because a memfd can't be opened to append.
struct ScratchFile {
  explicit ScratchFile(std::string_view content = {}) {
    std::string path = (std::filesystem::temp_directory_path() / "pipetop-test-XXXXXX").string();
    fd = UniqueFd(::mkostemp(path.data(), O_CLOEXEC));
    EXPECT_TRUE(fd);
    appending = UniqueFd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ::unlink(path.c_str());
    EXPECT_TRUE(write_all(fd.get(), content));
    ::lseek(fd.get(), 0, SEEK_SET);
  }

  std::string content() const {
    std::string bytes(size_t(::lseek(fd.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(fd.get(), bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
    return bytes;
  }

  UniqueFd fd, appending;
};

}  // namespace pipetop

#include "engine/config/text_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/unique_fd.h"

namespace pipetop {
namespace {

void check_kind(const struct stat& status, size_t limit) {
  if (S_ISDIR(status.st_mode)) throw Error("is a directory: give a file");
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file: give one");
  if (size_t(status.st_size) > limit)
    throw Error(fmt::format("has {} bytes: a config has at most {}", status.st_size, limit));
}

bool is_white(char c) { return c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::string read_text_file(const std::string& path, size_t limit) {
  // Non-blocking: opening a FIFO would wait for a writer.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    const int error = errno;
    throw Error(fmt::format("cannot be opened: {}: give a file that exists and is readable",
                            std::generic_category().message(error)));
  }
  struct stat status;
  if (fstat(fd.get(), &status) != 0) throw SystemError("cannot be read", errno, Exit::usage);
  check_kind(status, limit);
  std::string text;
  std::array<char, 16384> chunk;
  while (text.size() <= limit) {
    const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError("cannot be read", errno, Exit::usage);
    text.append(chunk.data(), size_t(got));
  }
  throw Error(fmt::format("has more than the {} bytes of a config", limit));
}

std::optional<TextFault> find_text_fault(std::string_view text) {
  size_t length = 0;
  for (size_t i = 0; i < text.size(); i += length) {
    length = utf8_length(text.substr(i));
    if (length == 0)
      return {{i, fmt::format("byte 0x{:02x} is not UTF-8: give a text file", uint8_t(text[i]))}};
    std::string_view rest = text.substr(i);
    if (is_control(take_code_point(rest)) && !is_white(text[i]))
      return {{i, fmt::format("a control character (0x{:02x}): give a text file",
                              uint8_t(text[i + length - 1]))}};
  }
  return {};
}

}  // namespace pipetop

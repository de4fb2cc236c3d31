#include "engine/base/system_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "engine/base/error.h"
#include "engine/base/handles.h"

namespace pipetop {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t start = text.find_first_not_of(kBlank);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

template <class Number>
std::optional<Number> number_at_start(std::string_view text, int base) {
  Number number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string read_head(const std::string& path, size_t limit) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  while (file && text.size() < limit) {
    const ssize_t bytes =
        ::read(file.get(), part.data(), std::min(part.size(), limit - text.size()));
    if (bytes < 0) return {};
    if (bytes == 0) break;
    text.append(part.data(), static_cast<size_t>(bytes));
  }
  if (file) errno = 0;
  return text;
}

bool is_shortage(int error_number) {
  return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM ||
         error_number == EINTR;
}

void check_shortage() {
  if (is_shortage(errno)) throw SystemError("/proc", errno);
}

long long read_number(const std::string& path, long long otherwise) {
  constexpr size_t kLongest = 64;
  return number_at_start<long long>(trimmed(read_head(path, kLongest)), 10).value_or(otherwise);
}

std::string first_line(std::string_view text) {
  return std::string(trimmed(text.substr(0, text.find('\n'))));
}

std::string_view keyed_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t colon = line.find(':');
    if (colon != line.npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::optional<uint64_t> keyed_number(std::string_view text, std::string_view key, int base) {
  return number_at_start<uint64_t>(keyed_value(text, key), base);
}

}  // namespace pipetop

// Numbers and text as bytes, in the same order on every machine: little endian, each as wide as it
// is in memory. Reading checks every length against what is left.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace pipetop::recording {

// Input that no pipetop has written.
[[noreturn]] inline void fail(const std::string& what) { throw Error(what); }

class ByteWriter {
 public:
  void number(std::unsigned_integral auto value) {
    for (size_t i = 0; i < sizeof value; ++i) bytes_.push_back(static_cast<char>(value >> 8 * i));
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  // Bytes that were written since it had this size: values of `each` bytes. All their first bytes
  // come first, then all their second ones: each of these lists is more regular by itself.
  void transpose(size_t since, size_t each) {
    const std::string values = bytes_.substr(since);
    const size_t count = values.size() / each;
    for (size_t i = 0; i < count * each; ++i)
      bytes_[since + i] = values[i % count * each + i / count];
  }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }  // keeps the memory

 private:
  std::string bytes_;
};

// Throws Error if there is less than what is asked for.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <std::unsigned_integral T>
  T number() {
    uint64_t value = 0;
    size_t shift = 0;
    for (const char byte : raw(sizeof(T))) {
      value |= uint64_t{static_cast<uint8_t>(byte)} << shift;
      shift += 8;
    }
    return static_cast<T>(value);
  }
  std::string_view text() { return raw(number<uint32_t>()); }
  std::string_view raw(uint64_t count) {
    if (count > left_.size()) fail("it ends too early");
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  // `count` values of `each` bytes that were transposed.
  std::string transposed(uint64_t count, size_t each) {
    const std::string_view bytes = raw(count * each);
    std::string values(bytes.size(), '\0');
    for (size_t i = 0; i < values.size(); ++i) values[i % count * each + i / count] = bytes[i];
    return values;
  }
  // How many values follow, each of which takes at least a byte.
  uint32_t count() {
    const auto value = number<uint32_t>();
    if (value > left_.size()) fail("it has fewer values than it says");
    return value;
  }

  size_t left() const { return left_.size(); }
  bool empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace pipetop::recording

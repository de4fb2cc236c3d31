// Numbers and text as bytes, in the same order on every machine: little endian, and short for small
// numbers. Reading checks every length against what is left.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace pipetop::recording {

// Input that no pipetop has written.
[[noreturn]] inline void fail(const std::string& what) { throw Error(what); }

class ByteWriter {
 public:
  void byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<uint8_t>(value >> shift));
  }
  // Seven bits a byte, the lowest first; all but the last have the highest bit set.
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }
  // Small of either sign: 0, -1, 1, -2, ...
  void difference(uint64_t now, uint64_t before) {
    const uint64_t d = now - before;
    number((d << 1) ^ (d >> 63 ? ~uint64_t{0} : 0));
  }
  // Of the bits that differ, the bytes between the first and the last that are not 0. One byte
  // ahead tells how many there are, and how many follow them.
  void real(double now, double before) {
    uint64_t bits = std::bit_cast<uint64_t>(now) ^ std::bit_cast<uint64_t>(before);
    const int low = bits == 0 ? 0 : std::countr_zero(bits) / 8;
    bits >>= 8 * low;
    const int count = (static_cast<int>(std::bit_width(bits)) + 7) / 8;
    byte(static_cast<uint8_t>(low << 4 | count));
    for (int i = 0; i < count; ++i) byte(static_cast<uint8_t>(bits >> 8 * i));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }  // keeps the memory

 private:
  std::string bytes_;
};

// Throws Error if there is less than what is asked for.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  uint8_t byte() { return static_cast<uint8_t>(raw(1).front()); }
  uint32_t u32() {
    uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= uint32_t{byte()} << shift;
    return value;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      if (shift == 63 && next > 1) break;
      value |= uint64_t{next & 0x7Fu} << shift;
      if (next < 0x80) return value;
    }
    fail("a number is too long");
  }
  uint64_t difference(uint64_t before) {
    const uint64_t d = number();
    return before + ((d >> 1) ^ (d & 1 ? ~uint64_t{0} : 0));
  }
  double real(double before) {
    const int shape = byte();
    const int low = shape >> 4, count = shape & 15;
    if (low + count > 8) fail("a number has too many bytes");
    uint64_t bits = 0;
    for (int i = 0; i < count; ++i) bits |= uint64_t{byte()} << 8 * i;
    bits = low < 8 ? bits << 8 * low : 0;
    return std::bit_cast<double>(std::bit_cast<uint64_t>(before) ^ bits);
  }
  std::string_view text() { return raw(number()); }
  std::string_view raw(uint64_t count) {
    if (count > left_.size()) fail("it ends too early");
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  // Of something of which each takes at least a byte.
  uint64_t count() {
    const uint64_t value = number();
    if (value > left_.size()) fail("it has fewer values than it says");
    return value;
  }

  size_t left() const { return left_.size(); }
  bool empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace pipetop::recording

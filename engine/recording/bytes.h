// Numbers and text as bytes, in the same order on every machine: little endian, and short for small
// numbers. Reading checks every length against what is left.
//
// A Walk calls the same functions of both: each is given the value that is written and returns it,
// or ignores it and returns the value that is read.
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
  static constexpr bool kReads = false;

  uint8_t byte(uint8_t value) {
    bytes_.push_back(static_cast<char>(value));
    return value;
  }
  void u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<uint8_t>(value >> shift));
  }
  // Seven bits a byte, the lowest first; all but the last have the highest bit set.
  uint64_t number(uint64_t value) {
    uint64_t left = value;
    for (; left >= 0x80; left >>= 7) byte(static_cast<uint8_t>(left | 0x80));
    byte(static_cast<uint8_t>(left));
    return value;
  }
  uint64_t count(uint64_t value) { return number(value); }
  // Small of either sign: 0, -1, 1, -2, ...
  uint64_t difference(uint64_t now, uint64_t before) {
    const uint64_t d = now - before;
    number((d << 1) ^ (d >> 63 ? ~uint64_t{0} : 0));
    return now;
  }
  // Writes the bytes between the first and the last that differ. One byte ahead tells how many
  // there are, and how many follow them.
  double real(double now, double before) {
    uint64_t bits = std::bit_cast<uint64_t>(now) ^ std::bit_cast<uint64_t>(before);
    const int low = bits == 0 ? 0 : std::countr_zero(bits) / 8;
    bits >>= 8 * low;
    const int count = (static_cast<int>(std::bit_width(bits)) + 7) / 8;
    byte(static_cast<uint8_t>(low << 4 | count));
    for (int i = 0; i < count; ++i) byte(static_cast<uint8_t>(bits >> 8 * i));
    return now;
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

  // The parts of a value: a bit tells of each whether it follows, and the bits come first.
  class Parts {
   public:
    // `first`: bits of the first byte that tell something else.
    Parts(ByteWriter& out, uint64_t count, uint8_t first = 0)
        : out_(out), at_(out.size()), first_(first) {
      out.bytes_.append((count + 7) / 8, '\0');
      if (count > 0) out.bytes_[at_] = static_cast<char>(first);
    }

    uint8_t first() const { return first_; }
    // `walk` writes the part and returns whether it differs from the one before. Only then it stays
    // written, or `always`.
    template <class Part>
    bool part(size_t i, bool always, Part walk) {
      const size_t begin = out_.size();
      const bool differs = walk();
      if (differs || always)
        out_.bytes_[at_ + i / 8] = static_cast<char>(out_.bytes_[at_ + i / 8] | 1 << i % 8);
      else
        out_.bytes_.resize(begin);
      return differs;
    }

   private:
    ByteWriter& out_;
    size_t at_;
    uint8_t first_;
  };

 private:
  std::string bytes_;
};

// Throws Error if there is less than what is asked for.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  uint8_t byte(uint8_t = 0) { return static_cast<uint8_t>(raw(1).front()); }
  uint32_t u32() {
    uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= uint32_t{byte()} << shift;
    return value;
  }
  uint64_t number(uint64_t = 0) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      if (shift == 63 && next > 1) break;
      value |= uint64_t{next & 0x7Fu} << shift;
      if (next < 0x80) return value;
    }
    fail("a number is too long");
  }
  uint64_t difference(uint64_t, uint64_t before) {
    const uint64_t d = number();
    return before + ((d >> 1) ^ (d & 1 ? ~uint64_t{0} : 0));
  }
  double real(double, double before) {
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
  // How many values follow, each of which takes at least a byte.
  uint64_t count(uint64_t = 0) {
    const uint64_t value = number();
    if (value > left_.size()) fail("it has fewer values than it says");
    return value;
  }

  size_t left() const { return left_.size(); }
  bool empty() const { return left_.empty(); }

  class Parts {
   public:
    Parts(ByteReader& in, uint64_t count, uint8_t = 0) : bits_(in.raw((count + 7) / 8)) {
      const size_t rest = count % 8;
      if (rest > 0 && static_cast<uint8_t>(bits_.back()) >> rest != 0)
        fail("a value has more parts than it should");
    }

    uint8_t first() const { return static_cast<uint8_t>(bits_.front()); }
    bool has(size_t i) const { return i / 8 < bits_.size() && bits_[i / 8] & 1 << i % 8; }
    template <class Part>
    bool part(size_t i, bool, Part walk) {
      return has(i) && walk();
    }

   private:
    std::string_view bits_;
  };

 private:
  std::string_view left_;
};

}  // namespace pipetop::recording

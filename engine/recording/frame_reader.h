// Reads the frames of a block, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/recording/bytes.h"
#include "engine/recording/decoder.h"

namespace pipetop::recording {

class FrameReader {
 public:
  // The shared values outlive it.
  FrameReader(std::string raw, const SharedValues& shared, const Layout& layout);
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Throws Error; then snapshot() is of no use any more.
  void next(uint64_t now_ns);

  size_t count() const { return count_; }  // read so far
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  std::string raw_;
  ByteReader frames_;
  ByteReader frame_;
  Budget budget_;
  Decoder decoder_;
  Snapshot snapshot_;
  size_t count_ = 0;
};

}  // namespace pipetop::recording

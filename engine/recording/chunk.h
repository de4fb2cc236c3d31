// The pieces of a recording's file: each compressed by itself, with its lengths and a checksum.
//
//   the first line    "pipetop recording 2\n", with the version of the format
//   then chunks:      kind (1 byte), stored and raw bytes, CRC-32 of all this and of what is
//                     stored (4 bytes each, little endian); then what is stored, a zstd frame
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace pipetop::recording {

enum class ChunkKind : uint8_t {
  header = 'h',  // first, and only once
  shared = 'n',  // what the frames that follow refer to
  frames = 'f',  // of at most two seconds
};

inline constexpr std::string_view kMagic = "pipetop recording ";
inline constexpr uint32_t kFormat = 2;
inline constexpr uint32_t kMostRaw = 8 << 20;                   // of a chunk
inline constexpr uint32_t kMostStored = kMostRaw + (64 << 10);  // of bytes that do not compress

// "pipetop recording 2\n".
std::string first_line();

struct ChunkHead {
  static constexpr size_t kBytes = 13;

  ChunkKind kind = ChunkKind::header;
  uint32_t stored = 0, raw = 0, crc = 0;
};

// Throws Error if it cannot be one.
ChunkHead read_chunk_head(std::string_view bytes);
bool is_whole(const ChunkHead& head, std::string_view stored);

class Compressor {
 public:
  Compressor();

  // A chunk with its head. Throws Error if it is too large.
  std::string chunk(ChunkKind kind, std::string_view raw);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

class Decompressor {
 public:
  Decompressor();

  // What a chunk holds. Throws Error if it is not as long as its head says.
  std::string raw(const ChunkHead& head, std::string_view stored);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace pipetop::recording

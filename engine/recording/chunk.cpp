#include "engine/recording/chunk.h"

#include <fmt/core.h>
#include <zlib.h>
#include <zstd.h>

#include <new>

#include "engine/recording/bytes.h"

namespace pipetop::recording {
namespace {

// Higher levels save little here: most of what changes is noise.
constexpr int kLevel = 3;

std::string head_bytes(ChunkKind kind, uint32_t stored, uint32_t raw) {
  ByteWriter out;
  out.number(static_cast<uint8_t>(kind));
  out.number(stored);
  out.number(raw);
  return out.bytes();
}

uint32_t crc_of(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(
      ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

uint32_t crc_of(const ChunkHead& head, std::string_view stored) {
  return crc_of(crc_of(0, head_bytes(head.kind, head.stored, head.raw)), stored);
}

}  // namespace

std::string first_line() { return fmt::format("{}{}\n", kMagic, kFormat); }

ChunkHead read_chunk_head(std::string_view bytes) {
  ByteReader in(bytes);
  ChunkHead head;
  const auto kind = in.number<uint8_t>();
  head.kind = static_cast<ChunkKind>(kind);
  head.stored = in.number<uint32_t>();
  head.raw = in.number<uint32_t>();
  head.crc = in.number<uint32_t>();
  const bool known = kind == 'h' || kind == 'n' || kind == 'f';
  if (!known || head.stored > kMostStored || head.raw > kMostRaw) fail("no block begins there");
  return head;
}

bool is_whole(const ChunkHead& head, std::string_view stored) {
  return crc_of(head, stored) == head.crc;
}

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Compressor::Compressor() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
}
Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}

std::string Compressor::chunk(ChunkKind kind, std::string_view raw) {
  if (raw.size() > kMostRaw) fail("what is on the screen is too large to be recorded");
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  const size_t size = ZSTD_compressCCtx(context_.get(), stored.data(), stored.size(), raw.data(),
                                        raw.size(), kLevel);
  if (ZSTD_isError(size)) fail(ZSTD_getErrorName(size));
  stored.resize(size);
  const ChunkHead head{kind, static_cast<uint32_t>(size), static_cast<uint32_t>(raw.size())};
  ByteWriter out;
  out.raw(head_bytes(kind, head.stored, head.raw));
  out.number(crc_of(head, stored));
  out.raw(stored);
  return out.bytes();
}

std::string Decompressor::raw(const ChunkHead& head, std::string_view stored) {
  // Few bytes can stand for many, but not without end.
  std::string bytes(head.raw, '\0');
  const size_t size =
      ZSTD_decompressDCtx(context_.get(), bytes.data(), bytes.size(), stored.data(), stored.size());
  if (ZSTD_isError(size)) fail(ZSTD_getErrorName(size));
  if (size != head.raw) fail("a block is shorter than it says");
  return bytes;
}

}  // namespace pipetop::recording

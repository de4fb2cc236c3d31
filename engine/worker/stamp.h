// Stamped pages: every page contains its position in the stream, so that the reader
// detects lost, repeated, reordered and torn pages.
#pragma once

#include <cstdint>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"

namespace pipetop {

inline constexpr uint64_t kStampMagic = 0x50414745'50544f50;  // "POTPEGAP"

// The first words of a page; the last word repeats the position.
struct PageStamp {
  uint64_t magic = kStampMagic;
  uint64_t epoch = 0;     // positions of different epochs do not compare
  uint64_t series = 0;    // between two of them the writer wrote pages without stamps
  uint64_t position = 0;  // pages since the stream began
};

// Stamps `bytes`, whole pages, starting at `first`'s position. Writes the first words of all pages,
// then the last words, so that a page that is copied in between shows as torn.
void stamp_pages(char* data, uint64_t bytes, const PageStamp& first);

// Checks pages in order of arrival. Its own position counts all bytes that passed,
// checked or not.
class StampChecker {
 public:
  explicit StampChecker(WorkerIntegrity& integrity) : integrity_(integrity) {}

  // Expects pages of `epoch` from now on. The first epoch begins at position 0; a
  // later one begins at the position in its first page.
  void expect_epoch(uint64_t epoch, bool from_start);

  // `bytes` of the stream arrived at `data`, at stream offset `offset_bytes`.
  void check(const char* data, uint64_t bytes, uint64_t offset_bytes);

 private:
  void check_page(const char* page, uint64_t position);
  void settle_unstamped(const PageStamp& next);

  WorkerIntegrity& integrity_;
  uint64_t epoch_ = 0;
  bool synchronised_ = false;
  uint64_t lead_ = 0;  // stamp minus our own position, modulo 2^64
  uint64_t series_ = 0;
  uint64_t unstamped_ = 0;  // since the last stamped page
};

}  // namespace pipetop

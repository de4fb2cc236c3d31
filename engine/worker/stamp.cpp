#include "engine/worker/stamp.h"

#include <cstring>

namespace pipetop {

void stamp_pages(char* data, uint64_t bytes, const PageStamp& first) {
  PageStamp stamp = first;
  for (uint64_t at = 0; at < bytes; at += kPageBytes, ++stamp.position)
    std::memcpy(data + at, &stamp, sizeof stamp);
  uint64_t position = first.position;
  for (uint64_t at = 0; at < bytes; at += kPageBytes, ++position)
    std::memcpy(data + at + kPageBytes - sizeof position, &position, sizeof position);
}

void StampChecker::expect_epoch(uint64_t epoch, bool from_start) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  series_ = unstamped_ = 0;
  synchronised_ = from_start;
  lead_ = 0;
}

void StampChecker::check(const char* data, uint64_t bytes, uint64_t offset_bytes) {
  // Only whole pages can be checked. All transfers are whole pages unless the
  // kernel splits one, which then shows up as unstamped.
  uint64_t skip = (kPageBytes - offset_bytes % kPageBytes) % kPageBytes;
  if (skip > 0) ++unstamped_;
  for (; skip + kPageBytes <= bytes; skip += kPageBytes)
    check_page(data + skip, (offset_bytes + skip) / kPageBytes);
}

void StampChecker::check_page(const char* page, uint64_t position) {
  PageStamp stamp;
  uint64_t last = 0;
  std::memcpy(&stamp, page, sizeof stamp);
  std::memcpy(&last, page + kPageBytes - sizeof last, sizeof last);
  if (stamp.magic != kStampMagic) return void(++unstamped_);
  if (last != stamp.position) return add(integrity_.torn, 1);
  if (stamp.epoch != epoch_) return add(integrity_.unstamped, 1);  // from before a restart
  settle_unstamped(stamp);
  if (!synchronised_) {
    synchronised_ = true;
    lead_ = stamp.position - position;
    add(integrity_.epochs, 1);
  }
  add(stamp.position == position + lead_ ? integrity_.verified : integrity_.misplaced, 1);
}

// Unstamped pages within a series are damage. Before a new series they are what the
// writer wrote before it was told to stamp.
void StampChecker::settle_unstamped(const PageStamp& next) {
  if (unstamped_ > 0 && next.series == series_) add(integrity_.unstamped, unstamped_);
  unstamped_ = 0;
  series_ = next.series;
}

}  // namespace pipetop

// A cached file for tests, in a temporary directory.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include "engine/workload/page_cache/cached_file.h"

namespace pipetop {

inline CachedFile filled_file(uint64_t bytes) {
  CachedFile file = FileStore(temporary_directories()).make();
  EXPECT_EQ(file.resize(bytes), 0);
  while (!file.fill(bytes)) {
  }
  return file;
}

// Throws its pages from `offset` on out of the page cache.
inline void evict(const CachedFile& file, uint64_t offset = 0) {
  ASSERT_EQ(::fdatasync(file.fd()), 0);
  ASSERT_EQ(::posix_fadvise(file.fd(), static_cast<off_t>(offset), 0, POSIX_FADV_DONTNEED), 0);
}

}  // namespace pipetop

// What the tests share that need root and a kernel with BTF.
#pragma once

#include <gtest/gtest.h>

#include "engine/base/reading.h"
#include "engine/tests/eventually.h"
#include "engine/tests/run_tests.h"
#include "engine/tests/support/child.h"

namespace pipetop::observe {

// Leaves the test unless `reading` is there.
#define PIPETOP_NEED(reading)                                    \
  do {                                                           \
    const auto& needed = (reading);                              \
    if (needed.status == ReadingStatus::unavailable) {           \
      if (::pipetop::bpf_is_required()) FAIL() << needed.reason; \
      GTEST_SKIP() << needed.reason;                             \
    }                                                            \
  } while (false)

}  // namespace pipetop::observe

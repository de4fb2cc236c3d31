// The kernel's own benchmark of getting user pages, which the article quotes. Few
// kernels are built with it (CONFIG_GUP_TEST), and it is for root only.
#pragma once

#include <linux/ioctl.h>

#include <cstdint>
#include <memory>

#include "engine/experiment/limits_step.h"
#include "engine/model/settings.h"

namespace pipetop {

inline constexpr const char* kGupTestFile = "/sys/kernel/debug/gup_test";

// As in mm/gup_test.h of the kernel, which is not among its exported headers.
struct GupTest {
  uint64_t get_delta_usec, put_delta_usec;  // out: what it took
  uint64_t addr;
  uint64_t size;  // in bytes; out: how many were got
  uint32_t nr_pages_per_call;
  uint32_t gup_flags, test_flags;
  uint32_t which_pages[8];
};
static_assert(sizeof(GupTest) == 80);
inline constexpr unsigned long kGupFastBenchmark = _IOWR('g', 1, GupTest);

// The figures of a slice, in ns a page.
inline constexpr size_t kGupGet = 0, kGupPut = 1;

// get_user_pages_fast of touched pages, as many a call as vmsplice asks for. Throws
// Error when there is no such file, or no such pages.
std::unique_ptr<LimitsStep> gup_test_step(Pages pages);

}  // namespace pipetop

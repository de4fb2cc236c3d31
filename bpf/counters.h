/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What counters.bpf.c counts in, and how often. */
#pragma once

#include "sampler.h"

enum {
  COUNTERS_ADDS = 1 << 16,
};

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The record that counters.bpf.c counts in, and the number of adds. */
#pragma once

#include "sampler.h"

enum {
  COUNTERS_ADDS = 1 << 16,
};

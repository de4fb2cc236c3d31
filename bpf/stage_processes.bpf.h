/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The processes that are watched. */
#pragma once

#include "kernel.h"
#include "stages.h"

/* The initial namespace's number of a process to user space's. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, STAGE_THREADS);
  __type(key, __u32);
  __type(value, __u32);
} processes SEC(".maps");

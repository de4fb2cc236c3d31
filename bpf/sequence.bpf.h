/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A record that user space reads between two changes: its number is odd during a change. */
#pragma once

#include "kernel.h"

/*
 * x86 makes stores visible in their order; an exchange is a full barrier on every architecture, and
 * takes as long as a fifth of all the rest of a program.
 */
static __always_inline void step_sequence(__u32 *sequence) {
#ifdef __TARGET_ARCH_x86
  barrier();
  *(volatile __u32 *)sequence = *sequence + 1;
  barrier();
#else
  __sync_lock_test_and_set(sequence, *sequence + 1);
#endif
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whom our user may see: the processes whose descriptors and system calls /proc would show it
 * without the capabilities that our file may have. BPF reads the memory of all of them, and asks
 * nobody, so what follows decides as the kernel's ptrace_may_access(PTRACE_MODE_READ_FSCREDS)
 * does. It has to be asked anew at each look: a process may change its user, or exec a setuid
 * program. Security modules are not asked.
 */
#pragma once

#include "kernel.h"

#define SUID_DUMP_USER 1
#define SUID_DUMP_MASK 3
#define USER_NAMESPACES 33 /* within each other, at most */

/* Set by user space. To root all the rest costs nothing: the verifier takes it out. */
const volatile __u32 sees_all;
const volatile __u32 viewer_uid, viewer_gid;
const volatile __u64 viewer_capabilities; /* without those of the file */

/* In the initial pid namespace: whoever reads our iterators, which may see itself. */
__u32 viewer_tgid;

/*
 * Who makes a user namespace has all capabilities in it and in all below. Our own is the initial
 * one, where alone BPF can be loaded.
 */
static __always_inline bool is_viewers_namespace(struct user_namespace *ns) {
  for (int i = 0; i < USER_NAMESPACES; ++i) {
    struct user_namespace *parent = BPF_CORE_READ(ns, parent);
    if (!parent) return false;
    if (!BPF_CORE_READ(parent, parent)) return BPF_CORE_READ(ns, owner.val) == viewer_uid;
    ns = parent;
  }
  return false;
}

static __always_inline bool has_viewers_ids(const struct cred *cred) {
  return BPF_CORE_READ(cred, uid.val) == viewer_uid &&
         BPF_CORE_READ(cred, euid.val) == viewer_uid &&
         BPF_CORE_READ(cred, suid.val) == viewer_uid &&
         BPF_CORE_READ(cred, gid.val) == viewer_gid &&
         BPF_CORE_READ(cred, egid.val) == viewer_gid && BPF_CORE_READ(cred, sgid.val) == viewer_gid;
}

/* Who has no more than the viewer, and has it in the same user namespace. */
static __always_inline bool has_viewers_rights(const struct cred *cred) {
  __u64 permitted = ~0ull;
  BPF_CORE_READ_INTO(&permitted, cred, cap_permitted);
  return !(permitted & ~viewer_capabilities) && !BPF_CORE_READ(cred, user_ns, parent);
}

static __always_inline unsigned long flags_of(struct mm_struct *mm) {
  if (bpf_core_field_exists(struct mm_struct___bitmap, flags))
    return BPF_CORE_READ((struct mm_struct___bitmap *)mm, flags.__mm_flags[0]);
  return bpf_core_field_exists(mm->flags) ? BPF_CORE_READ(mm, flags) : 0;
}

/*
 * Without memory: what it was before, where the kernel knows that. Else it has to have ended,
 * because a process that exits still has its files.
 */
static __always_inline bool is_dumpable(struct task_struct *task) {
  struct mm_struct *mm = BPF_CORE_READ(task, mm);
  /*
   * To look for its type, which most kernels don't have, libbpf before 1.4 needs CAP_SYS_ADMIN.
   * Refused, we fall back to /proc.
   */
  if (bpf_core_field_exists(task->exec_state)) return BPF_CORE_READ(mm, in_no_kernel);
  if (mm)
    return (flags_of(mm) & SUID_DUMP_MASK) == SUID_DUMP_USER ||
           is_viewers_namespace(BPF_CORE_READ(mm, user_ns));
  if (bpf_core_field_exists(task->user_dumpable))
    return BPF_CORE_READ_BITFIELD_PROBED(task, user_dumpable);
  return BPF_CORE_READ(task, exit_state) != 0;
}

static __always_inline bool may_see(struct task_struct *task) {
  if (sees_all) return true;
  const __u32 tgid = BPF_CORE_READ(task, tgid);
  if (viewer_tgid && tgid == viewer_tgid) return true;
  const struct cred *cred = BPF_CORE_READ(task, real_cred);
  const bool by_ids = has_viewers_ids(cred) && has_viewers_rights(cred);
  return (by_ids || is_viewers_namespace(BPF_CORE_READ(cred, user_ns))) && is_dumpable(task);
}

/* In an iterator. */
static __always_inline bool reader_may_see(struct task_struct *task) {
  if (sees_all) return true;
  viewer_tgid = bpf_get_current_pid_tgid() >> 32;
  return may_see(task);
}

// Removes a worker's privileges: it only moves bytes, which needs none.
#pragma once

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pipetop {

// Drops all capabilities of the calling process permanently: no program that it
// execs can regain them, not even with file capabilities. The user stays the same.
// Async-signal-safe, for use after fork. False with errno set on failure.
inline bool drop_capabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  // Clearing the permitted set also clears the ambient set.
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capset, &header, none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// Empties the bounding set, if allowed: it needs CAP_SETPCAP, so root has to call
// it before changing the user. Not before exec of a program with file capabilities,
// which the kernel would then refuse.
inline void empty_bounding_set() {
  // Up to the last capability that this kernel knows.
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;)
    ++capability;
}

}  // namespace pipetop

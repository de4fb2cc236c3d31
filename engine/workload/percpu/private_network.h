// A private network namespace for a process. It has no name and no file: the kernel
// removes it, with all rules in it, when the process ends for any reason.
#pragma once

#include <string>

namespace pipetop::percpu {

// Moves this single-threaded process into a new network namespace, permanently, and gives up all
// capabilities but CAP_NET_ADMIN. Root needs no more. Other users also need a user namespace, in
// which the kernel refuses standalone tc actions (see tc_actions.h). Returns the index of the
// loopback device, mirred's target. It stays down, so that no packet ever reaches a rule. Throws
// Error with "why; remedy".
unsigned enter_private_network();

// What determines whether namespaces are allowed; -1 if the kernel has no such sysctl.
struct NamespaceLimits {
  long long unprivileged_userns_clone = -1;              // kernel.*, Debian
  long long apparmor_restrict_unprivileged_userns = -1;  // kernel.*, Ubuntu
  long long max_user_namespaces = -1;                    // user.*
  long long max_net_namespaces = -1;                     // user.*
};

NamespaceLimits read_namespace_limits();

// "why; remedy" for an errno of unshare(2) or of writing the uid map.
std::string why_no_network(int error_number, const NamespaceLimits& limits);

}  // namespace pipetop::percpu

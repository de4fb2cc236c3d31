// A network of a process's own. It has no name and no file: the kernel removes
// it, with every rule in it, when the process dies of whatever cause.
#pragma once

#include <string>

namespace pipetop::percpu {

struct PrivateNetwork {
  // Root enters a network namespace alone. Everybody else needs a user namespace
  // around it, where the kernel refuses bare tc actions (see tc_actions.h).
  bool in_user_namespace = false;
  // The loopback device's number: what mirred redirects to. It stays down, so that
  // no packet ever meets a rule.
  unsigned device = 0;
};

// Moves this process, which must have one thread, into a new network namespace;
// there is no way back. Throws Error with "why; remedy".
PrivateNetwork enter_private_network();

// What decides whether namespaces may be had; -1 where the kernel has no such sysctl.
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

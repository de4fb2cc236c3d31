// The kernel's answers to netlink requests.
#pragma once

#include <linux/netlink.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace pipetop::percpu {

// A request that the kernel refused.
struct KernelRefusal {
  int error_number = 0;  // errno
  std::string words;     // the kernel's own, "" if it has none
};

// Calls `each` with the complete messages of an answer until it returns false; whether it never
// did. The answer is aligned to 4.
bool each_message(std::span<const char> answer, const std::function<bool(const nlmsghdr*)>& each);

// The contents of an NLMSG_ERROR; its error is 0 for an acknowledgement.
KernelRefusal read_error(const nlmsghdr* message);

// An NLMSG_DONE says how the dump ended: 0 or an error.
std::optional<KernelRefusal> read_end(const nlmsghdr* message);

}  // namespace pipetop::percpu

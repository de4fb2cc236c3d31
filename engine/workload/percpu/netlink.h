// The kernel's answers to netlink requests.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/handles.h"

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

class NetlinkSocket {
 public:
  // Belongs to the current network namespace of the process. Throws SystemError.
  NetlinkSocket();

  // Sends complete, consecutive messages, of which `last` is the last one. Only
  // that one is acknowledged, but every refusal is reported. On return the kernel
  // has processed all of them; it continues after a refusal. Throws SystemError.
  std::vector<KernelRefusal> send(const void* messages, nlmsghdr* last);

  std::optional<KernelRefusal> send(nlmsghdr* message);

  // Calls `each` with every message of the answer to a dump request. Throws SystemError.
  std::optional<KernelRefusal> dump(nlmsghdr* request,
                                    const std::function<void(const nlmsghdr*)>& each);

  uint64_t system_calls() const { return system_calls_; }  // made so far

 private:
  void send_bytes(const void* bytes, size_t length);
  // Reads answers until `each` returns false.
  void receive(const std::function<bool(const nlmsghdr*)>& each);

  UniqueFd fd_;
  std::vector<char> answer_;
  uint64_t system_calls_ = 0;
};

}  // namespace pipetop::percpu

// Requests to the kernel's rtnetlink, and its error messages.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/unique_fd.h"
#include "engine/workload/percpu/netlink_answer.h"

namespace pipetop::percpu {

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

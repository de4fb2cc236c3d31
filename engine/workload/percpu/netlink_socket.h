// Requests to the kernel's rtnetlink, its error messages, and loops over attributes.
#pragma once

#include <libmnl/libmnl.h>
#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/unique_fd.h"

namespace pipetop::percpu {

// libmnl's own loops are macros that only C compiles.
template <class Each>
int call_each(const nlattr* attribute, void* each) {
  (*static_cast<Each*>(each))(attribute);
  return MNL_CB_OK;
}

// Calls each(const nlattr*) for the attributes after the message's header of
// `header_bytes`.
template <class Each>
void for_each_attribute(const nlmsghdr* message, size_t header_bytes, Each each) {
  mnl_attr_parse(message, static_cast<unsigned>(header_bytes), call_each<Each>, &each);
}

// The same for nested attributes.
template <class Each>
void for_each_nested(const nlattr* outer, Each each) {
  mnl_attr_parse_nested(outer, call_each<Each>, &each);
}

// A request that the kernel refused.
struct KernelRefusal {
  int error_number = 0;  // errno
  std::string words;     // the kernel's own, "" if it has none
};

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
  size_t receive();  // bytes, now in answer_

  UniqueFd fd_;
  std::vector<char> answer_;
  uint64_t system_calls_ = 0;
};

}  // namespace pipetop::percpu

// The kernel's answer to a netlink request.
#include "engine/workload/percpu/netlink.h"

#include <vector>

#include "engine/tests/fuzz/fuzz.h"

using namespace pipetop;

PIPETOP_FUZZ_TARGET(netlink) {
  const std::vector<char> answer(data, data + size);  // aligned, and no byte follows
  percpu::each_message(answer, [](const nlmsghdr* message) {
    if (message->nlmsg_type == NLMSG_ERROR) (void)percpu::read_error(message);
    if (message->nlmsg_type == NLMSG_DONE) (void)percpu::read_end(message);
    return true;
  });
}

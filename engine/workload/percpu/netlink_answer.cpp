#include "engine/workload/percpu/netlink_answer.h"

#include <libmnl/libmnl.h>

namespace pipetop::percpu {

bool each_message(std::span<const char> answer, const std::function<bool(const nlmsghdr*)>& each) {
  int left = static_cast<int>(answer.size());
  for (auto* message = reinterpret_cast<const nlmsghdr*>(answer.data());
       mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left))
    if (!each(message)) return false;
  return true;
}

KernelRefusal read_error(const nlmsghdr* message) {
  const auto* error = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message));
  KernelRefusal refusal{.error_number = -error->error, .words = {}};
  if (!(message->nlmsg_flags & NLM_F_ACK_TLVS)) return refusal;
  const auto read_words = [](const nlattr* attribute, void* words) {
    if (mnl_attr_get_type(attribute) == NLMSGERR_ATTR_MSG)
      *static_cast<std::string*>(words) = mnl_attr_get_str(attribute);
    return MNL_CB_OK;
  };
  mnl_attr_parse(message, sizeof(nlmsgerr), read_words, &refusal.words);
  return refusal;
}

std::optional<KernelRefusal> read_end(const nlmsghdr* message) {
  const int error = *static_cast<const int*>(mnl_nlmsg_get_payload(message));
  if (error >= 0) return std::nullopt;
  return KernelRefusal{.error_number = -error, .words = {}};
}

}  // namespace pipetop::percpu

#include "engine/workload/percpu/netlink_answer.h"

#include <libmnl/libmnl.h>

#include <algorithm>
#include <cerrno>

namespace pipetop::percpu {
namespace {

// The negative errno that starts the contents, as a positive one; 0 if there is no error. The
// contents have at least this many bytes.
int error_of(const nlmsghdr* message, size_t bytes) {
  constexpr int kMostErrno = 4095;
  if (mnl_nlmsg_get_payload_len(message) < bytes) return EBADMSG;
  const int error = *static_cast<const int*>(mnl_nlmsg_get_payload(message));
  return error < -kMostErrno ? EBADMSG : -std::min(error, 0);
}

}  // namespace

bool each_message(std::span<const char> answer, const std::function<bool(const nlmsghdr*)>& each) {
  while (answer.size() >= sizeof(nlmsghdr)) {
    const auto* message = reinterpret_cast<const nlmsghdr*>(answer.data());
    // mnl_nlmsg_ok() takes a length of 2 GiB or more for a negative one.
    if (message->nlmsg_len < sizeof(nlmsghdr) || message->nlmsg_len > answer.size()) break;
    if (!each(message)) return false;
    answer = answer.subspan(std::min<size_t>(NLMSG_ALIGN(message->nlmsg_len), answer.size()));
  }
  return true;
}

KernelRefusal read_error(const nlmsghdr* message) {
  KernelRefusal refusal{.error_number = error_of(message, sizeof(nlmsgerr)), .words = {}};
  const size_t bytes = mnl_nlmsg_get_payload_len(message);
  if (!(message->nlmsg_flags & NLM_F_ACK_TLVS) || bytes < sizeof(nlmsgerr)) return refusal;
  const auto read_words = [](const nlattr* attribute, void* words) {
    if (mnl_attr_get_type(attribute) == NLMSGERR_ATTR_MSG &&
        mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) == 0)
      *static_cast<std::string*>(words) = mnl_attr_get_str(attribute);
    return MNL_CB_OK;
  };
  // mnl_attr_parse() reads on to the end of the message's padding, which may not be there.
  mnl_attr_parse_payload(mnl_nlmsg_get_payload_offset(message, sizeof(nlmsgerr)),
                         bytes - sizeof(nlmsgerr), read_words, &refusal.words);
  return refusal;
}

std::optional<KernelRefusal> read_end(const nlmsghdr* message) {
  const int error = error_of(message, sizeof(int));
  if (error == 0) return std::nullopt;
  return KernelRefusal{.error_number = error, .words = {}};
}

}  // namespace pipetop::percpu

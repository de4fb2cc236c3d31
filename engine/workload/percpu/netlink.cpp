#include "engine/workload/percpu/netlink.h"

#include <libmnl/libmnl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/error.h"

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

constexpr size_t kAnswerRoom = 32768;  // the kernel fills at most this much at a time

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

NetlinkSocket::NetlinkSocket()
    : fd_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)), answer_(kAnswerRoom) {
  if (!fd_) throw SystemError("opening a netlink socket", errno, Exit::unsupported);
  const int on = 1;
  // Answers contain a message, but not a copy of the request.
  ::setsockopt(fd_.get(), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
  if (::setsockopt(fd_.get(), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)) != 0)
    throw SystemError("setting NETLINK_CAP_ACK", errno, Exit::unsupported);
}

void NetlinkSocket::send_bytes(const void* bytes, size_t length) {
  ssize_t sent = 0;
  do {
    ++system_calls_;
    sent = ::send(fd_.get(), bytes, length, 0);
  } while (sent < 0 && errno == EINTR);  // nothing was done yet
  if (sent < 0) throw SystemError("sending to the kernel", errno);
}

// rtnetlink answers during send(): waiting for a missing answer would take forever.
void NetlinkSocket::receive(const std::function<bool(const nlmsghdr*)>& each) {
  for (;;) {
    ++system_calls_;
    const ssize_t length = ::recv(fd_.get(), answer_.data(), answer_.size(), MSG_DONTWAIT);
    if (length < 0 && errno != EINTR) throw SystemError("reading the kernel's answer", errno);
    if (length > 0 && !each_message({answer_.data(), static_cast<size_t>(length)}, each)) return;
  }
}

std::vector<KernelRefusal> NetlinkSocket::send(const void* messages, nlmsghdr* last) {
  last->nlmsg_flags |= NLM_F_ACK;
  const char* end = reinterpret_cast<char*>(last) + last->nlmsg_len;
  send_bytes(messages, static_cast<size_t>(end - static_cast<const char*>(messages)));
  std::vector<KernelRefusal> refusals;
  receive([&](const nlmsghdr* answer) {
    if (answer->nlmsg_type != NLMSG_ERROR) return true;
    if (KernelRefusal refusal = read_error(answer); refusal.error_number != 0)
      refusals.push_back(std::move(refusal));
    return answer->nlmsg_seq != last->nlmsg_seq;
  });
  return refusals;
}

std::optional<KernelRefusal> NetlinkSocket::send(nlmsghdr* message) {
  const std::vector<KernelRefusal> refusals = send(message, message);
  if (refusals.empty()) return std::nullopt;
  return refusals.front();
}

std::optional<KernelRefusal> NetlinkSocket::dump(nlmsghdr* request,
                                                 const std::function<void(const nlmsghdr*)>& each) {
  request->nlmsg_flags |= NLM_F_DUMP;
  send_bytes(request, request->nlmsg_len);
  std::optional<KernelRefusal> refusal;
  receive([&](const nlmsghdr* answer) {
    if (answer->nlmsg_type == NLMSG_ERROR) refusal = read_error(answer);
    if (answer->nlmsg_type == NLMSG_DONE) refusal = read_end(answer);
    if (answer->nlmsg_type == NLMSG_ERROR || answer->nlmsg_type == NLMSG_DONE) return false;
    each(answer);
    return true;
  });
  return refusal;
}

}  // namespace pipetop::percpu

#include <gtest/gtest.h>
#include <libmnl/libmnl.h>

#include <array>
#include <cerrno>
#include <span>

#include "engine/workload/percpu/netlink.h"

namespace pipetop::percpu {
namespace {

// An NLMSG_ERROR with the kernel's words at its end, in memory that goes on with zeros.
class RefusedWithWords : public testing::Test {
 protected:
  RefusedWithWords() {
    message_ = mnl_nlmsg_put_header(room_.data());
    message_->nlmsg_type = NLMSG_ERROR;
    message_->nlmsg_flags = NLM_F_CAPPED | NLM_F_ACK_TLVS;
    auto* error = static_cast<nlmsgerr*>(mnl_nlmsg_put_extra_header(message_, sizeof(nlmsgerr)));
    error->error = -ENOENT;
    mnl_attr_put_strz(message_, NLMSGERR_ATTR_MSG, "no such");  // 8 bytes
  }

  // What is read where the message and what was received end this many bytes earlier.
  KernelRefusal read_without(size_t bytes) {
    message_->nlmsg_len -= static_cast<uint32_t>(bytes);
    KernelRefusal refusal;
    each_message(std::span<const char>(room_).first(message_->nlmsg_len), [&](const auto* message) {
      refusal = read_error(message);
      return true;
    });
    return refusal;
  }

 private:
  alignas(4) std::array<char, 256> room_ = {};
  nlmsghdr* message_ = nullptr;
};

TEST_F(RefusedWithWords, AreRead) {
  const KernelRefusal refusal = read_without(0);
  EXPECT_EQ(refusal.error_number, ENOENT);
  EXPECT_EQ(refusal.words, "no such");
}

TEST_F(RefusedWithWords, AreNotReadBeyondTheMessage) {
  const KernelRefusal refusal = read_without(1);  // their 0 lies in what would be its padding
  EXPECT_EQ(refusal.error_number, ENOENT);
  EXPECT_EQ(refusal.words, "");
}

TEST_F(RefusedWithWords, NorIsAnErrorThatIsCutShort) {
  const KernelRefusal refusal = read_without(sizeof(nlattr) + 8 + 1);
  EXPECT_EQ(refusal.error_number, EBADMSG);
  EXPECT_EQ(refusal.words, "");
}

}  // namespace
}  // namespace pipetop::percpu

#include "engine/workload/percpu/rule_messages.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>

#include <string>

#include "engine/workload/percpu/percpu_knobs.h"

namespace pipetop::percpu {
namespace {

constexpr uint16_t kCreate = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
constexpr uint32_t kIngress = TC_H_MAKE(TC_H_INGRESS, 0);  // "ffff:"
constexpr uint16_t kNodes = 4095;

// Closes the attribute that it opened.
class Nest {
 public:
  Nest(nlmsghdr* message, uint16_t type)
      : message_(message), start_(mnl_attr_nest_start(message, type)) {}
  ~Nest() { mnl_attr_nest_end(message_, start_); }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;

 private:
  nlmsghdr* message_;
  nlattr* start_;
};

nlmsghdr* put_header(void* at, uint16_t type, uint16_t flags) {
  nlmsghdr* message = mnl_nlmsg_put_header(at);
  message->nlmsg_type = type;
  message->nlmsg_flags = flags;
  return message;
}

nlmsghdr* put_action_header(void* at, uint16_t type, uint16_t flags) {
  nlmsghdr* message = put_header(at, type, flags);
  mnl_nlmsg_put_extra_header(message, sizeof(tcamsg));
  return message;
}

tcmsg* put_filter_header(nlmsghdr* message, unsigned device) {
  auto* header = static_cast<tcmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(tcmsg)));
  header->tcm_ifindex = static_cast<int>(device);
  header->tcm_parent = kIngress;
  return header;
}

void put_flag(nlmsghdr* message, uint16_t type, uint32_t flag) {
  const nla_bitfield32 flags = {.value = flag, .selector = flag};
  mnl_attr_put(message, type, sizeof(flags), &flags);
}

void put_mirred(nlmsghdr* message, const Rule& rule) {
  tc_mirred parameters = {};
  parameters.index = rule.index;
  parameters.action = TC_ACT_STOLEN;
  parameters.eaction = TCA_EGRESS_REDIR;
  parameters.ifindex = rule.device;
  mnl_attr_put(message, TCA_MIRRED_PARMS, sizeof(parameters), &parameters);
}

void put_gact(nlmsghdr* message, const Rule& rule) {
  tc_gact parameters = {};
  parameters.index = rule.index;
  parameters.action = TC_ACT_SHOT;
  mnl_attr_put(message, TCA_GACT_PARMS, sizeof(parameters), &parameters);
}

void put_kind(nlmsghdr* message, Profile kind) {
  mnl_attr_put_strz(message, TCA_ACT_KIND, std::string(to_text(kind)).c_str());
}

// The flag is left out rather than sent as 0: that is the kernel's default.
void put_action(nlmsghdr* message, const Rule& rule) {
  const Nest first(message, 1);
  put_kind(message, rule.shape.kind);
  if (rule.shape.no_percpu) put_flag(message, TCA_ACT_FLAGS, TCA_ACT_FLAGS_NO_PERCPU_STATS);
  const Nest options(message, TCA_ACT_OPTIONS);
  rule.shape.kind == Profile::mirred ? put_mirred(message, rule) : put_gact(message, rule);
}

// The action of this index; 0: all of this kind.
void put_which(nlmsghdr* message, Profile kind, uint32_t index = 0) {
  const Nest table(message, TCA_ACT_TAB);
  const Nest first(message, 1);
  put_kind(message, kind);
  if (index != 0) mnl_attr_put_u32(message, TCA_ACT_INDEX, index);
}

}  // namespace

nlmsghdr* put_new_action(void* at, const Rule& rule) {
  nlmsghdr* message = put_action_header(at, RTM_NEWACTION, kCreate);
  const Nest table(message, TCA_ACT_TAB);
  put_action(message, rule);
  return message;
}

nlmsghdr* put_flush_actions(void* at, Profile kind) {
  nlmsghdr* message = put_action_header(at, RTM_DELACTION, NLM_F_REQUEST | NLM_F_ROOT);
  put_which(message, kind);
  return message;
}

nlmsghdr* put_get_action(void* at, Profile kind, uint32_t index) {
  nlmsghdr* message = put_action_header(at, RTM_GETACTION, NLM_F_REQUEST);
  put_which(message, kind, index);
  return message;
}

nlmsghdr* put_list_actions(void* at, Profile kind) {
  nlmsghdr* message = put_action_header(at, RTM_GETACTION, NLM_F_REQUEST);
  put_which(message, kind);
  put_flag(message, TCA_ROOT_FLAGS, TCA_ACT_FLAG_LARGE_DUMP_ON);
  return message;
}

FilterPlace filter_place(uint32_t nth) {
  return {.priority = static_cast<uint16_t>(1 + nth / kNodes),
          .node = static_cast<uint16_t>(kNodes - nth % kNodes)};
}

nlmsghdr* put_new_ingress(void* at, unsigned device) {
  nlmsghdr* message = put_header(at, RTM_NEWQDISC, kCreate);
  tcmsg* header = put_filter_header(message, device);
  header->tcm_parent = TC_H_INGRESS;
  header->tcm_handle = kIngress;
  mnl_attr_put_strz(message, TCA_KIND, "ingress");
  return message;
}

nlmsghdr* put_new_filter(void* at, unsigned device, FilterPlace place, const Rule* rule) {
  nlmsghdr* message = put_header(at, RTM_NEWTFILTER, kCreate);
  tcmsg* header = put_filter_header(message, device);
  header->tcm_handle = place.node;
  header->tcm_info = TC_H_MAKE(uint32_t{place.priority} << 16, htons(ETH_P_ALL));
  mnl_attr_put_strz(message, TCA_KIND, "u32");
  const Nest options(message, TCA_OPTIONS);
  const tc_u32_sel every_packet = {};  // no keys: there is nothing to compare
  mnl_attr_put(message, TCA_U32_SEL, sizeof(every_packet), &every_packet);
  if (!rule) return message;
  const Nest actions(message, TCA_U32_ACT);
  put_action(message, *rule);
  return message;
}

nlmsghdr* put_flush_filters(void* at, unsigned device) {
  nlmsghdr* message = put_header(at, RTM_DELTFILTER, NLM_F_REQUEST);
  put_filter_header(message, device);
  return message;
}

}  // namespace pipetop::percpu

#include "engine/workload/percpu/tc_actions.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <libmnl/libmnl.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/error.h"

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

constexpr uint64_t kFlushLimit_ns = 60 * kSecond;  // the kernel thread may wait for a CPU

// The kernel returns ENOENT for a module that it cannot load.
bool is_missing(const KernelRefusal& refusal) {
  return refusal.error_number == ENOENT || refusal.error_number == EOPNOTSUPP;
}

// "Operation not permitted (the kernel's own words)"
std::string words_of(const KernelRefusal& refusal) {
  std::string words = std::generic_category().message(refusal.error_number);
  if (!refusal.words.empty()) words += fmt::format(" ({})", refusal.words);
  return words;
}

std::string why_missing(const char* module, const char* option) {
  return fmt::format("{0} is not in this kernel; load the module {0}, or use a kernel with {1}",
                     module, option);
}

void need(const std::optional<KernelRefusal>& refusal, const char* module, const char* option) {
  if (!refusal) return;
  if (is_missing(*refusal)) throw Error(why_missing(module, option), Exit::unsupported);
  throw Error(fmt::format("{} refused: {}; run as root", module, words_of(*refusal)),
              Exit::refused);
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

std::string why_refused(const KernelRefusal& refusal, Profile kind) {
  if (is_missing(refusal))
    return kind == Profile::mirred ? why_missing("act_mirred", "CONFIG_NET_ACT_MIRRED")
                                   : why_missing("act_gact", "CONFIG_NET_ACT_GACT");
  const char* remedy = refusal.error_number == EPERM ? "; run as root" : "";
  return fmt::format("{} action refused: {}{}", to_text(kind), words_of(refusal), remedy);
}

void need_all(const Insertion& insertion, Profile kind) {
  if (insertion.refusals.empty()) return;
  const KernelRefusal& first = insertion.refusals.front();
  throw Error(why_refused(first, kind), is_missing(first) ? Exit::unsupported : Exit::refused);
}

// Standalone actions need permission in the initial user namespace, so root in
// another one is refused (EPERM), although filters with actions are allowed. The
// kernel checks this before it looks at what to delete.
TcActions::TcActions(unsigned device) : device_(device), room_(kMaxBatch * kMessageRoom) {
  const auto refusal = send(put_flush_actions(room_.data(), Profile::mirred));
  if (refusal && refusal->error_number == EPERM) open_filters();
}

void TcActions::open_filters() {
  insert_path_ = InsertPath::filter;
  const auto ingress = send(put_new_ingress(room_.data(), device_));
  if (!ingress || ingress->error_number != EEXIST)
    need(ingress, "sch_ingress", "CONFIG_NET_SCH_INGRESS");
  need(send(put_new_filter(room_.data(), device_, filter_place(0), nullptr)), "cls_u32",
       "CONFIG_NET_CLS_U32");
  need(send(put_flush_filters(room_.data(), device_)), "cls_u32", "CONFIG_NET_CLS_U32");
}

std::optional<KernelRefusal> TcActions::send(nlmsghdr* message) {
  message->nlmsg_seq = ++sequence_;
  return socket_.send(message);
}

std::string TcActions::why_unsupported(Profile kind) {
  const Insertion probe = insert({.kind = kind}, 1, 1);
  if (!probe.refusals.empty() && probe.refusals.front().error_number != EEXIST)
    return why_refused(probe.refusals.front(), kind);
  flush(kind);
  return {};
}

nlmsghdr* TcActions::put_rule(void* at, const Rule& rule) {
  if (insert_path_ == InsertPath::action) return put_new_action(at, rule);
  const FilterPlace place = filter_place(filters_++);
  // Filters are deleted table by table, in ascending order.
  if (place.node == filter_place(0).node) last_deleted_ = rule.index;
  return put_new_filter(at, device_, place, &rule);
}

Insertion TcActions::insert(const RuleShape& shape, uint32_t first_index, uint32_t count) {
  if (count < 1 || count > kMaxBatch)
    throw Error(fmt::format("a batch of {} rules; it can have 1 to {}", count, kMaxBatch));
  char* at = room_.data();
  nlmsghdr* last = nullptr;
  for (uint32_t n = 0; n < count; ++n) {
    last = put_rule(at, {.shape = shape, .index = first_index + n, .device = device_});
    last->nlmsg_seq = ++sequence_;
    at += NLMSG_ALIGN(last->nlmsg_len);
  }
  std::vector<KernelRefusal> refusals = socket_.send(room_.data(), last);
  const uint32_t refused = static_cast<uint32_t>(refusals.size());
  return {.rules = count - refused, .refusals = std::move(refusals)};
}

void TcActions::flush(Profile kind) {
  const auto refusal =
      send(insert_path_ == InsertPath::action ? put_flush_actions(room_.data(), kind)
                                              : put_flush_filters(room_.data(), device_));
  if (refusal) throw Error("deleting rules: " + words_of(*refusal), Exit::refused);
  filters_ = 0;
  if (insert_path_ == InsertPath::filter) wait_until_none(kind);
}

// A deleted filter's action is freed after a grace period, in a kernel thread. A new rule of the
// same index would share the old action until then and allocate nothing. Listing thousands of
// actions repeatedly would delay that thread.
void TcActions::wait_until_none(Profile kind) {
  const uint64_t end = monotonic_ns() + kFlushLimit_ns;
  while (has(kind, last_deleted_) || has_any(kind)) {
    if (monotonic_ns() > end) throw SystemError("deleting rules", ETIMEDOUT);
    ::usleep(1000);
  }
}

bool TcActions::has(Profile kind, uint32_t index) {
  return !send(put_get_action(room_.data(), kind, index));
}

bool TcActions::has_any(Profile kind) {
  nlmsghdr* request = put_list_actions(room_.data(), kind);
  request->nlmsg_seq = ++sequence_;
  bool found = false;
  const auto refusal = socket_.dump(request, [&](const nlmsghdr*) { found = true; });
  if (refusal) throw Error("listing rules: " + words_of(*refusal), Exit::refused);
  return found;
}

}  // namespace pipetop::percpu

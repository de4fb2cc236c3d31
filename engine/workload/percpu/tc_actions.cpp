#include "engine/workload/percpu/tc_actions.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/workload/percpu/percpu_knobs.h"

namespace pipetop::percpu {
namespace {

constexpr uint64_t kFlushLimit_ns = 10'000'000'000;

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

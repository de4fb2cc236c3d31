// The netlink messages of this workload. Each put_ function writes one message to
// `at`, which has kMessageRoom bytes and is aligned to 4; the sequence number is
// the caller's.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipetop::percpu {

inline constexpr size_t kMessageRoom = 256;

enum class ActionKind {
  mirred,  // redirect the packet to a device
  gact,    // drop the packet
};

// As the kernel and tc name it: "mirred".
const char* name(ActionKind kind);

struct RuleShape {
  ActionKind kind = ActionKind::mirred;
  bool no_percpu = false;  // one set of counters under a lock, not one a CPU

  bool operator==(const RuleShape&) const = default;
};

// A rule: its shape, and the number under which the kernel keeps the action.
struct Rule {
  RuleShape shape;
  uint32_t index = 1;
  unsigned device = 0;  // mirred's target
};

// An action by itself. A taken index is refused with EEXIST.
nlmsghdr* put_new_action(void* at, const Rule& rule);
// Deletes all actions of the kind.
nlmsghdr* put_flush_actions(void* at, ActionKind kind);
// Asks for one action; refused with ENOENT when there is none.
nlmsghdr* put_get_action(void* at, ActionKind kind, uint32_t index);
// Asks for all actions of the kind; to be dumped.
nlmsghdr* put_list_actions(void* at, ActionKind kind);

// Where a filter is: u32 keeps 4095 filters sorted in a table, a table a priority.
struct FilterPlace {
  uint16_t priority = 1;
  uint16_t node = 4095;

  bool operator==(const FilterPlace&) const = default;
};

// The place of the n-th filter, from 0. Nodes go downward, for u32 walks along all
// the smaller ones of its table to put a filter in.
FilterPlace filter_place(uint32_t nth);

// Where filters of the device hang.
nlmsghdr* put_new_ingress(void* at, unsigned device);
// A filter for every packet that comes in by the device, with its action if there
// is a `rule`. A taken index is not refused: the filter shares the action.
nlmsghdr* put_new_filter(void* at, unsigned device, FilterPlace place, const Rule* rule);
// Deletes all filters of the device and their actions, some time after it returns.
nlmsghdr* put_flush_filters(void* at, unsigned device);

struct ListedAction {
  uint32_t index = 0;
  bool no_percpu = false;
};

// The actions in one message of a dump.
std::vector<ListedAction> read_actions(const nlmsghdr* message);

}  // namespace pipetop::percpu

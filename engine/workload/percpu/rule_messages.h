// The netlink messages of this workload. Each put_ function writes one message to
// `at`, which has kMessageRoom bytes and is aligned to 4; the caller sets the
// sequence number.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>

#include "engine/model/settings.h"

namespace pipetop::percpu {

inline constexpr size_t kMessageRoom = 256;

struct RuleShape {
  Profile kind = Profile::mirred;
  bool no_percpu = false;  // one set of counters under a lock, not one per CPU

  bool operator==(const RuleShape&) const = default;
};

// A rule: its shape, and the kernel's index of the action.
struct Rule {
  RuleShape shape;
  uint32_t index = 1;
  unsigned device = 0;  // mirred's target
};

// A standalone action. An index in use is refused with EEXIST.
nlmsghdr* put_new_action(void* at, const Rule& rule);
// Deletes all actions of the kind.
nlmsghdr* put_flush_actions(void* at, Profile kind);
// Requests one action; refused with ENOENT if there is none.
nlmsghdr* put_get_action(void* at, Profile kind, uint32_t index);
// Requests a dump of all actions of the kind.
nlmsghdr* put_list_actions(void* at, Profile kind);

// The place of a filter: u32 keeps 4095 sorted filters per table, and one table per priority.
struct FilterPlace {
  uint16_t priority = 1;
  uint16_t node = 4095;

  bool operator==(const FilterPlace&) const = default;
};

// The place of the n-th filter, from 0. Nodes are numbered downwards, because to
// insert a filter u32 walks past all smaller ones in its table.
FilterPlace filter_place(uint32_t nth);

// The parent of the device's filters.
nlmsghdr* put_new_ingress(void* at, unsigned device);
// A filter for every packet that the device receives, with its action if there is a
// `rule`. An index in use is not refused: the filter shares the action.
nlmsghdr* put_new_filter(void* at, unsigned device, FilterPlace place, const Rule* rule);
// Deletes all filters of the device and their actions, asynchronously.
nlmsghdr* put_flush_filters(void* at, unsigned device);

}  // namespace pipetop::percpu

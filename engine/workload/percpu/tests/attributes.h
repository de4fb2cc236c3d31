// Reads what is in netlink messages, and the actions that the kernel has.
#pragma once

#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>

#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "engine/workload/percpu/netlink.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop::percpu {

using Attributes = std::map<int, const nlattr*>;  // by type

inline int note_attribute(const nlattr* attribute, void* found) {
  (*static_cast<Attributes*>(found))[mnl_attr_get_type(attribute)] = attribute;
  return MNL_CB_OK;
}

inline Attributes of_message(const nlmsghdr* message, size_t header_bytes) {
  Attributes found;
  mnl_attr_parse(message, static_cast<unsigned>(header_bytes), note_attribute, &found);
  return found;
}

inline Attributes inside(const nlattr* outer) {
  Attributes found;
  if (outer) mnl_attr_parse_nested(outer, note_attribute, &found);
  return found;
}

template <class T>
T value_of(const nlattr* attribute) {
  T value;
  std::memcpy(&value, mnl_attr_get_payload(attribute), sizeof(value));
  return value;
}

struct ListedAction {
  uint32_t index = 0;
  bool no_percpu = false;
};

// The parameters of mirred and gact, like those of all actions, begin with the index.
inline ListedAction read_action(const nlattr* action) {
  static_assert(int{TCA_MIRRED_PARMS} == int{TCA_GACT_PARMS});
  Attributes found = inside(action);
  ListedAction listed;
  if (const nlattr* parameters = inside(found[TCA_ACT_OPTIONS])[TCA_GACT_PARMS])
    listed.index = value_of<tc_gact>(parameters).index;
  if (const nlattr* flags = found[TCA_ACT_FLAGS])
    listed.no_percpu = value_of<nla_bitfield32>(flags).value & TCA_ACT_FLAGS_NO_PERCPU_STATS;
  return listed;
}

// The actions in one message of a dump.
inline std::vector<ListedAction> read_actions(const nlmsghdr* message) {
  std::vector<ListedAction> actions;
  for (const auto& [number, action] : inside(of_message(message, sizeof(tcamsg))[TCA_ACT_TAB]))
    actions.push_back(read_action(action));
  return actions;
}

// Those in this process's network.
inline std::vector<ListedAction> list_actions(Profile kind) {
  NetlinkSocket socket;
  alignas(4) std::array<char, kMessageRoom> room = {};
  std::vector<ListedAction> actions;
  const auto refusal =
      socket.dump(put_list_actions(room.data(), kind), [&](const nlmsghdr* message) {
        for (const ListedAction& action : read_actions(message)) actions.push_back(action);
      });
  EXPECT_FALSE(refusal);
  return actions;
}

}  // namespace pipetop::percpu

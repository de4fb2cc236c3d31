// Loops over netlink attributes; libmnl's own are macros that only C compiles.
#pragma once

#include <libmnl/libmnl.h>

#include <cstddef>

namespace pipetop::percpu {

template <class Each>
int call_each(const nlattr* attribute, void* each) {
  (*static_cast<Each*>(each))(attribute);
  return MNL_CB_OK;
}

// Calls each(const nlattr*) for the attributes after the message's header of
// `header_bytes`.
template <class Each>
void for_each_attribute(const nlmsghdr* message, size_t header_bytes, Each each) {
  mnl_attr_parse(message, static_cast<unsigned>(header_bytes), call_each<Each>, &each);
}

// The same for nested attributes.
template <class Each>
void for_each_nested(const nlattr* outer, Each each) {
  mnl_attr_parse_nested(outer, call_each<Each>, &each);
}

}  // namespace pipetop::percpu

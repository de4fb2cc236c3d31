// The terms of the settings' workload.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/tables.h"

namespace pipetop {

const WorkloadTerms& terms_of(WorkloadKind kind);
inline const WorkloadTerms& terms_of(const Settings& s) { return terms_of(s.workload); }

inline const Unit& unit_of(const Settings& s) { return terms_of(s).unit; }
inline std::string_view role_name(const Settings& s, Role role) {
  return terms_of(s).roles[static_cast<size_t>(role)];
}
// The role whose count is the workload's: the last one.
inline Role counting_role(const Settings& s) {
  return role_name(s, Role::reader).empty() ? Role{} : Role::reader;
}
inline bool has_role(const Settings& s, Role role) { return !role_name(s, role).empty(); }
std::vector<Role> roles_of(const Settings& s);

}  // namespace pipetop

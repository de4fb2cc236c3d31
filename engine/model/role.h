// The role of a process in its workload.
#pragma once

#include <array>
#include <cstdint>

namespace pipetop {

// An index within a workload, whose terms have the name. These are the pipe's; other workloads name
// their own, with 0 as the first or only role.
enum class Role : uint8_t { writer, reader };
inline constexpr int kRoles = 2;  // the most per workload
inline constexpr std::array<Role, kRoles> kBothRoles = {Role::writer, Role::reader};

}  // namespace pipetop

// The part that a process plays in its workload.
#pragma once

#include <array>
#include <cstdint>

namespace pipetop {

// A number within a workload, whose terms say what it is called. These are the pipe's;
// another workload, whose first or only role is 0, names its own.
enum class Role : uint8_t { writer, reader };
inline constexpr int kRoles = 2;  // of a workload, at most
inline constexpr std::array<Role, kRoles> kBothRoles = {Role::writer, Role::reader};

}  // namespace pipetop

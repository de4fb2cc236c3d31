// The part that a worker process plays.
#pragma once

#include <array>
#include <cstdint>

namespace pipetop {

// The part that a process plays, a number within its workload.
enum class Role : uint8_t {
  writer,
  reader,
  client = 0,    // of page_cache
  inserter = 0,  // of percpu
};
inline constexpr int kRoles = 2;  // at most
inline constexpr std::array<Role, kRoles> kBothRoles = {Role::writer, Role::reader};

}  // namespace pipetop

// The control groups of a process, of cgroup v2 or v1.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pipetop {

inline constexpr const char* kCgroups = "/sys/fs/cgroup";

// A folder of a control group; `root` is that of its hierarchy.
struct Cgroup {
  std::string root, path;  // "" is the path of the root
  bool v2 = false;

  std::string folder() const { return root + path; }
  Cgroup around() const;  // of the root: itself
};

// Those with the controller, "cpu" or "freezer"; of v2 any. `memberships` is the text of
// /proc/PID/cgroup, `root` where cgroups are mounted.
std::vector<Cgroup> cgroups_with(std::string_view controller, const std::string& memberships,
                                 const std::string& root = kCgroups);

// What freezes the process and how it is thawed: "its frozen cgroup; echo 0 > FILE"; "" if nothing
// does.
std::string why_frozen(const std::string& memberships, const std::string& root = kCgroups);
std::string why_frozen(pid_t pid);

// What people call the cgroup that a process is in: "backup.service", "user-1000.slice", of a
// container "docker 0123456789ab"; else its path, "/" if it is in none, "" if that isn't known.
// Scopes, which systemd numbers, have the name of what is around them.
std::string unit_of(const std::string& memberships);

}  // namespace pipetop

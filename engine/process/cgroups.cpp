#include "engine/process/cgroups.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/proc_files.h"

namespace pipetop {
namespace {

// Itself or by one around it.
bool is_frozen(const Cgroup& group) {
  if (!group.v2) return read_head(group.folder() + "/freezer.state").starts_with("FR");
  return read_head(group.folder() + "/cgroup.events").find("frozen 1") != std::string::npos;
}

bool freezes(const Cgroup& group) {
  const char* const file = group.v2 ? "/cgroup.freeze" : "/freezer.self_freezing";
  return read_number(group.folder() + file, 0) != 0;
}

// Of v2, else of systemd, else of any controller, the first path that is no root.
std::string path_of(const std::string& memberships) {
  std::string path, systemd, other;
  bool any = false;
  for (const std::string& line : split(memberships, '\n')) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 3 || !parts[2].starts_with('/')) continue;
    any = true;
    std::string& found = parts[1].empty() ? path : parts[1] == "name=systemd" ? systemd : other;
    if (found.empty() && parts[2] != "/") found = parts[2];
  }
  for (const std::string* found : {&path, &systemd, &other})
    if (!found->empty()) return *found;
  return any ? "/" : "";
}

// "docker-0123...ef.scope", or "0123...ef" in a folder "docker"; "" if it is no container.
std::string container_of(std::string_view name, std::string_view around) {
  constexpr size_t kId = 64, kShown = 12;
  if (name.ends_with(".scope")) name.remove_suffix(6);
  if (name.size() < kId) return {};
  const std::string_view id = name.substr(name.size() - kId);
  if (id.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  std::string_view kind = name.substr(0, name.size() - kId);
  if (kind.ends_with('-')) kind.remove_suffix(1);
  return fmt::format("{} {}", kind.empty() ? around : kind, id.substr(0, kShown));
}

}  // namespace

Cgroup Cgroup::around() const {
  return {root, path.substr(0, std::min(path.rfind('/'), path.size())), v2};
}

std::vector<Cgroup> cgroups_with(std::string_view controller, const std::string& memberships,
                                 const std::string& root) {
  std::vector<Cgroup> groups;
  for (const std::string& line : split(memberships, '\n')) {  // "1:cpu,cpuacct:/path", "0::/path"
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 3 || !parts[2].starts_with('/')) continue;
    if (parts[2].starts_with("/..")) continue;  // outside of our cgroup namespace
    const bool v2 = parts[1].empty();
    if (!v2 && std::ranges::count(split(parts[1], ','), controller) == 0) continue;
    // Beside v1, v2 has a folder of its own.
    const std::string unified = root + "/unified";
    const std::string own = !v2 ? root + "/" + std::string(controller)
                            : std::filesystem::exists(unified) ? unified
                                                               : root;
    groups.push_back({own, parts[2] == "/" ? "" : parts[2], v2});
  }
  return groups;
}

std::string why_frozen(const std::string& memberships, const std::string& root) {
  for (Cgroup group : cgroups_with("freezer", memberships, root)) {
    if (!is_frozen(group)) continue;
    while (!freezes(group) && !group.path.empty()) group = group.around();
    return fmt::format("its frozen cgroup; echo {} > {}", group.v2 ? "0" : "THAWED",
                       group.folder() + (group.v2 ? "/cgroup.freeze" : "/freezer.state"));
  }
  return {};
}

std::string unit_of(const std::string& memberships) {
  const std::string path = path_of(memberships);
  const std::vector<std::string> names = split(path, '/');
  for (size_t i = names.size(); i-- > 0;) {
    // The manager of a user's services is around them.
    if (names[i].ends_with(".service") || names[i].ends_with(".slice")) return one_line(names[i]);
    const std::string_view around = i > 1 ? std::string_view(names[1]) : "container";
    if (std::string container = container_of(names[i], around); !container.empty())
      return one_line(container);
  }
  return one_line(path);
}

std::string why_frozen(pid_t pid) { return why_frozen(read_proc_file(pid, "cgroup")); }

}  // namespace pipetop

#include "engine/workload/percpu/private_network.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/process/privileges.h"

namespace pipetop::percpu {
namespace {

[[noreturn]] void refuse(int error_number) {
  throw Error("no network namespace: " + why_no_network(error_number, read_namespace_limits()),
              error_number == EINVAL ? Exit::unsupported : Exit::refused);
}

// The kernel accepts each of these files only in a single write.
void write_whole(const char* path, const std::string& text) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) < 0) refuse(errno);
}

// A process that has changed its user may not write its own files here unless it is
// dumpable (prctl(2), PR_SET_DUMPABLE).
class OwnFiles {
 public:
  OwnFiles() : before_(::prctl(PR_GET_DUMPABLE)) { ::prctl(PR_SET_DUMPABLE, 1); }
  ~OwnFiles() { ::prctl(PR_SET_DUMPABLE, before_ == 1 ? 1 : 0); }
  OwnFiles(const OwnFiles&) = delete;
  OwnFiles& operator=(const OwnFiles&) = delete;

 private:
  int before_;
};

// Maps the process's uid and gid to themselves. Without a map they would read as
// "nobody", and it could not create files. Mapping root needs CAP_SETFCAP (user_namespaces(7)).
void keep_identity(uid_t uid, gid_t gid) {
  const OwnFiles own;
  write_whole("/proc/self/setgroups", "deny");  // else gid_map is refused to non-root
  write_whole("/proc/self/uid_map", fmt::format("{0} {0} 1", uid));
  write_whole("/proc/self/gid_map", fmt::format("{0} {0} 1", gid));
}

// All that a process needs in its namespace.
unsigned enter() {
  if (!keep_capabilities(capabilities({CAP_NET_ADMIN}))) throw SystemError("capset", errno);
  const unsigned device = ::if_nametoindex("lo");
  if (device == 0) throw SystemError("looking for the loopback device", errno);
  return device;
}

}  // namespace

unsigned enter_private_network() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (uid == 0 && ::unshare(CLONE_NEWNET) == 0) return enter();
  if (uid == 0 && errno != EPERM) refuse(errno);
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) refuse(errno);
  keep_identity(uid, gid);
  return enter();
}

NamespaceLimits read_namespace_limits() {
  const auto sysctl = [](const char* name) {
    return read_number(std::string("/proc/sys/") + name, -1);
  };
  return {.unprivileged_userns_clone = sysctl("kernel/unprivileged_userns_clone"),
          .apparmor_restrict_unprivileged_userns =
              sysctl("kernel/apparmor_restrict_unprivileged_userns"),
          .max_user_namespaces = sysctl("user/max_user_namespaces"),
          .max_net_namespaces = sysctl("user/max_net_namespaces")};
}

std::string why_no_network(int error_number, const NamespaceLimits& limits) {
  if (error_number == ENOSPC)
    return fmt::format(
        "as many as allowed are in use (user.max_user_namespaces = {}, "
        "user.max_net_namespaces = {}); raise these sysctls",
        limits.max_user_namespaces, limits.max_net_namespaces);
  if (error_number == EINVAL)
    return "this kernel is built without it; use one with CONFIG_NET_NS and CONFIG_USER_NS";
  if (error_number != EPERM && error_number != EACCES)
    return std::generic_category().message(error_number) + "; run as root";
  if (limits.unprivileged_userns_clone == 0)
    return "user namespaces are kept to root; run as root, or set "
           "kernel.unprivileged_userns_clone=1";
  if (limits.apparmor_restrict_unprivileged_userns > 0)
    return "AppArmor restricts user namespaces; run as root, or set "
           "kernel.apparmor_restrict_unprivileged_userns=0";
  return "a container's or seccomp's rules forbid namespaces; run as root outside of it, or with "
         "CAP_SYS_ADMIN and CAP_NET_ADMIN";
}

}  // namespace pipetop::percpu

// The hidden mode for pipetop's own workers: `pipetop worker-process`.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "engine/base/handles.h"
#include "engine/model/control_block.h"
#include "engine/process/privileges.h"
#include "engine/process/worker_process.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

// Exit statuses of a worker that could not start.
enum : int { kBadBlock = 70, kBadUser = 71, kOrphan = 72 };

Mapping map_block() {
  struct stat status = {};
  if (::fstat(kWorkerControlFd, &status) != 0) return {};
  if (static_cast<size_t>(status.st_size) < sizeof(ControlBlock)) return {};
  return map_shared(kWorkerControlFd, sizeof(ControlBlock));
}

// Memory that a worker makes the kernel take, for rules or for a ring, is not counted as its own.
// If it runs out, workers are to die first: they free it, and have successors. An undumpable
// process may not open this file.
void volunteer_for_oom() {
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file) (void)!::write(file.get(), "1000", 4);
}

// Who could trace a worker could write the memory that it shares with us. The kernel does this,
// too, when the user changes, unless fs.suid_dumpable is 1.
bool change_user(const User& user) {
  empty_bounding_set();
  ::prctl(PR_SET_KEEPCAPS, 1);
  return ::setgroups(0, nullptr) == 0 && ::setresgid(user.gid, user.gid, user.gid) == 0 &&
         ::setresuid(user.uid, user.uid, user.uid) == 0 && ::prctl(PR_SET_DUMPABLE, 0) == 0;
}

// Under sudo the workers run as the calling user; in a root shell they stay root, with few of its
// capabilities. Anyone may run this mode by hand, which must not grant the capabilities of our file
// either.
bool give_up_rights(const User& user, uint64_t kept) {
  if (::geteuid() != 0) return drop_capabilities();
  if (user.uid == 0) return keep_capabilities(kept);
  // With it, where only root may make namespaces, workers make theirs, and lose it there.
  return change_user(user) && keep_capabilities(kept & capabilities({CAP_SYS_ADMIN}));
}

// Changing the user clears the parent-death signal, so it is set afterwards. If the
// parent died before, we already have another parent.
bool die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == parent;
}

void set_signals() {
  // Without SA_RESTART: its purpose is to interrupt a sleep in a system call.
  struct sigaction wake = {};
  wake.sa_handler = [](int) {};
  ::sigaction(kWakeSignal, &wake, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int worker_main(int argc, char** argv) {
  volunteer_for_oom();
  const Mapping mapping = map_block();
  if (!mapping) return kBadBlock;
  auto& block = *static_cast<ControlBlock*>(mapping.data());
  if (block.magic != kControlMagic || block.version != kControlVersion) return kBadBlock;
  const auto kind = static_cast<WorkloadKind>(block.workload);
  const auto found = std::ranges::find(workloads(), kind, &WorkloadEntry::kind);
  if (found == workloads().end()) return kBadBlock;
  const WorkloadEntry& entry = *found;
  const auto user = argc == 4 ? parse_user(argv[2], argv[3]) : std::nullopt;
  if (!user || !give_up_rights(*user, entry.worker_capabilities)) return kBadUser;
  if (!die_with(static_cast<pid_t>(block.parent_pid))) return kOrphan;
  set_signals();
  const auto role = static_cast<Role>(block.role);
  const std::string name = "pipetop-" + std::string(entry.terms.roles[block.role % kRoles]);
  ::prctl(PR_SET_NAME, name.c_str());
  return entry.work(block, role);
}

}  // namespace pipetop

// The privileges of our processes: who they are, which capabilities they keep, and how they give up
// the rest.
#pragma once

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace pipetop {

struct User {
  uid_t uid = 0;  // 0: the worker stays who it is
  gid_t gid = 0;
};

// Takes two whole decimal numbers; nothing if either is anything else. The largest is no user:
// to setresuid(2) it means "unchanged".
std::optional<User> parse_user(const char* uid, const char* gid);

// Whoever called sudo, doas or pkexec, whose permissions are enough for workers and files. Which of
// the three was the last, the environment doesn't tell: all that name somebody other than root must
// name the same user. Throws Error if they don't, or if a variable is damaged: nothing must stay
// root because of that.
User user_to_become();

// Their groups; only `user.gid` if nobody knows them.
std::vector<gid_t> groups_of(const User& user);

// Drops all capabilities of the calling process but those of `kept`, permanently: no program that
// it execs can regain them, not even with file capabilities. The user stays the same.
// Async-signal-safe, for use after fork. False with errno set on failure.
inline bool drop_capabilities(uint64_t kept = 0) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (kept != 0 && ::syscall(SYS_capget, &header, sets) != 0) return false;
  for (auto& set : sets) {
    set.permitted = set.effective = set.permitted & static_cast<uint32_t>(kept);
    set.inheritable = 0;  // which clears the ambient set, too
    kept >>= 32;
  }
  return ::syscall(SYS_capset, &header, sets) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// A set of capabilities, one bit each.
constexpr uint64_t capabilities(std::initializer_list<int> numbers) {
  uint64_t set = 0;
  for (const int number : numbers) set |= uint64_t{1} << number;
  return set;
}

// That this thread can use now, and that it could use.
uint64_t effective_capabilities();
uint64_t permitted_capabilities();

// Who looks at the processes of others, to decide whom it may see. BPF could see them all.
struct Viewer {
  uint32_t uid = 0, gid = 0;  // in the initial user namespace
  // Without those that a program's file is given to observe: its user has none of them.
  uint64_t capabilities = 0;
  bool sees_all = false;           // root does
  bool may_slow_everyone = false;  // by programs that run at every system call of the machine
};
Viewer viewer();

std::string capability_names(uint64_t set);  // "bpf, perfmon"

// From now on those of `in_effect` can be used, as far as they are permitted. Gives up nothing, and
// what a program gets that we exec stays the same. False with errno set on failure.
bool use_capabilities(uint64_t in_effect);

// Gives up all capabilities but those of `kept`, permanently, for this thread and what it starts.
// Programs that root execs get those of `passed_on`. False with errno set on failure.
bool keep_capabilities(uint64_t kept, uint64_t passed_on = 0, uint64_t in_effect = ~uint64_t{0});

// Gives up all that distinguishes us from `user`, permanently; all capabilities, if that is root.
// False with errno set on failure.
bool become(const User& user);

// Empties the bounding set, if allowed: it needs CAP_SETPCAP, so root has to call
// it before changing the user. Not before exec of a program with file capabilities,
// which the kernel would then refuse.
inline void empty_bounding_set() {
  // Up to the last capability that this kernel knows.
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;)
    ++capability;
}

// ---- files of the user who called sudo ----

// While it lives, files are found, opened and made as that user would: with their id and groups,
// and no capability is in effect but CAP_KILL. So root's rights are not used where others can
// write, and new files are theirs. CAP_SETUID and CAP_SETGID have to be permitted, but not in
// effect.
class AsUser {
 public:
  // Does nothing for root or for ourselves. Throws Error.
  explicit AsUser(const User& user);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;

 private:
  bool become(const User& user) const;
  void leave() const;

  bool on_;
  uint64_t in_effect_ = 0;
  User before_;  // whose files it was
  std::vector<gid_t> groups_;
};

}  // namespace pipetop

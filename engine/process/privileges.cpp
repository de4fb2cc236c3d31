#include "engine/process/privileges.h"

#include <cap-ng.h>
#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

uint64_t set_of(capng_type_t type) {
  uint64_t set = 0;
  capng_get_caps_process();
  for (unsigned number = 0; number <= CAP_LAST_CAP; ++number)
    if (capng_have_capability(type, number) == 1) set |= uint64_t{1} << number;
  return set;
}

bool apply_capabilities(uint64_t permitted, uint64_t effective, uint64_t inheritable) {
  capng_clear(CAPNG_SELECT_CAPS);
  for (unsigned number = 0; number <= CAP_LAST_CAP; ++number) {
    if ((permitted >> number & 1) != 0) capng_update(CAPNG_ADD, CAPNG_PERMITTED, number);
    if ((effective >> number & 1) != 0) capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, number);
    if ((inheritable >> number & 1) != 0) capng_update(CAPNG_ADD, CAPNG_INHERITABLE, number);
  }
  return capng_apply(CAPNG_SELECT_CAPS) == 0;
}

// The kernel refuses to exec a file with capabilities that the bounding set lacks.
bool has_file_capabilities() {
  return ::getxattr("/proc/self/exe", "security.capability", nullptr, 0) > 0;
}

std::optional<uint32_t> parse_id(const char* text) {
  const auto id = parse_all<uint32_t>(text == nullptr ? "" : text);
  return id == UINT32_MAX ? std::nullopt : id;
}

// From the variables of each program that makes its caller root; nothing if it was none of it.
std::optional<User> caller_of_sudo() {
  const char* uid = std::getenv("SUDO_UID");
  const char* gid = std::getenv("SUDO_GID");
  if (uid == nullptr && gid == nullptr) return {};
  if (const auto user = parse_user(uid, gid)) return user;
  throw Error(fmt::format("SUDO_UID={} SUDO_GID={} is no user: unset both to run as root",
                          uid ? uid : "", gid ? gid : ""));
}

std::optional<User> user_in(const char* variable, const passwd* (*find)(const char* text)) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  if (const passwd* entry = find(text)) return User{entry->pw_uid, entry->pw_gid};
  throw Error(fmt::format("{}={} is no user: unset it to run as root", variable, text));
}

std::optional<User> caller_of_doas() {
  return user_in("DOAS_USER", [](const char* name) -> const passwd* { return ::getpwnam(name); });
}

std::optional<User> caller_of_pkexec() {
  return user_in("PKEXEC_UID", [](const char* text) -> const passwd* {
    const auto uid = parse_id(text);
    return uid ? ::getpwuid(*uid) : nullptr;
  });
}

constexpr uint64_t kToChange = capabilities({CAP_SETUID, CAP_SETGID});
// If we die now, the kernel asks whether we may send workers their PR_SET_PDEATHSIG.
constexpr uint64_t kToDie = capabilities({CAP_KILL});

// The library's function changes all threads, and ends the program if one of them may not, because
// capabilities are a thread's own. File ids are, too.
bool set_own_groups(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

// They report no errors: only the id in force, also for one that does not exist.
bool has_file_ids(const User& user) {
  return uid_t(::setfsuid(uid_t(-1))) == user.uid && gid_t(::setfsgid(gid_t(-1))) == user.gid;
}

}  // namespace

std::optional<User> parse_user(const char* uid, const char* gid) {
  const auto user = parse_id(uid), group = parse_id(gid);
  if (!user || !group) return {};
  return User{*user, *group};
}

Viewer viewer() {
  constexpr ino_t kFirstUserNamespace = 0xEFFFFFFD;  // PROC_USER_INIT_INO
  struct stat ns = {};
  const bool is_first = ::stat("/proc/self/ns/user", &ns) == 0 && ns.st_ino == kFirstUserNamespace;
  const uint64_t held = effective_capabilities();
  const bool rules = is_first && (::geteuid() == 0 || (held & capabilities({CAP_SYS_ADMIN})) != 0);
  // Elsewhere our numbers are not those that the kernel compares: they are nobody's.
  return {.uid = is_first ? ::geteuid() : UINT32_MAX,
          .gid = is_first ? ::getegid() : UINT32_MAX,
          .capabilities = held & ~capabilities({CAP_BPF, CAP_PERFMON, CAP_SYSLOG}),
          .sees_all = rules || (is_first && (held & capabilities({CAP_SYS_PTRACE})) != 0),
          .may_slow_everyone = rules};
}

uint64_t effective_capabilities() { return set_of(CAPNG_EFFECTIVE); }
uint64_t permitted_capabilities() { return set_of(CAPNG_PERMITTED); }

std::string capability_names(uint64_t set) {
  std::string names;
  for (unsigned number = 0; number <= CAP_LAST_CAP; ++number)
    if ((set >> number & 1) != 0)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", capng_capability_to_name(number));
  return names;
}

bool use_capabilities(uint64_t in_effect) {
  const uint64_t permitted = set_of(CAPNG_PERMITTED);
  return apply_capabilities(permitted, in_effect & permitted, set_of(CAPNG_INHERITABLE));
}

bool keep_capabilities(uint64_t kept, uint64_t passed_on, uint64_t in_effect) {
  const uint64_t permitted = set_of(CAPNG_PERMITTED);
  kept &= permitted;
  passed_on &= kept;
  // The inheritable set first: it cannot exceed the bounding set, which needs CAP_SETPCAP.
  if (!apply_capabilities(permitted, permitted, passed_on)) return false;
  if (!has_file_capabilities()) empty_bounding_set();
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return apply_capabilities(kept, kept & in_effect, passed_on) &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool become(const User& user) {
  if (user.uid != 0) {
    const std::vector<gid_t> groups = groups_of(user);
    if (!use_capabilities(~uint64_t{0})) return false;
    empty_bounding_set();
    if (::setgroups(groups.size(), groups.data()) != 0 ||
        ::setresgid(user.gid, user.gid, user.gid) != 0 ||
        ::setresuid(user.uid, user.uid, user.uid) != 0)
      return false;
  }
  return keep_capabilities(0);
}

std::vector<gid_t> groups_of(const User& user) {
  const passwd* const entry = ::getpwuid(user.uid);
  if (entry == nullptr) return {user.gid};
  std::vector<gid_t> groups(16);
  int count = int(groups.size());
  while (::getgrouplist(entry->pw_name, user.gid, groups.data(), &count) < 0)
    groups.resize(size_t(count));
  groups.resize(size_t(count));
  return groups;
}

User user_to_become() {
  User found;
  if (::geteuid() != 0) return found;
  for (const auto& user : {caller_of_sudo(), caller_of_doas(), caller_of_pkexec()}) {
    if (!user || user->uid == 0) continue;
    if (found.uid != 0 && found.uid != user->uid)
      throw Error("SUDO_UID, DOAS_USER and PKEXEC_UID name several users: unset all but one");
    found = *user;
  }
  return found;
}

AsUser::AsUser(const User& user) : on_(::geteuid() == 0 && user.uid != 0) {
  if (!on_) return;
  in_effect_ = effective_capabilities();
  before_ = {uid_t(::setfsuid(uid_t(-1))), gid_t(::setfsgid(gid_t(-1)))};
  groups_.resize(size_t(std::max(::getgroups(0, nullptr), 0)));
  groups_.resize(size_t(std::max(::getgroups(int(groups_.size()), groups_.data()), 0)));
  if (become(user)) return;
  leave();
  throw Error(fmt::format("files are to be opened as user {}, which takes CAP_SETUID and "
                          "CAP_SETGID: call pipetop as root with both",
                          user.uid),
              Exit::refused);
}

bool AsUser::become(const User& user) const {
  const std::vector<gid_t> groups = groups_of(user);
  if (!use_capabilities(kToChange | (in_effect_ & kToDie)) || !set_own_groups(groups)) return false;
  ::setfsgid(user.gid);
  ::setfsuid(user.uid);
  return has_file_ids(user) && use_capabilities(in_effect_ & kToDie);
}

AsUser::~AsUser() {
  if (on_) leave();
}

void AsUser::leave() const {
  (void)use_capabilities(kToChange | (in_effect_ & kToDie));
  ::setfsuid(before_.uid);
  ::setfsgid(before_.gid);
  (void)set_own_groups(groups_);
  (void)use_capabilities(in_effect_);  // the kernel has changed some with the id
}

}  // namespace pipetop

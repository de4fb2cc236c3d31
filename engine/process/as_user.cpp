#include "engine/process/as_user.h"

#include <fmt/core.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/error.h"

namespace pipetop {
namespace {

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

// Files of the user who called sudo.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "engine/process/privileges.h"

namespace pipetop {

// While it lives, files are found, opened and made as that user would: with their id and groups,
// and no capability is in effect but CAP_KILL. So root's rights are not used where others can
// write, and new files are theirs. CAP_SETUID and CAP_SETGID have to be permitted, but not in
// effect.
class AsUser {
 public:
  // Of root, or of ourselves: nothing changes. Throws Error.
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

// Programs as nobody or daemon, whom every system has; that takes root.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop::tui {

inline constexpr const char* kSetpriv = "/usr/bin/setpriv";

inline constexpr uid_t kDaemon = 1, kNobody = 65534;

// For setpriv.
inline std::vector<std::string> as_user(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        uid_t user = kNobody) {
  const std::string id = std::to_string(user);
  std::vector<std::string> words = {"--reuid=" + id, "--regid=" + id, "--clear-groups", program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

inline Reading<bool> root() {
  if (geteuid() != 0) return Reading<bool>::unavailable("only root can become somebody else");
  return Reading<bool>::of(true);
}

}  // namespace pipetop::tui

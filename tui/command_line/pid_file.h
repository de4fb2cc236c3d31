// `pipetop view -P FILE`: our pid, for whom wants to signal us.
#pragma once

#include <optional>
#include <string>

#include "tui/command_line/output_place.h"

namespace pipetop::tui {

// Goes with us, also if a signal ends us; what was put in its place since stays. One at a time:
// handlers have no owner.
class PidFile {
 public:
  // "" for none. Throws Error for what is no regular file: nobody can remove a device.
  explicit PidFile(const std::string& path);
  ~PidFile() { remove(); }
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

  // The one that there is. Async-signal-safe.
  static void remove();

 private:
  std::optional<OutputPlace> place_;
};

}  // namespace pipetop::tui

// A program with capabilities of its own, as setcap(8) makes it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/tests/support/scratch_directory.h"

namespace pipetop::tui {

// cap_bpf,cap_perfmon,cap_syslog: what pipetop needs to observe.
extern const uint64_t kObserving;

// A copy of pipetop that an ordinary user can run.
class ProgramCopy {
 public:
  ProgramCopy();

  // Gives it capabilities, permitted and effective ("+ep"). "" if it has them, else
  // why it cannot.
  std::string set_capabilities(uint64_t set) const;

  const std::string& path() const { return path_; }

 private:
  ScratchDirectory directory_;
  std::string path_;
};

}  // namespace pipetop::tui

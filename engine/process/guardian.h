// A process that puts something back when we are gone, however we went: a limit of the machine
// (engine/host/pipe_max_size.h), or the pipes of others that were resized
// (engine/process/change_ledger.h).
//
// A child that sleeps until our end of a socket is closed, as the kernel does for whoever is
// killed. Signals to our group, session or terminal don't reach it, and it has them all blocked:
// only SIGKILL to itself ends it early. Of our descriptors and capabilities it keeps those that its
// duty needs.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/base/handles.h"

namespace pipetop {

struct GuardianDuty {
  // In the child, when we are gone: only async-signal-safe calls. `memory` is shared with us, `fds`
  // are those below. Returns whether it may help to try again.
  bool (*attempt)(void* memory, const int* fds) = nullptr;
  void* memory = nullptr;
  std::array<int, 2> fds = {-1, -1};  // what it keeps open
  uint64_t capabilities = 0;          // what it keeps of ours
};

class Guardian {
 public:
  // It tries for so long after the first attempt.
  static constexpr uint64_t kTries_ns = 30 * kSecond;

  // Returns when it is ready. Throws SystemError.
  explicit Guardian(const GuardianDuty& duty);
  ~Guardian() { finish(); }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t pid() const { return pid_; }
  bool is_there() const;  // false when it was killed

  // Has it do its duty now. Returns after the first attempt: whether it goes on, without us.
  bool finish();

 private:
  UniqueFd lifeline_;
  pid_t pid_ = 0;
};

}  // namespace pipetop

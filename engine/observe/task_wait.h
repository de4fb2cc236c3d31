// What a sleeping thread waits for, from the system call that it is in and the descriptors that it
// gave to it. Pure functions; what cannot be told is `other`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/pipe_scan.h"
#include "engine/observe/call_kinds.h"

namespace pipetop::observe {

// How it sleeps.
enum class Sleep : uint8_t {
  interruptible,
  uninterruptible,
  device,   // the kernel counts it as a wait for input or output
  stopped,  // by a signal, a debugger or its control group
};

Sleep sleep_of(char state);  // TaskStat::state

// /proc/PID/task/TID/syscall: "0 0x3 0x7ffd... 0x1000 ...", "-1 0x7ffd... 0x7f2f..." in none,
// "running". Nothing if it is anything else, such as "" because it may not be read.
std::optional<SystemCall> parse_system_call(const std::string& text);

// What a descriptor of its process refers to.
struct Descriptor {
  const ScannedPipe* pipe = nullptr;  // null: no pipe
  Access access = Access::both;       // to the pipe
  std::string name;                   // of what is no pipe: "socket:[1]"; "" if it is not known
};

struct TaskWait {
  WaitsFor wait = WaitsFor::other;
  int fd = -1;  // that it reads, writes or moves data at

  bool operator==(const TaskWait&) const = default;
};

// `descriptor_of` is asked for the descriptors of calls that read, write or move data.
TaskWait wait_of(const SystemCall& call, Sleep sleep,
                 const std::function<Descriptor(int)>& descriptor_of);

// Whether a descriptor of a process is a socket, a terminal, ... for WaitsFor; from its name in
// /proc/PID/fd, "socket:[1]" or "/dev/pts/3".
WaitsFor wait_on(std::string_view name, bool uninterruptible);

}  // namespace pipetop::observe

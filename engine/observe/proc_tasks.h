// Threads and descriptors as /proc shows them. Pure functions of its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/pipe_scan.h"
#include "engine/observe/call_kinds.h"
#include "engine/observe/task_wait.h"

namespace pipetop::observe {

// /proc/PID/task/TID/syscall: "0 0x3 0x7ffd... 0x1000 ...", "-1 0x7ffd... 0x7f2f..." in none,
// "running". Nothing if it is anything else, such as "" because it may not be read.
std::optional<SystemCall> parse_system_call(const std::string& text);

// The octal number of "flags:" in /proc/PID/fdinfo/N, as open(2) takes it; nothing without one.
std::optional<int> parse_descriptor_flags(std::string_view text);

Access access_of(int flags);

// The first number of /proc/PID/task/TID/schedstat; nothing if there is none.
std::optional<uint64_t> parse_cpu_ns(const std::string& text);

Sleep sleep_of(char state);  // TaskStat::state

}  // namespace pipetop::observe

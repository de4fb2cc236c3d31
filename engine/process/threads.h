// Any process: whose it is, its threads, their nice values and CPUs. What returns 0 or errno is
// async-signal-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipe_scan.h"

namespace pipetop {

// When it began, as in ProcessId; nothing if there is no such process.
std::optional<uint64_t> start_ticks_of(pid_t pid);

// Whether that number is still this process's, alive or not waited for yet: 0, or ESRCH if it
// isn't, or why it can't be told.
int look_for(ProcessId process);
inline bool exists(ProcessId process) { return look_for(process) == 0; }

std::vector<pid_t> threads_of(pid_t pid);  // none if it is gone
int each_thread(pid_t pid, void (*visit)(void* context, pid_t tid), void* context);

std::optional<int> nice_of(pid_t tid);

// The name of its user, or the number if it has none; "" if the process is gone.
std::string user_of(ProcessId process);

std::vector<int> cpus_of(pid_t tid);  // that it may use; none if it is gone
int set_cpus(pid_t tid, std::span<const int> cpus);

std::string cpu_list(std::span<const int> cpus);  // sorted ones: "0-3,6"

}  // namespace pipetop

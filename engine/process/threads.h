// The threads of any process: their nice values and CPUs.
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

// Whether that number is still this process's, alive or not waited for yet.
bool exists(ProcessId process);

std::vector<pid_t> threads_of(pid_t pid);  // none if it is gone

std::optional<int> nice_of(pid_t tid);
int set_nice(pid_t tid, int nice);  // 0 or errno

std::vector<int> cpus_of(pid_t tid);                 // that it may use; none if it is gone
int set_cpus(pid_t tid, std::span<const int> cpus);  // 0 or errno

std::string cpu_list(std::span<const int> cpus);  // sorted ones: "0-3,6"

}  // namespace pipetop

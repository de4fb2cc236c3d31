// The capabilities of the main process, and what each is for.
#pragma once

#include <span>
#include <string>

#include "engine/model/tables.h"

namespace pipetop {

// Gives up all that pipetop doesn't use while it drives one of these workloads. Threads that are
// started later inherit this. Throws SystemError.
void keep_main_capabilities(std::span<const WorkloadEntry> possible);

// "bpf, perfmon, syslog to observe the kernel; ..."; "none" for an ordinary user.
std::string describe_capabilities();

}  // namespace pipetop

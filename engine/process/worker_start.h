// How a worker is started.
#pragma once

namespace pipetop {

inline constexpr const char* kWorkerProcess = "worker-process";  // argv[1]

// A worker's descriptors: its control block, then those that its workload gives to
// its role.
inline constexpr int kWorkerControlFd = 3;
inline constexpr int kWorkerFirstFd = 4;

}  // namespace pipetop

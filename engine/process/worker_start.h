// What a worker is started with.
#pragma once

namespace pipetop {

inline constexpr const char* kWorkerProcess = "worker-process";  // argv[1]

// Where the engine puts what a worker is given: its control block, then what its
// workload gives to its role.
inline constexpr int kWorkerControlFd = 3;
inline constexpr int kWorkerFirstFd = 4;

}  // namespace pipetop

// The hidden mode in which pipetop runs its own workers: `pipetop worker-process`.
#pragma once

namespace pipetop {

inline constexpr const char* kWorkerProcess = "worker-process";  // argv[1]

// Where the engine puts what a worker is given: its control block, then what its
// workload gives to its role.
inline constexpr int kWorkerControlFd = 3;
inline constexpr int kWorkerFirstFd = 4;

// Runs the worker that the control block describes; returns its exit status.
int worker_main();

}  // namespace pipetop

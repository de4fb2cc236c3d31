// The hidden mode for pipetop's own workers: `pipetop worker-process`.
#pragma once

namespace pipetop {

// Runs the worker that the control block describes; returns its exit status.
int worker_main(int argc, char** argv);

}  // namespace pipetop

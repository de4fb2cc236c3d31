// Invented pipelines, with everything that a screen or a printer can show of them: for tests, and
// for looking at by hand. The same call gives the same values.
#pragma once

#include "engine/model/snapshot.h"

namespace pipetop::tui {

inline constexpr uint64_t kFakeWatchNow_ns = 600'000'000'000;

// "tar | zstd | ssh ..." of 1 to 16 stages, of which one is the bottleneck by its work on a CPU.
Pipeline fake_chain(size_t stages, size_t slow = 1);

// tar | tee >(sha256sum) >(xz) where xz is slow.
Pipeline fake_fork();

// Two writers into one pipe, and two inputs of one process: yes and seq into paste, with cat.
Pipeline fake_join();

// A shell and its coprocess, two pipes in a circle.
Pipeline fake_circle();

// A FIFO between two groups, and a shell that forgot to close its copy of an end.
Pipeline fake_fifo();

// All waits; no stage is named.
Pipeline fake_idle();

// Nothing is known yet of a chain but who holds what.
Pipeline fake_warming(size_t stages);

// As an ordinary user sees a chain: no slots, no functions, no kernel's counts.
Pipeline fake_unprivileged(size_t stages);

// The first stages of a chain have exited.
Pipeline fake_ended(size_t stages, size_t gone);

// The table with this many rows, of all of these kinds; no open pipeline.
Snapshot fake_watch(size_t rows);

// The same, with this pipeline open and in the table.
Snapshot fake_watch(size_t rows, Pipeline open);

}  // namespace pipetop::tui

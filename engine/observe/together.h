// Starts several threads, which begin their work at the same time.
#pragma once

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/base/error.h"

namespace pipetop::observe {

// Runs work(0), work(1), ... each in its own thread: first prepare(i), then, when all are ready,
// work(i). Throws SystemError if a thread cannot be made.
template <class Prepare, class Work>
void run_together(size_t count, const Prepare& prepare, const Work& work) {
  std::latch ready(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count)
      threads.emplace_back([&, i = threads.size()] {
        prepare(i);
        ready.arrive_and_wait();
        work(i);
      });
  } catch (const std::system_error& error) {
    // The others must not wait for those that will never come.
    ready.count_down(static_cast<std::ptrdiff_t>(count - threads.size()));
    throw SystemError("starting a thread", error.code().value());
  }
}

}  // namespace pipetop::observe

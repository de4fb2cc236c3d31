#include "engine/experiment/interrupts.h"

#include "engine/base/clock.h"

namespace pipetop {

bool Interrupts::take(Engine* running) {
  while (const int number = signals_.take()) {
    if (number == SIGTSTP) {
      suspend(running);
    } else {
      if (signal_ == 0) signal_ = number;
      ended_ = true;
    }
  }
  return !ended();
}

void Interrupts::suspend(Engine* running) {
  if (suspending) suspending();
  if (running != nullptr) running->suspend();
  const uint64_t begin_ns = monotonic_ns();
  raise(SIGSTOP);
  stopped_ns_ += monotonic_ns() - begin_ns;
  ++suspensions_;
  if (running != nullptr) running->resume();
}

uint64_t Interrupts::now_ns() const { return monotonic_ns() - stopped_ns_; }

}  // namespace pipetop

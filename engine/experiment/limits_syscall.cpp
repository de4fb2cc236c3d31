#include "engine/experiment/limits_syscall.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace pipetop {
namespace {

class EmptySyscall final : public LimitsStep {
 public:
  std::vector<double> slice() override {
    constexpr int kCalls = 1000;  // between two looks at the clock
    CallTimer timer;
    repeat_for_slice([&] {
      timer.time([] {
        for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
        return 0;
      });
    });
    return {timer.mean_ns() / kCalls};
  }
};

}  // namespace

std::unique_ptr<LimitsStep> empty_syscall_step() { return std::make_unique<EmptySyscall>(); }

}  // namespace pipetop

// A process that may have only so many descriptors for a while: what it opens then is refused, as
// on a machine that has none left.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace pipetop {

class FewDescriptors {
 public:
  // Those that it has it keeps. 0: this process.
  explicit FewDescriptors(rlim_t most, pid_t pid = 0) : pid_(pid) {
    ::prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_);
    const rlimit few = {most, before_.rlim_max};
    ::prlimit(pid_, RLIMIT_NOFILE, &few, nullptr);
  }
  ~FewDescriptors() { ::prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  const pid_t pid_;
  rlimit before_ = {};
};

}  // namespace pipetop

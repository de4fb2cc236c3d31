#include "engine/process/descriptor_limit.h"

#include <sys/resource.h>

namespace pipetop {
namespace {

rlim_t soft_before = RLIM_INFINITY;  // RLIM_INFINITY: not raised

}  // namespace

void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  if (soft_before == RLIM_INFINITY) soft_before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void restore_descriptor_limit() {
  rlimit limit = {};
  if (soft_before == RLIM_INFINITY || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft_before;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace pipetop

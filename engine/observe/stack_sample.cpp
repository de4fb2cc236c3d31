#include <cstddef>

#include "bpf/sampler.h"
#include "engine/observe/sampler.h"

namespace pipetop::observe {

std::optional<StackSample> sample_of(const void* record, size_t bytes) {
  const auto& sample = *static_cast<const sampler_sample*>(record);
  const size_t head = offsetof(sampler_sample, ip);
  static_assert(sizeof(sample.ip[0]) == sizeof(uint64_t));
  if (bytes < head || sample.role >= SAMPLER_ROLES || sample.frames > SAMPLER_DEPTH ||
      bytes < head + sample.frames * sizeof(sample.ip[0]))
    return {};
  return StackSample{sample.at_ns, static_cast<Role>(sample.role),
                     std::span(reinterpret_cast<const uint64_t*>(sample.ip), sample.frames)};
}

}  // namespace pipetop::observe

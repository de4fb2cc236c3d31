#include "engine/experiment/limits_rings.h"

#include <fmt/core.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/experiment/limits_memory.h"
#include "engine/experiment/limits_pages.h"
#include "engine/experiment/limits_pipe.h"

namespace pipetop {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kRings[] = {4 * kKiB,   64 * kKiB,  128 * kKiB,
                               256 * kKiB, 512 * kKiB, 1024 * kKiB};

Pages cheapest_pages() {
  try {
    map_certain(Pages::thp, kHugePageBytes, true);
    return Pages::thp;
  } catch (const Error&) {
    return Pages::k4;
  }
}

bool is_allowed(uint64_t bytes) {
  try {
    make_ring(bytes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

RingSteps::RingSteps() : pages_(cheapest_pages()) {
  for (const uint64_t bytes : kRings) {
    if (!is_allowed(bytes)) continue;
    bytes_.push_back(bytes);
    steps_.emplace_back(fmt::format("a ring of {}", format_size(bytes)), [&] {
      return lent_pages_step({pages_, Touched::yes}, bytes);
    });
  }
}

Reading<Roof> RingSteps::roof() const {
  std::vector<RingCost> costs;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Reading<Spread> lend = steps_[i].spread(kVmsplice), release = steps_[i].spread(kRelease);
    if (!lend.has_value()) return {lend.status, {}, lend.reason};
    costs.push_back({bytes_[i], lend->lower, release->lower});
  }
  return roof_of(costs);
}

}  // namespace pipetop

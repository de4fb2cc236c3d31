#include "engine/experiment/limits_copy.h"

#include <unistd.h>

#include "engine/experiment/limits_memory.h"
#include "engine/experiment/limits_pipe.h"
#include "engine/model/segment.h"

namespace pipetop {
namespace {

class Copy final : public LimitsStep {
 public:
  explicit Copy(uint64_t bytes)
      : from_(map_certain(Pages::k4, bytes, true)),
        to_(map_certain(Pages::k4, bytes, true)),
        ring_(make_ring(bytes)) {}

  std::vector<double> slice() override {
    CallTimer in, out;
    repeat_for_slice([&] {
      check_moved("write",
                  in.time([this] { return ::write(ring_.write_fd(), from_.data, bytes()); }),
                  bytes());
      check_moved("read", out.time([this] { return ::read(ring_.read_fd(), to_.data, bytes()); }),
                  bytes());
    });
    return {rate(in), rate(out)};
  }

 private:
  uint64_t bytes() const { return ring_.capacity_bytes(); }
  double rate(const CallTimer& timer) const {
    return double(bytes()) / kGiB / (timer.mean_ns() / 1e9);
  }

  Buffer from_, to_;
  PipeOwner ring_;
};

}  // namespace

std::unique_ptr<LimitsStep> copy_step(uint64_t buffer_bytes) {
  return std::make_unique<Copy>(buffer_bytes);
}

}  // namespace pipetop

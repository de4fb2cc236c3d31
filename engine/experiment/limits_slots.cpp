#include "engine/experiment/limits_slots.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <utility>

#include "engine/experiment/limits_memory.h"
#include "engine/experiment/limits_pipe.h"

namespace pipetop {
namespace {

// The slots of one ring, full of lent pages, are copied and moved to another one.
class Slots final : public LimitsStep {
 public:
  Slots(Pages pages, uint64_t bytes)
      : buffer_(map_certain(pages, bytes, true)),
        full_(make_ring(bytes)),
        empty_(make_ring(bytes)) {
    const iovec all = {buffer_.data, bytes};
    check_moved("vmsplice", ::vmsplice(full_.write_fd(), &all, 1, SPLICE_F_NONBLOCK), bytes);
  }

  std::vector<double> slice() override {
    CallTimer copy, move;
    repeat_for_slice([&] {
      check_moved("tee", copy.time([this] { return tee_all(); }), bytes());
      check_moved("splice", drain(empty_, sink_.get(), bytes()), bytes());
      check_moved("splice", move.time([this] { return drain(full_, empty_.write_fd(), bytes()); }),
                  bytes());
      std::swap(full_, empty_);
    });
    const double slots = double(bytes()) / double(kPageBytes);
    return {copy.mean_ns() / slots, move.mean_ns() / slots};
  }

 private:
  uint64_t bytes() const { return full_.capacity_bytes(); }
  ssize_t tee_all() const {
    return ::tee(full_.read_fd(), empty_.write_fd(), bytes(), SPLICE_F_NONBLOCK);
  }

  Buffer buffer_;
  PipeOwner full_, empty_;
  UniqueFd sink_ = open_dev_null();
};

}  // namespace

std::unique_ptr<LimitsStep> slots_step(Pages pages, uint64_t ring_bytes) {
  return std::make_unique<Slots>(pages, ring_bytes);
}

}  // namespace pipetop

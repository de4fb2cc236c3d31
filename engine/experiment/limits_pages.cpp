#include "engine/experiment/limits_pages.h"

#include <fcntl.h>
#include <sys/uio.h>

#include "engine/experiment/limits_memory.h"
#include "engine/experiment/limits_pipe.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

class LentPages final : public LimitsStep {
 public:
  LentPages(const LentPagesKind& kind, uint64_t bytes)
      : touched_(kind.touched),
        buffer_(map_certain(kind.pages, bytes, kind.touched == Touched::yes)),
        ring_(make_ring(bytes)) {}

  std::vector<double> slice() override {
    CallTimer lend, release;
    repeat_for_slice([&] {
      if (touched_ == Touched::never) ::madvise(buffer_.data, bytes(), MADV_DONTNEED);
      check_moved("vmsplice", lend.time([this] { return vmsplice_all(); }), bytes());
      check_moved("splice", release.time([this] { return drain(ring_, sink_.get(), bytes()); }),
                  bytes());
    });
    const double pages = double(bytes()) / double(kPageBytes);
    return {lend.mean_ns() / pages, release.mean_ns() / pages};
  }

 private:
  uint64_t bytes() const { return ring_.capacity_bytes(); }

  ssize_t vmsplice_all() const {
    const iovec all = {buffer_.data, bytes()};
    return ::vmsplice(ring_.write_fd(), &all, 1, SPLICE_F_NONBLOCK);
  }

  Touched touched_;
  Buffer buffer_;
  PipeOwner ring_;
  UniqueFd sink_ = open_dev_null();
};

}  // namespace

std::string to_text(const LentPagesKind& kind) {
  std::string pages(to_text(kind.pages));
  switch (kind.touched) {
    case Touched::never:
      return pages + " untouched";
    case Touched::again:
      return pages + " untouched, again";
    case Touched::yes:
      break;
  }
  return pages;
}

std::unique_ptr<LimitsStep> lent_pages_step(const LentPagesKind& kind, uint64_t ring_bytes) {
  return std::make_unique<LentPages>(kind, ring_bytes);
}

}  // namespace pipetop

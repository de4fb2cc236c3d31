#include "engine/observe/foreign_rings.h"

#include <cerrno>
#include <future>
#include <map>

#include "engine/base/error.h"
#include "engine/observe/ring_program.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {
namespace {

// Of a pipeline there are a few at a time.
constexpr size_t kMostLinks = 64;

class BpfForeignRings final : public ForeignRings {
 public:
  // The kernel takes 40 ms to write its symbols.
  BpfForeignRings()
      : symbols_(std::async(std::launch::async | std::launch::deferred, Symbols::of_this_kernel)) {
    // A refusal must be noticed now.
    (void)attached(getpid());
  }

  Reading<RingFrame> frame(PipeId pipe, const PipeEnd& end) override {
    if (symbols_.valid()) program_.learn_kinds(symbols_.get());
    program_.choose(end.fd, pipe.inode);
    try {
      const ring_snapshot* snapshot = program_.read(attached(end.process.pid), RING_BY_ITERATOR);
      if (!snapshot)
        return Reading<RingFrame>::unavailable("this end was closed; choose another one");
      return frame_of(*snapshot);
    } catch (const Error& refused) {
      return Reading<RingFrame>::unavailable(refused.what());
    }
  }

 private:
  const Link& attached(pid_t pid) {
    Link& link = links_[pid];
    if (link) return link;
    if (links_.size() > kMostLinks) {
      links_.clear();
      return attached(pid);
    }
    begin_libbpf_log();
    link = attach_to_process(program_.iterator(), pid);
    if (!link) throw_refused("attach the ring reader", errno);
    return link;
  }

  RingProgram program_;
  std::map<pid_t, Link> links_;
  std::future<Symbols> symbols_;
};

}  // namespace

std::unique_ptr<ForeignRings> make_foreign_rings() { return std::make_unique<BpfForeignRings>(); }

}  // namespace pipetop::observe

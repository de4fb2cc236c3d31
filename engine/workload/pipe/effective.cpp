#include "engine/workload/pipe/effective.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// A torn sample may misread a slot.
constexpr double kSomeCopies = 0.01;

std::string text_of(std::string_view name, const Settings& settings) {
  return find_knob(pipe_knobs(), name)->get(settings);
}

std::string words(uint64_t error) { return std::strerror(static_cast<int>(error)); }

// What shows that a technique lends pages.
struct Lending {
  SlotKind kind;
  const char* seen;    // description of the pages
  const char* copier;  // what makes the copies, if there are any
};

Lending lending_of(WriteWith technique) {
  if (technique == WriteWith::splice)
    return {SlotKind::page_cache, "pages of the page cache",
            "splice from a file (copy_splice_read)"};
  return {SlotKind::user_page, "the writer's own pages",
          technique == WriteWith::tee ? "vmsplice, which fills tee's source," : "vmsplice"};
}

// Each public function compares a part of the plan with the facts.
class Judge {
 public:
  Judge(const Settings& requested, const EffectiveFacts& facts, Effective& effective)
      : requested_(requested), facts_(facts), effective_(effective) {}

  void pages() {
    const Pages planned = s_.pages;
    s_.pages = granted_pages(planned);
    if (s_.pages != planned)
      note("pages", planned == Pages::hugetlb
                        ? "not enough free huge pages; echo 16 > /proc/sys/vm/nr_hugepages"
                        : fmt::format("madvise: {}", words(first_error(&PipeReport::pages_error))));
    if (s_.pages != Pages::k4 && facts_.huge.has_value() && !*facts_.huge) {
      s_.pages = Pages::k4;
      note("pages", "the kernel had no free huge page");
    }
  }

  void lock() {
    const int error = first_error(&PipeReport::lock_error);
    if (!s_.lock_memory || error == 0) return;
    s_.lock_memory = false;
    note("lock_memory", fmt::format("mlock: {}; raise the limit with ulimit -l", words(error)));
  }

  void pipe_size() {
    const uint64_t planned = s_.pipe_size;
    s_.pipe_size = facts_.pipe_bytes;
    if (facts_.pipe_bytes == planned) return;
    if (facts_.draining)
      note("pipe_size", "waits for the reader to drain the ring");
    else if (facts_.resize_error == EPERM)
      note("pipe_size", "refused: over this user's /proc/sys/fs/pipe-user-pages-soft");
    else if (facts_.resize_error != 0)
      note("pipe_size", fmt::format("F_SETPIPE_SZ: {}", std::strerror(facts_.resize_error)));
  }

  // The pipe that tee duplicates is smaller than requested.
  void call_size() {
    const uint64_t bytes = facts_.writer ? facts_.writer->call_bytes : 0;
    if (bytes == 0 || bytes >= s_.buf_size) return;
    s_.buf_size = bytes;
    note("buf_size",
         "tee duplicates a pipe, which cannot be larger: over /proc/sys/fs/pipe-max-size or this "
         "user's pipe-user-pages-soft");
  }

  // In slow motion buf_size is not what is requested per call.
  void slow_motion() {
    if (!s_.slow_motion) return;
    const uint64_t bytes = slow_bytes(facts_.pipe_bytes, s_.buf_size);
    if (bytes == s_.buf_size) return;
    s_.buf_size = bytes;
    note("buf_size", "slow motion moves a sixteenth of the ring per call");
  }

  // A pinned worker on another CPU was moved from outside.
  void cpus() {
    std::string asked, seen;
    for (const Role role : {Role::writer, Role::reader}) {
      int& cpu = role == Role::writer ? s_.writer_cpu : s_.reader_cpu;
      const std::optional<int> run_on = facts_.run_on[static_cast<size_t>(role)];
      if (cpu == kNoCpu || !run_on || *run_on == cpu) continue;
      const char* comma = asked.empty() ? "" : ", ";
      asked += fmt::format("{}{} on CPU {}", comma, to_text(role), cpu);
      seen += fmt::format("{}{} on CPU {}", comma, to_text(role), *run_on);
      cpu = *run_on;
    }
    if (asked.empty()) return;
    note({"placement", asked, seen,
          "moved from outside, by taskset or a cpuset; the next change pins it again"});
  }

  void zero_copy() {
    const bool lends = lends_pages(s_.write_with);
    if (lends)
      lending();
    else
      say(ZeroCopy::copied, "write copies the bytes into kernel pages");
    if (lends && effective_.pipe.zero_copy == ZeroCopy::copied)
      note({"write_with", text_of("write_with", requested_),
            fmt::format("{}, but copied", to_text(s_.write_with)),
            effective_.pipe.zero_copy_reason});
    effective_.pipe.zero_copy_reason += s_.read_with == ReadWith::read
                                            ? "; read then copies the bytes out"
                                            : "; splice to /dev/null copies nothing";
  }

 private:
  // One mismatch per knob: the latest is the most accurate.
  void note(Mismatch mismatch) {
    std::erase_if(effective_.mismatches,
                  [&](const Mismatch& m) { return m.knob == mismatch.knob; });
    effective_.mismatches.push_back(std::move(mismatch));
  }
  void note(std::string_view name, std::string reason) {
    note({std::string(name), text_of(name, requested_), text_of(name, effective_.settings),
          std::move(reason)});
  }
  void say(ZeroCopy result, std::string reason) {
    effective_.pipe.zero_copy = result;
    effective_.pipe.zero_copy_reason = std::move(reason);
  }

  Pages granted_pages(Pages planned) const {
    Pages pages = planned;
    for (const auto& report : {facts_.writer, facts_.reader})
      if (report && report->buffer_address[0] != 0) pages = std::min(pages, report->pages);
    return pages;
  }

  int first_error(int PipeReport::*field) const {
    for (const auto& report : {facts_.writer, facts_.reader})
      if (report && (*report).*field != 0) return (*report).*field;
    return 0;
  }

  double share_of(SlotKind kind) const {
    return facts_.kinds.has_value() ? (*facts_.kinds)[static_cast<size_t>(kind)] : 0;
  }

  void lending() {
    const bool file = s_.write_with == WriteWith::splice;
    const Lending lending = lending_of(s_.write_with);
    // Untouched pages of a file are neither its own pages nor copies.
    const bool untouched = file && share_of(SlotKind::zero_page) > 0;
    if (const double copies = share_of(SlotKind::copy); copies > kSomeCopies) {
      say(ZeroCopy::copied,
          fmt::format("{:.0f} % of the slots seen hold copies: this kernel's {} copies",
                      100 * copies, lending.copier));
    } else if (share_of(lending.kind) > 0 || untouched) {
      say(ZeroCopy::zero_copy,
          fmt::format("{} were seen in the ring",
                      untouched ? "the kernel's zero page, for untouched pages," : lending.seen));
    } else {
      const ZeroCopyProbe& probe = file ? facts_.file_probe : facts_.probe;
      say(probe.result, probe.reason);
    }
  }

  const Settings& requested_;
  const EffectiveFacts& facts_;
  Effective& effective_;
  PipeSettings& s_ = effective_.settings.pipe;
};

}  // namespace

Effective make_effective(const Settings& requested, const PipePlan& plan,
                         const EffectiveFacts& facts) {
  Effective effective;
  effective.settings = plan.settings;
  effective.mismatches = plan.mismatches;
  effective.settled = facts.settled;
  effective.pipe.bytes = facts.pipe_bytes;
  effective.pipe.huge = facts.huge;
  Judge judge(requested, facts, effective);
  judge.pages();
  judge.lock();
  judge.pipe_size();
  judge.call_size();
  judge.slow_motion();
  judge.cpus();
  judge.zero_copy();
  return effective;
}

}  // namespace pipetop

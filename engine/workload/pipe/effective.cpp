#include "engine/workload/pipe/effective.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

std::string text_of(std::string_view name, const Settings& settings) {
  return find_knob(pipe_knobs(), name)->get(settings);
}

// One mismatch per knob: the latest is the most accurate.
void note(Effective& effective, Mismatch mismatch) {
  std::erase_if(effective.mismatches, [&](const Mismatch& m) { return m.knob == mismatch.knob; });
  effective.mismatches.push_back(std::move(mismatch));
}

void note(Effective& effective, const Settings& requested, std::string_view name,
          std::string reason) {
  note(effective, {std::string(name), text_of(name, requested), text_of(name, effective.settings),
                   std::move(reason)});
}

Pages granted_pages(const EffectiveFacts& facts, Pages planned) {
  Pages pages = planned;
  for (const auto& report : {facts.writer, facts.reader}) {
    if (report && report->buffer_address[0] != 0)
      pages = std::min(pages, static_cast<Pages>(report->pages));
  }
  return pages;
}

uint64_t first_error(const EffectiveFacts& facts, uint64_t PipeReport::*field) {
  for (const auto& report : {facts.writer, facts.reader})
    if (report && (*report).*field != 0) return (*report).*field;
  return 0;
}

std::string words(uint64_t error) { return std::strerror(static_cast<int>(error)); }

void judge_pages(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  PipeSettings& s = effective.settings.pipe;
  const Pages planned = s.pages;
  s.pages = granted_pages(facts, planned);
  if (s.pages != planned) {
    const uint64_t error = first_error(facts, &PipeReport::pages_error);
    note(effective, requested, "pages",
         planned == Pages::hugetlb
             ? "not enough free huge pages; echo 16 > /proc/sys/vm/nr_hugepages"
             : fmt::format("madvise: {}", words(error)));
  }
  if (s.pages != Pages::k4 && facts.huge.has_value() && !*facts.huge) {
    s.pages = Pages::k4;
    note(effective, requested, "pages", "the kernel had no free huge page");
  }
}

void judge_lock(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const uint64_t error = first_error(facts, &PipeReport::lock_error);
  if (!effective.settings.pipe.lock_memory || error == 0) return;
  effective.settings.pipe.lock_memory = false;
  note(effective, requested, "lock_memory",
       fmt::format("mlock: {}; raise the limit with ulimit -l", words(error)));
}

void judge_pipe_size(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const uint64_t planned = effective.settings.pipe.pipe_size;
  effective.settings.pipe.pipe_size = facts.pipe_bytes;
  if (facts.pipe_bytes == planned) return;
  if (facts.draining)
    note(effective, requested, "pipe_size", "waits for the reader to drain the ring");
  else if (facts.resize_error == EPERM)
    note(effective, requested, "pipe_size",
         "refused: over this user's /proc/sys/fs/pipe-user-pages-soft");
  else if (facts.resize_error != 0)
    note(effective, requested, "pipe_size",
         fmt::format("F_SETPIPE_SZ: {}", std::strerror(facts.resize_error)));
}

// The pipe that tee duplicates is smaller than requested.
void judge_call_size(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const uint64_t bytes = facts.writer ? facts.writer->call_bytes : 0;
  if (bytes == 0 || bytes >= effective.settings.pipe.buf_size) return;
  effective.settings.pipe.buf_size = bytes;
  note(effective, requested, "buf_size",
       "tee duplicates a pipe, which cannot be larger: over /proc/sys/fs/pipe-max-size or this "
       "user's pipe-user-pages-soft");
}

// In slow motion buf_size is not what is requested per call.
void judge_slow_motion(const Settings& requested, const EffectiveFacts& facts,
                       Effective& effective) {
  PipeSettings& s = effective.settings.pipe;
  if (!s.slow_motion) return;
  const uint64_t bytes = slow_bytes(facts.pipe_bytes, s.buf_size);
  if (bytes == s.buf_size) return;
  s.buf_size = bytes;
  note(effective, requested, "buf_size", "slow motion moves a sixteenth of the ring per call");
}

// A pinned worker on another CPU was moved from outside.
void judge_cpus(const EffectiveFacts& facts, Effective& effective) {
  std::string asked, seen;
  for (const Role role : {Role::writer, Role::reader}) {
    int& cpu = role == Role::writer ? effective.settings.pipe.writer_cpu
                                    : effective.settings.pipe.reader_cpu;
    const std::optional<int> run_on = facts.run_on[static_cast<size_t>(role)];
    if (cpu == kNoCpu || !run_on || *run_on == cpu) continue;
    const char* comma = asked.empty() ? "" : ", ";
    asked += fmt::format("{}{} on CPU {}", comma, to_text(role), cpu);
    seen += fmt::format("{}{} on CPU {}", comma, to_text(role), *run_on);
    cpu = *run_on;
  }
  if (asked.empty()) return;
  note(effective, {"placement", asked, seen,
                   "moved from outside, by taskset or a cpuset; the next change pins it again"});
}

// A torn sample may misread a slot.
constexpr double kSomeCopies = 0.01;

double share_of(const EffectiveFacts& facts, SlotKind kind) {
  return facts.kinds.has_value() ? (*facts.kinds)[static_cast<size_t>(kind)] : 0;
}

// What shows that a technique lends pages.
struct Lending {
  SlotKind kind;
  const char* seen;    // description of the pages
  const char* copier;  // what makes the copies, if there are any
};

Lending lending_of(WriteWith technique) {
  switch (technique) {
    case WriteWith::splice:
      return {SlotKind::page_cache, "pages of the page cache",
              "splice from a file (copy_splice_read)"};
    case WriteWith::tee:
      return {SlotKind::user_page, "the writer's own pages", "vmsplice, which fills tee's source,"};
    default:
      return {SlotKind::user_page, "the writer's own pages", "vmsplice"};
  }
}

// Untouched pages of a file are neither its own pages nor copies.
bool untouched(const EffectiveFacts& facts, WriteWith technique) {
  return technique == WriteWith::splice && share_of(facts, SlotKind::zero_page) > 0;
}

void judge_lending(const EffectiveFacts& facts, Effective& effective) {
  const WriteWith technique = effective.settings.pipe.write_with;
  const Lending lending = lending_of(technique);
  const double copies = share_of(facts, SlotKind::copy);
  if (copies > kSomeCopies) {
    effective.pipe.zero_copy = ZeroCopy::copied;
    effective.pipe.zero_copy_reason =
        fmt::format("{:.0f} % of the slots seen hold copies: this kernel's {} copies", 100 * copies,
                    lending.copier);
  } else if (share_of(facts, lending.kind) > 0 || untouched(facts, technique)) {
    effective.pipe.zero_copy = ZeroCopy::zero_copy;
    effective.pipe.zero_copy_reason =
        fmt::format("{} were seen in the ring", untouched(facts, technique)
                                                    ? "the kernel's zero page, for untouched pages,"
                                                    : lending.seen);
  } else {
    const auto& probe = technique == WriteWith::splice ? facts.file_probe : facts.probe;
    effective.pipe.zero_copy = probe.result;
    effective.pipe.zero_copy_reason = probe.reason;
  }
}

void judge_zero_copy(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const bool lends = lends_pages(effective.settings.pipe.write_with);
  if (lends) {
    judge_lending(facts, effective);
  } else {
    effective.pipe.zero_copy = ZeroCopy::copied;
    effective.pipe.zero_copy_reason = "write copies the bytes into kernel pages";
  }
  if (lends && effective.pipe.zero_copy == ZeroCopy::copied)
    note(effective, {"write_with", text_of("write_with", requested),
                     fmt::format("{}, but copied", to_text(effective.settings.pipe.write_with)),
                     effective.pipe.zero_copy_reason});
  effective.pipe.zero_copy_reason += effective.settings.pipe.read_with == ReadWith::read
                                         ? "; read then copies the bytes out"
                                         : "; splice to /dev/null copies nothing";
}

}  // namespace

Effective make_effective(const Settings& requested, const PipePlan& plan,
                         const EffectiveFacts& facts) {
  Effective effective;
  effective.settings = plan.settings;
  effective.mismatches = plan.mismatches;
  effective.settled = facts.settled;
  effective.pipe.bytes = facts.pipe_bytes;
  effective.pipe.huge = facts.huge;
  judge_pages(requested, facts, effective);
  judge_lock(requested, facts, effective);
  judge_pipe_size(requested, facts, effective);
  judge_call_size(requested, facts, effective);
  judge_slow_motion(requested, facts, effective);
  judge_cpus(facts, effective);
  judge_zero_copy(requested, facts, effective);
  return effective;
}

}  // namespace pipetop

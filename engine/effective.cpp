#include "engine/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/knobs.h"
#include "engine/text.h"

namespace pipetop {
namespace {

std::string text_of(std::string_view name, const Settings& settings) {
  return knob(name).get(settings);
}

// One mismatch a knob: what came to light last is nearer the truth.
void note(Effective& effective, const Settings& requested, std::string_view name,
          std::string reason) {
  std::erase_if(effective.mismatches, [&](const Mismatch& m) { return m.knob == name; });
  effective.mismatches.push_back({std::string(name), text_of(name, requested),
                                  text_of(name, effective.settings), std::move(reason)});
}

Pages granted_pages(const EffectiveFacts& facts, Pages planned) {
  Pages pages = planned;
  for (const auto& report : {facts.writer, facts.reader}) {
    if (report && report->buffer_address[0] != 0)
      pages = std::min(pages, static_cast<Pages>(report->pages));
  }
  return pages;
}

template <class Field>
uint64_t first_error(const EffectiveFacts& facts, Field WorkerReport::*field) {
  for (const auto& report : {facts.writer, facts.reader})
    if (report && (*report).*field != 0) return (*report).*field;
  return 0;
}

std::string words(uint64_t error) { return std::strerror(static_cast<int>(error)); }

void judge_pages(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  Settings& s = effective.settings;
  const Pages planned = s.pages;
  s.pages = granted_pages(facts, planned);
  if (s.pages != planned) {
    const uint64_t error = first_error(facts, &WorkerReport::pages_error);
    note(effective, requested, "pages",
         planned == Pages::hugetlb
             ? "not enough free huge pages; echo 16 > /proc/sys/vm/nr_hugepages"
             : fmt::format("madvise: {}", words(error)));
  }
  if (s.pages != Pages::k4 && facts.huge.has_value() && !*facts.huge) {
    s.pages = Pages::k4;
    note(effective, requested, "pages", "the kernel had no free huge page to give");
  }
}

void judge_lock(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const uint64_t error = first_error(facts, &WorkerReport::lock_error);
  if (!effective.settings.lock_memory || error == 0) return;
  effective.settings.lock_memory = false;
  note(effective, requested, "lock_memory",
       fmt::format("mlock: {}; raise the limit with ulimit -l", words(error)));
}

void judge_pipe_size(const Settings& requested, const EffectiveFacts& facts, Effective& effective) {
  const uint64_t planned = effective.settings.pipe_size;
  effective.settings.pipe_size = facts.pipe_bytes;
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

void judge_zero_copy(const EffectiveFacts& facts, Effective& effective) {
  if (effective.settings.write_with != WriteWith::vmsplice) {
    effective.zero_copy = ZeroCopy::copied;
    effective.zero_copy_reason = "write copies the bytes into pages of the kernel's";
    return;
  }
  effective.zero_copy = facts.probe;
  effective.zero_copy_reason = facts.probe_reason;
}

}  // namespace

Effective make_effective(const Settings& requested, const Plan& plan, const EffectiveFacts& facts) {
  Effective effective;
  effective.settings = plan.settings;
  effective.mismatches = plan.mismatches;
  effective.settled = facts.settled;
  effective.pipe_bytes = facts.pipe_bytes;
  effective.huge = facts.huge;
  judge_pages(requested, facts, effective);
  judge_lock(requested, facts, effective);
  judge_pipe_size(requested, facts, effective);
  judge_zero_copy(facts, effective);
  return effective;
}

}  // namespace pipetop

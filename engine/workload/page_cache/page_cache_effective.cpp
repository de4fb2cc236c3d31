#include "engine/workload/page_cache/page_cache_effective.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pipetop {
namespace {

// A torn sample may misread a slot.
constexpr double kAllPages = 0.99;
constexpr double kSomeCopies = 0.01;

void judge_chunk(const Settings& requested, const PageCacheFacts& facts, Effective& effective) {
  PageCacheSettings& s = effective.settings.page_cache;
  if (facts.resize_error == 0) return;
  s.chunk_size = std::min(s.chunk_size, facts.chunk_bytes);
  s.gang_size = std::min(s.gang_size, static_cast<uint32_t>(s.chunk_size / kPageBytes));
  const std::string reason =
      facts.resize_error == EPERM
          ? "the pipe cannot be larger: over /proc/sys/fs/pipe-max-size, or this user's "
            "/proc/sys/fs/pipe-user-pages-soft"
          : fmt::format("F_SETPIPE_SZ: {}", std::strerror(facts.resize_error));
  for (const std::string_view name : {"chunk_size", "gang_size"})
    note_difference(name, requested, effective.settings, reason, effective.mismatches);
}

void judge_zero_copy(const PageCacheFacts& facts, Effective& effective) {
  const auto share = [&](SlotKind kind) {
    return facts.kinds.has_value() ? (*facts.kinds)[static_cast<size_t>(kind)] : 0;
  };
  if (share(SlotKind::page_cache) >= kAllPages) {
    effective.pipe.zero_copy = ZeroCopy::zero_copy;
    effective.pipe.zero_copy_reason = "the file's own pages were seen in the ring";
  } else if (const double copies = share(SlotKind::copy); copies > kSomeCopies) {
    effective.pipe.zero_copy = ZeroCopy::copied;
    effective.pipe.zero_copy_reason = fmt::format(
        "{:.0f} % of the slots seen hold copies: this kernel's splice read copies "
        "(copy_splice_read)",
        100 * copies);
  } else {
    effective.pipe.zero_copy = facts.probe.result;
    effective.pipe.zero_copy_reason = facts.probe.reason;
  }
}

// For one client, shared and own files are the same.
PageCacheSettings alone(const Settings& s) {
  PageCacheSettings one = s.page_cache;
  one.clients = 1;
  one.files = Files::same;
  return one;
}

bool was_alone(const Segment& segment, const Settings& in_force) {
  return segment.effective.page_cache.clients == 1 && segment.rate.has_value() &&
         segment.rate->mean > 0 && alone(segment.effective) == alone(in_force);
}

}  // namespace

Effective make_page_cache_effective(const Settings& requested, const PageCachePlan& plan,
                                    const PageCacheFacts& facts) {
  Effective effective;
  effective.settings = plan.settings;
  effective.mismatches = plan.mismatches;
  effective.settled = facts.settled;
  effective.preparing = facts.preparing;
  effective.pipe.bytes = facts.pipe_bytes;
  effective.pipe.huge = Reading<bool>::unavailable("no buffers: the pages belong to the file");
  judge_chunk(requested, facts, effective);
  judge_zero_copy(facts, effective);
  return effective;
}

Reading<double> efficiency_of(const Throughput& t, const Settings& in_force) {
  const auto one = std::find_if(t.segments.rbegin(), t.segments.rend(),
                                [&](const auto& segment) { return was_alone(*segment, in_force); });
  if (one == t.segments.rend()) return Reading<double>::warming("run with 1 client first");
  if (!t.current.rate.has_value()) return Reading<double>::warming(t.current.rate.reason);
  const double all = (*one)->rate->mean * in_force.page_cache.clients;
  return Reading<double>::of(t.current.rate->mean / all);
}

}  // namespace pipetop

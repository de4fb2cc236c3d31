#include "engine/workload/workload.h"

#include <fmt/core.h>

#include "engine/base/clock.h"
#include "engine/base/system_files.h"

namespace pipetop {
namespace {

// A torn sample may misread a slot.
constexpr double kSomeCopies = 0.01;

}  // namespace

std::vector<PartProgress> parts_of(std::span<const Worker* const> workers, std::string_view name,
                                   uint64_t (*clock_ns)(const WorkerCounts&)) {
  std::vector<PartProgress> parts;
  for (const Worker* worker : workers) {
    const WorkerCounts counts = worker->counts();
    parts.push_back({fmt::format("{} {}", name, parts.size() + 1),
                     worker->pid(),
                     {counts.items, clock_ns ? clock_ns(counts) : monotonic_ns()}});
  }
  return parts;
}

Mismatch mismatch_of(std::span<const Knob> knobs, std::string_view name, const Settings& requested,
                     const Settings& effective, std::string reason) {
  const Knob& knob = *find_knob(knobs, name);
  return {std::string(name), knob.get(requested), knob.get(effective), std::move(reason)};
}

uint64_t available_memory_bytes() {
  return 1024 * keyed_number(read_head("/proc/meminfo"), "MemAvailable").value_or(0);
}

void judge_lending(const Lending& lending, const Seen& seen, const ZeroCopyProbe& probe,
                   EffectivePipe& pipe) {
  const auto share_of = [&](SlotKind kind) {
    return seen.kinds.has_value() ? (*seen.kinds)[static_cast<size_t>(kind)] : 0;
  };
  // Untouched pages of a file are neither its own pages nor copies.
  const bool untouched = lending.kind == SlotKind::page_cache && share_of(SlotKind::zero_page) > 0;
  if (const double copies = share_of(SlotKind::copy); copies > kSomeCopies) {
    pipe.zero_copy = ZeroCopy::copied;
    pipe.zero_copy_reason =
        fmt::format("{:.0f} % of the slots seen hold copies: this kernel's {} copies", 100 * copies,
                    lending.copier);
  } else if (share_of(lending.kind) > 0 || untouched) {
    pipe.zero_copy = ZeroCopy::zero_copy;
    pipe.zero_copy_reason =
        fmt::format("{} were seen in the ring",
                    untouched ? "the kernel's zero page, for untouched pages," : lending.seen);
  } else {
    pipe.zero_copy = probe.result;
    pipe.zero_copy_reason = probe.reason;
  }
}

}  // namespace pipetop

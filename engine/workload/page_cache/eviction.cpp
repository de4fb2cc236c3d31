#include "engine/workload/page_cache/eviction.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/host/host_files.h"

namespace pipetop {
namespace {

// A client that has just started may have read pages of its own program.
constexpr double kWorthSaying = 0.005;

}  // namespace

uint64_t DiskReads::since_last(std::span<const pid_t> pids) {
  std::map<pid_t, uint64_t> now;
  uint64_t bytes = 0;
  for (const pid_t pid : pids) {
    const uint64_t read = meminfo_value(read_head(fmt::format("/proc/{}/io", pid)), "read_bytes");
    now[pid] = read;
    const auto before = last_.find(pid);
    if (before != last_.end() && read > before->second) bytes += read - before->second;
  }
  last_ = std::move(now);
  return bytes;
}

void Eviction::restart(uint64_t file_bytes) {
  file_bytes_ = file_bytes;
  evicted_ = false;
}

std::optional<double> Eviction::add(const Reading<double>& cached, uint64_t reread) {
  double share = std::min(1.0, static_cast<double>(reread) / static_cast<double>(file_bytes_));
  if (cached.has_value()) share = std::max(share, 1 - *cached);
  const bool before = evicted_;
  evicted_ = share >= kWorthSaying;
  if (!evicted_ || before) return {};
  return share;
}

std::string eviction_text(double share) {
  const std::string percent = share < 0.01 ? "less than 1" : fmt::format("{:.0f}", 100 * share);
  return percent + " % of the file was evicted: it is read from disk again";
}

}  // namespace pipetop

#include "engine/meter/part_rates.h"

namespace pipetop {
namespace {

constexpr uint64_t kPartInterval = 250'000'000;
constexpr uint64_t kPartWindow = 1'000'000'000;

}  // namespace

void PartRates::sample(uint64_t now_ns, std::span<const PartProgress> parts) {
  if (now_ns < sampled_at_ns_ + kPartInterval && !samples_.empty()) return;
  sampled_at_ns_ = now_ns;
  for (const PartProgress& part : parts) {
    auto& samples = samples_[part.name];
    // It was restarted under the same name.
    if (!samples.empty() && part.progress.items < samples.back().progress.items) samples.clear();
    samples.push_back({now_ns, part.progress});
    while (samples.size() > 2 && samples[1].at_ns + kPartWindow <= now_ns) samples.pop_front();
  }
}

Reading<double> PartRates::rate(const std::deque<Sample>& samples) const {
  const Progress &first = samples.front().progress, &last = samples.back().progress;
  if (last.clock_ns <= first.clock_ns) return Reading<double>::warming("no interval measured yet");
  const double seconds = double(last.clock_ns - first.clock_ns) / 1e9;
  return Reading<double>::of(double(last.items - first.items) / unit_ / seconds);
}

std::vector<PartView> PartRates::describe(std::span<const PartProgress> parts) const {
  std::vector<PartView> views;
  for (const PartProgress& part : parts) {
    PartView view;
    view.name = part.name;
    view.pid = part.pid;
    view.total = part.progress.items;
    view.cpu = Reading<int>::warming("not sampled yet");
    view.rate = Reading<double>::warming("no interval measured yet");
    if (const auto found = samples_.find(part.name); found != samples_.end())
      view.rate = rate(found->second);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace pipetop

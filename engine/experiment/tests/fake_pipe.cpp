#include "engine/experiment/tests/fake_pipe.h"

#include <cmath>

#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// Falls off on both sides of the best, by a share for each doubling.
double hill(uint64_t bytes, uint64_t best_bytes, double share) {
  return std::pow(1 - share, std::abs(std::log2(double(bytes) / double(best_bytes))));
}

}  // namespace

Measured FakePipe::measure(const Settings& settings, const TrialLength& length) {
  asked.push_back(settings);
  now_ns += settling_ns + length.warmup_ns + length.duration_ns;
  const double scatter = noise * std::sqrt(1e8 / double(length.duration_ns));
  double rate = truth(settings) * drift(seconds());
  rate *= std::exp(std::normal_distribution<double>(0, 1)(random) * scatter);
  if (std::uniform_real_distribution<double>()(random) < spoiled) rate /= 2;
  return {Reading<double>::of(rate), {}};
}

RaceHooks FakePipe::hooks(GoOn go_on) {
  return {[this](const Settings& s, const TrialLength& l) { return measure(s, l); },
          [this] { return now_ns; },
          std::move(go_on),
          {}};
}

double usual_truth(const Settings& s) {
  const bool lends = s.pipe.write_with == WriteWith::vmsplice;
  double rate = lends ? (s.pipe.read_with == ReadWith::splice ? 100 : 12) : 3;
  rate *= s.pipe.pages == Pages::k4 ? 0.5 : 1;
  const bool alone = s.pipe.placement == Placement::same_cpu;
  if (is_busy(s.pipe.writer_wait))
    rate *= alone ? 0.002 : s.pipe.writer_wait == Wait::busy ? 1 : 0.95;
  else
    rate *= alone ? 0.8 : 0.3;
  rate *= s.pipe.placement == Placement::unpinned ? 0.9 : 1;
  rate *= s.pipe.buffers == Buffers::separate ? 1 : 0.97;
  rate *= hill(s.pipe.pipe_size, (alone ? 4 : 1) * 512 * 1024, 0.15);
  return rate * hill(s.pipe.buf_size, 2 * s.pipe.pipe_size, 0.06);
}

TuneSpace fake_space(uint64_t pipe_max_bytes, std::function<void(Settings&)> fixed) {
  TuneSpaceOptions options;
  options.fixed = std::move(fixed);
  options.machine.pipe_max_bytes = pipe_max_bytes;
  options.machine.cpus = {{0, 0, 0}, {1, 1, 0}};
  return TuneSpace(std::move(options));
}

Settings fake_reference(const TuneSpace& space) {
  return space.as_planned(space.searched_knobs_of(article_presets().back().settings));
}

Settings with(Settings settings, std::string_view name, std::string_view value) {
  knob(name).set(settings, value);
  return settings;
}

}  // namespace pipetop

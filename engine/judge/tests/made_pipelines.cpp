#include "engine/judge/tests/made_pipelines.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pipetop {
namespace {

constexpr double kAlways = 0.97, kHardlyEver = 0.02;
constexpr uint64_t kMadeCapacity = 65536;
constexpr uint32_t kMadeSlots = 16;

StageEnd made_end(const Pipeline& pipeline, size_t stage, Access access, int fd) {
  StageEnd end;
  end.end = {pipeline.stages[stage].id, fd, access, false};
  end.stage = stage;
  return end;
}

// The next descriptor of a stage for its reads or writes.
int next_fd(const Pipeline& pipeline, size_t stage, Access access) {
  int others = 0;
  bool first = true;
  for (const Pipe& pipe : pipeline.pipes) {
    for (const auto* ends : {&pipe.writers, &pipe.readers}) {
      for (const StageEnd& end : *ends) {
        if (end.stage != stage) continue;
        if (end.end.access == access) first = false;
        others += end.end.fd > 2;
      }
    }
  }
  return first ? (access == Access::read ? 0 : 1) : 3 + others;
}

void set_bytes_per_s(Pipeline& pipeline, double bytes_per_s) {
  for (Pipe& pipe : pipeline.pipes) pipe.bytes_per_s = Reading<double>::of(bytes_per_s);
}

}  // namespace

Pipeline made_pipeline(const std::vector<std::string>& names, const std::vector<MadePipe>& pipes) {
  Pipeline pipeline;
  pipeline.window_ns = 5'000'000'000;
  for (size_t i = 0; i < names.size(); ++i) {
    Stage stage;
    stage.id = {pid_t(4001 + i), 1'000'000 + i};
    stage.name = stage.command = names[i];
    stage.age_ns = 75'000'000'000;
    stage.cpus = {0, 1};
    pipeline.stages.push_back(stage);
  }
  for (size_t i = 0; i < names.size(); ++i)
    spend(pipeline, i, {.cpu = 0.5, .on_cpu = 0.5}, WaitsFor::other);
  for (const MadePipe& made : pipes) {
    Pipe pipe;
    pipe.id = {14, 80'001 + pipeline.pipes.size()};
    pipe.first_seen_ns = kMadeNow_ns - 60'000'000'000;
    pipe.capacity = kMadeCapacity;
    pipe.kernel_writers = uint32_t(made.writers.size());
    pipe.kernel_readers = uint32_t(made.readers.size());
    pipe.total_bytes = 12'000'000'000;
    set_ring(pipe, 0.5, 0.05, 0.05);
    for (const size_t writer : made.writers)
      pipe.writers.push_back(
          made_end(pipeline, writer, Access::write, next_fd(pipeline, writer, Access::write)));
    for (const size_t reader : made.readers)
      pipe.readers.push_back(
          made_end(pipeline, reader, Access::read, next_fd(pipeline, reader, Access::read)));
    pipeline.pipes.push_back(std::move(pipe));
  }
  set_bytes_per_s(pipeline, 200e6);
  return pipeline;
}

Pipeline made_chain(const std::vector<std::string>& names) {
  std::vector<MadePipe> pipes;
  for (size_t i = 0; i + 1 < names.size(); ++i) pipes.push_back({{i}, {i + 1}});
  return made_pipeline(names, pipes);
}

void set_ring(Pipe& pipe, double mean, double empty, double full) {
  pipe.level = Reading<RingLevel>::of({mean, empty, full, 480});
  RingCounts ring;
  ring.slots = kMadeSlots;
  ring.tail = 1000;
  ring.head = ring.tail + uint32_t(mean * kMadeSlots + 0.5);
  ring.queued_bytes = ring.used() * uint64_t(4096);
  ring.past_slots = kMadeSlots;
  ring.past_bytes = kMadeCapacity;
  pipe.ring = ring;
  pipe.queued = ring.queued_bytes;
}

void spend(Pipeline& pipeline, size_t stage, const StageShares& shares, WaitsFor rest) {
  Stage& view = pipeline.stages[stage];
  StageShares all = shares;
  const double named = all.on_cpu + all.runnable + all.reading + all.writing +
                       std::accumulate(all.elsewhere.begin(), all.elsewhere.end(), 0.0);
  all.elsewhere[size_t(rest)] += std::max(0.0, 1 - named);
  all.cpu = std::max(all.cpu, all.on_cpu);
  view.shares = Reading<StageShares>::of(all);
  view.cpu = Reading<double>::of(all.cpu);
  view.cpu_ns = uint64_t(all.cpu * double(view.age_ns));
  // At the moment it does what it does most.
  view.state = {};
  const auto most = std::max_element(all.elsewhere.begin(), all.elsewhere.end());
  const double waiting = std::max({all.reading, all.writing, *most});
  if (all.on_cpu >= std::max(waiting, all.runnable))
    view.state.kind = StageState::Kind::running, view.state.wait = WaitsFor::none;
  else if (all.runnable >= waiting)
    view.state.kind = StageState::Kind::runnable, view.state.wait = WaitsFor::none;
  else if (*most == waiting)
    view.state.wait = static_cast<WaitsFor>(most - all.elsewhere.begin());
  else
    view.state.wait = all.writing == waiting ? WaitsFor::pipe_write : WaitsFor::pipe_read;
}

void limit_by(Pipeline& pipeline, size_t stage, WaitsFor its_wait) {
  StageShares own;
  if (its_wait == WaitsFor::none) own.cpu = own.on_cpu = kAlways;
  own.reading = own.writing = kHardlyEver / 2;
  spend(pipeline, stage, own, its_wait == WaitsFor::none ? WaitsFor::other : its_wait);

  std::vector<bool> reached(pipeline.stages.size());
  std::vector<size_t> next = {stage};
  reached[stage] = true;
  // Outwards from it: whoever shares a pipe with a stage that was reached waits in that pipe.
  const auto reach = [&](const Pipe& pipe, const StageEnd& end, bool writing) {
    if (reached[end.stage]) return;
    reached[end.stage] = true;
    next.push_back(end.stage);
    StageShares shares{.cpu = kHardlyEver, .on_cpu = kHardlyEver};
    (writing ? shares.writing : shares.reading) = kAlways;
    spend(pipeline, end.stage, shares, WaitsFor::other);
    pipeline.stages[end.stage].state.pipe = pipe.id;
  };
  for (size_t i = 0; i < next.size(); ++i) {
    for (Pipe& pipe : pipeline.pipes) {
      const auto is_its = [&](const StageEnd& end) { return end.stage == next[i]; };
      const bool writes = std::ranges::any_of(pipe.writers, is_its);
      const bool reads = std::ranges::any_of(pipe.readers, is_its);
      const auto is_new = [&](const StageEnd& end) { return !reached[end.stage]; };
      if (reads && std::ranges::any_of(pipe.writers, is_new)) set_ring(pipe, 0.99, 0, kAlways);
      if (writes && std::ranges::any_of(pipe.readers, is_new)) set_ring(pipe, 0.01, kAlways, 0);
      if (reads)
        for (const StageEnd& end : pipe.writers) reach(pipe, end, true);
      if (writes)
        for (const StageEnd& end : pipe.readers) reach(pipe, end, false);
    }
  }
}

void stand_still(Pipeline& pipeline) { set_bytes_per_s(pipeline, 0); }

void exit_stage(Pipeline& pipeline, size_t stage) {
  pipeline.stages[stage].gone = true;
  for (Pipe& pipe : pipeline.pipes) {
    const auto is_its = [&](const StageEnd& end) { return end.stage == stage; };
    if (std::erase_if(pipe.writers, is_its) > 0)
      pipe.kernel_writers = uint32_t(pipe.writers.size());
    if (std::erase_if(pipe.readers, is_its) > 0)
      pipe.kernel_readers = uint32_t(pipe.readers.size());
  }
}

void hide_stage(Pipeline& pipeline, size_t stage) {
  const std::string reason = "it belongs to another user; use sudo";
  pipeline.stages[stage].shares = Reading<StageShares>::unavailable(reason);
  pipeline.stages[stage].cpu = Reading<double>::unavailable(reason);
  pipeline.stages[stage].cpu_ns.reset();
}

void add_noise(Pipeline& pipeline, double spread, std::mt19937& random) {
  std::uniform_real_distribution<double> by(-spread, spread);
  const auto move = [&](double& share) {
    if (share > 0) share = std::clamp(share + by(random), 0.0, 1.0);
  };
  for (Stage& stage : pipeline.stages) {
    if (!stage.shares.has_value()) continue;
    StageShares& s = *stage.shares.value;
    double sum = 0;
    const auto each = [&](auto change) {
      for (double* share : {&s.on_cpu, &s.runnable, &s.reading, &s.writing}) change(*share);
      for (double& share : s.elsewhere) change(share);
    };
    each(move);
    each([&](double& share) { sum += share; });
    if (sum > 0) each([&](double& share) { share /= sum; });
  }
  for (Pipe& pipe : pipeline.pipes) {
    if (!pipe.level.has_value()) continue;
    RingLevel& s = *pipe.level.value;
    for (double* share : {&s.mean_share, &s.empty_share, &s.full_share}) move(*share);
    s.full_share = std::min(s.full_share, 1 - s.empty_share);
  }
}

}  // namespace pipetop

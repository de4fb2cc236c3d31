#include "engine/observe/observers.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/observe/refusals.h"

namespace pipetop {

using namespace observe;

namespace {

// For this long after ring_frame() we probably still run, and displace one of the
// two processes: drawing, and draining samples.
constexpr uint64_t kOurTurn_ns = 5'000'000;
constexpr uint64_t kTickOverdue_ns = 500'000'000;
// From one close look at the ring to the next: to begin and to end one, the kernel interrupts every
// CPU several times.
constexpr uint64_t kSampleInterval_ns = 600'000'000;

constexpr const char* kNoPipe = "there is no pipe";
constexpr const char* kSeveral = "context switches are tracked for one process per role";

// Makes a part, or keeps the reason why there is none.
template <class Make>
auto try_make(std::string& reason, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const Error& refused) {
    reason = refused.what();
    return nullptr;
  }
}

}  // namespace

Observers::Observers(const ObserverOptions& options)
    : has_pipe_(options.pipe_fd >= 0),
      window_ns_(options.functions_window_ns),
      fallback_(options.pipe_fd),
      roles_{WatchedRole(options.functions_window_ns), WatchedRole(options.functions_window_ns)} {
  if (options.bpf == BpfUse::off) {
    no_sampler_ = no_sched_ = no_ring_ = kBpfSwitchedOff;
    return;
  }
  // The kernel takes 40 ms to write its symbols; in parallel programs are
  // verified and, once we return, workers started. Later, if no thread can be made.
  reading_symbols_ =
      std::async(std::launch::async | std::launch::deferred, Symbols::of_this_kernel);
  control_.emplace(options.frequency_hz);
  no_ring_ = kNoPipe;
  if (has_pipe_) ring_ = try_make(no_ring_, [&] { return make_ring_reader(options.pipe_fd); });
  const int copies_fd = ring_ ? ring_->copies_fd() : -1;
  sampler_ = try_make(no_sampler_,
                      [&] { return make_sampler(control_->most_hz(), copies_fd, options.whose); });
  const OccupancyMaps maps = sampler_ ? sampler_->occupancy_maps() : OccupancyMaps{};
  sched_ =
      try_make(no_sched_, [&] { return make_sched_reader(maps, kStacksPerSecond, options.whose); });
  if (sampler_ && ring_) sampler_->watch_pipe(ring_->pipe_address());
}

void Observers::watch(Role role, std::span<const pid_t> pids) {
  WatchedRole& watched = role_of(role);
  watched.processes = pids.size();
  if (sampler_) sampler_->watch(role, pids);
  const pid_t first = pids.empty() ? 0 : pids.front();
  if (sched_ && watched.first != first) sched_->watch(role, first);
  watched.first = first;
}

void Observers::run(bool on) {
  running_ = on;
  start_or_stop();
}

void Observers::set(Observing wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  history_.change_source();
  frame_ = {};
  if (ring_) (void)ring_->snapshot_of_tick();  // of the time before
  start_or_stop();
}

void Observers::start_or_stop() {
  if (control_) control_->restart();
  if (sampler_) sampler_->run(active());
  if (sched_) sched_->run(active());
}

void Observers::count(BpfCounters layout) {
  counters_ = layout;
  if (sampler_) sampler_->count(layout);
  if (sched_) sched_->count(layout);
  restarted_ns_ = monotonic_ns();
  occupancy_before_ = occupancy_counts(restarted_ns_);
}

void Observers::poll(uint64_t now_ns) {
  if (!active()) return;
  need_symbols();
  if (sampler_) take_samples(now_ns);
  if (sched_) poll_sched(now_ns);
  if (sampler_) set_rate(now_ns);
  for (WatchedRole& role : roles_) role.counter.expire(now_ns);
  if (!has_pipe_) return;
  if (!samples_ring()) fallback_.poll(now_ns);
  if (history_.due(now_ns)) poll_occupancy(now_ns);
}

// After the samples so far were taken, so that the next ones all stand for as much.
void Observers::set_rate(uint64_t now_ns) {
  const TickRate rate = control_->poll(now_ns, sleeps());
  sampler_->set_rate(rate, control_->stands_for_ns());
}

// Counts the sleeps of both roles, cumulative.
std::optional<uint64_t> Observers::sleeps() {
  if (!sched_) return {};
  for (const Role role : kBothRoles)
    if (const auto times = sched_->times(role); times.has_value())
      role_of(role).sleeps_seen = times->voluntary_switches;
  return roles_[0].sleeps_seen + roles_[1].sleeps_seen;
}

// Closes a column, and takes a close look if the ticks could not see the ring in the next one,
// because both roles run on all CPUs that there are.
void Observers::poll_occupancy(uint64_t now_ns) {
  const OccupancyCounts column = history_.add(now_ns, occupancy_counts(now_ns));
  const bool matters = column.both.ns > OccupancyRecorder::kColumn_ns / 10;
  // By other CPUs' ticks; between slices they stand for less than the time since the last one.
  const double ticked =
      sampler_ ? std::min(1.0, control_->least_hz() * double(control_->stands_for_ns()) / 1e9) : 1;
  const bool seen = double(column.both.sampled.total_ns()) >= double(column.both.ns) * ticked / 2;
  if (!sched_ || !matters || seen || now_ns < sampled_at_ns_ + kSampleInterval_ns) return;
  sampled_at_ns_ = now_ns;
  sched_->look_closely();
}

void Observers::restart(uint64_t now_ns) {
  sampled_at_ns_ = 0;
  for (const Role role : kBothRoles) restart(role, now_ns);
  restarted_ns_ = now_ns;
  occupancy_before_ = occupancy_counts(now_ns);
  restart_kinds(now_ns);
}

void Observers::restart(Role role, uint64_t now_ns) {
  WatchedRole& watched = role_of(role);
  watched.restarted_ns = now_ns;
  if (control_) control_->hurry(now_ns);
  watched.counter.clear();
  if (sampler_) watched.lost_seen = sampler_->lost(role);
  if (sched_) watched.sleeps_before = sched_->sleeps(role).value;
}

void Observers::restart_kinds(uint64_t now_ns) {
  kinds_ = {};
  kinds_since_ns_ = now_ns;
}

Reading<SamplingEvent> Observers::event() const {
  if (off()) return Reading<SamplingEvent>::unavailable(kObserversOff);
  if (!sampler_) return Reading<SamplingEvent>::unavailable(no_sampler_);
  SamplingEvent event = {.name = sampler_->clock()};
  control_->describe(event);
  return Reading<SamplingEvent>::of(std::move(event));
}

Reading<Price> Observers::price_of_programs() const {
  return sched_ && active() ? sched_->price() : Reading<Price>::of({});
}

std::optional<Ticks> Observers::ticks() const {
  return sampler_ && active() ? std::optional(control_->ticks()) : std::nullopt;
}

Reading<FunctionTable> Observers::functions(Role role, Span span) const {
  using Table = Reading<FunctionTable>;
  const WatchedRole& watched = role_of(role);
  if (off()) return Table::unavailable(kObserversOff);
  if (!sampler_) return Table::unavailable(no_sampler_);
  if (!no_symbols_.empty()) return Table::unavailable(no_symbols_);
  if (watched.processes == 0) return Table::warming("there is no process");
  if (watched.counter.samples(span) == 0) return Table::warming("no samples yet");
  return Table::of(watched.counter.table(span));
}

Reading<TaskTimes> Observers::times(Role role) const {
  if (off()) return Reading<TaskTimes>::unavailable(kObserversOff);
  if (!sched_) return Reading<TaskTimes>::unavailable(no_sched_);
  if (role_of(role).processes > 1) return Reading<TaskTimes>::unavailable(kSeveral);
  return sched_->times(role);
}

Reading<BlockedTable> Observers::blocked(Role role) const {
  using Table = Reading<BlockedTable>;
  if (off()) return Table::unavailable(kObserversOff);
  if (!sched_) return Table::unavailable(no_sched_);
  if (!no_symbols_.empty()) return Table::unavailable(no_symbols_);
  const Reading<Sleeps> sleeps = sched_->sleeps(role);
  const std::optional<Sleeps>& before = role_of(role).sleeps_before;
  if (!sleeps.has_value()) return Table::warming(sleeps.reason);
  if (!before) return Table::warming("just started");
  return Table::of(blocked_table(
      *sleeps, *before, [&](size_t place) { return sched_->stack(role, place); }, symbols_));
}

const OccupancyCounts& Observers::occupancy_begin(uint64_t now_ns, Span span) const {
  if (span == Span::segment || window_ns_ == 0 || now_ns < window_ns_) return occupancy_before_;
  const uint64_t from_ns = now_ns - window_ns_;
  const OccupancyCounts* window = from_ns > restarted_ns_ ? history_.counts_at(from_ns) : nullptr;
  return window ? *window : occupancy_before_;
}

Reading<Occupancy> Observers::occupancy(uint64_t now_ns, Span span) const {
  if (!has_pipe_) return Reading<Occupancy>::unavailable(kNoPipe);
  if (off()) return Reading<Occupancy>::unavailable(kObserversOff);
  const OccupancyCounts& begin = occupancy_begin(now_ns, span);
  if (!samples_ring()) return fallback_.reading(begin);
  const SamplingEvent event = *this->event();
  return occupancy_of(sampler_->occupancy(monotonic_ns()).since(begin),
                      fmt::format("switches, {}{}", event.share < 1 ? "ticks" : event.rate(),
                                  counters_ == BpfCounters::shared ? ", shared counters" : ""));
}

Reading<std::array<double, kSlotKinds>> Observers::kinds() const {
  using Kinds = Reading<std::array<double, kSlotKinds>>;
  if (off()) return Kinds::unavailable(kObserversOff);
  if (!ring_) return Kinds::unavailable(no_ring_);
  if (!no_symbols_.empty()) return Kinds::unavailable(no_symbols_);
  return kinds_.shares();
}

Reading<RingFrame> Observers::ring_frame(uint64_t now_ns) {
  if (off()) return Reading<RingFrame>::unavailable(kObserversOff);
  if (!running_) return frame_;
  need_symbols();
  if (!ring_) return Reading<RingFrame>::unavailable(no_ring_);
  try {
    const ring_snapshot* seen = newest_snapshot(now_ns);
    // A late tick may answer after we took a snapshot ourselves.
    if (seen && (!frame_.has_value() || seen->ring.at_ns > frame_->at_ns)) {
      if (seen->ring.at_ns >= kinds_since_ns_) kinds_.add(*seen);
      frame_ = frame_of(*seen);
    }
    return frame_;
  } catch (const Error& lost) {
    no_ring_ = lost.what();
    if (sampler_) sampler_->watch_pipe(0);
    ring_.reset();
    history_.change_source();
    return Reading<RingFrame>::unavailable(no_ring_);
  }
}

void Observers::need_symbols() {
  if (!reading_symbols_.valid()) return;
  symbols_ = reading_symbols_.get();
  symbols_.set_ours(own_code());
  if (symbols_.empty()) no_symbols_ = why_no_addresses(read_circumstances());
  if (ring_) ring_->learn_kinds(symbols_);
}

void Observers::poll_sched(uint64_t now_ns) {
  sched_->poll(now_ns);
  for (const Role role : kBothRoles)
    if (auto& before = role_of(role).sleeps_before; !before) before = sched_->sleeps(role).value;
}

OccupancyCounts Observers::occupancy_counts(uint64_t now_ns) const {
  return samples_ring() ? sampler_->occupancy(now_ns) : fallback_.counts();
}

// Null: none since the last one, wait.
const ring_snapshot* Observers::newest_snapshot(uint64_t now_ns) {
  if (!sampler_) return &ring_->take_snapshot();
  const bool first = tick_due_ns_ == 0;
  const bool overdue = first || now_ns > tick_due_ns_ + kTickOverdue_ns;
  const ring_snapshot* seen = ring_->snapshot_of_tick();
  if (first || seen) request_snapshot(now_ns + kOurTurn_ns);
  return seen || !overdue ? seen : &ring_->take_snapshot();
}

// A tick on the writer's CPU delays the writer, and the ring drains; one on the
// reader's CPU fills it. So CPUs take turns, at random so that a front end that
// draws every other frame does not show one side only.
void Observers::request_snapshot(uint64_t from_ns) {
  tick_due_ns_ = from_ns;
  sampler_->request_copy(from_ns, static_cast<uint32_t>(random_()) % sampler_->cpus());
}

void Observers::take_samples(uint64_t now_ns) {
  sampler_->drain([this](const StackSample& sample) { take(sample); });
  for (const Role role : kBothRoles) {
    WatchedRole& watched = role_of(role);
    const uint64_t lost = sampler_->lost(role);
    watched.counter.add_lost(now_ns, lost - watched.lost_seen);
    watched.lost_seen = lost;
  }
}

void Observers::take(const StackSample& sample) {
  WatchedRole& role = role_of(sample.role);
  if (sample.at_ns < role.restarted_ns) return;
  role.counter.add(sample.at_ns, role.counter.place_of(sample.addresses, symbols_),
                   control_->stands_for_ns());
}

}  // namespace pipetop

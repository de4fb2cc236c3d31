#include "engine/segments.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/judge/change_rules.h"

namespace pipetop {
namespace {

// Nobody reads faster, and it takes a walk over all that was sampled.
constexpr uint64_t kChangeInterval = 1000 * kMs;
// When the first one can be had: its rates need that long.
constexpr uint64_t kFirstChange = 800 * kMs;

constexpr const char* kNeverInForce = "it ended before the change took effect";

std::optional<TaskTimes> times_of(const std::optional<ProcessStats>& stats) {
  return stats ? std::optional(stats->times) : std::nullopt;
}

PriceMeter::When seen_when(std::optional<observe::Ticks> ticks) {
  using When = PriceMeter::When;
  if (!ticks || *ticks == observe::Ticks::steady) return When::neither;
  return *ticks == observe::Ticks::slice ? When::observed : When::unobserved;
}

// Settles the cause for a closed segment: there will be no more samples.
void settle_cause(Reading<Change>& change) {
  if (!change.has_value() || !change->cause.empty()) return;
  change.value->cause = "cause unknown";
  change.value->evidence = "too few samples";
}

}  // namespace

void Segments::begin(uint64_t now_ns, const Progress& progress, const Effective& until_now,
                     const std::string& label, const std::string& key, const Settings& requested) {
  if (meter_.has_segment()) {
    Segment closed = present(now_ns, progress, until_now);
    settle_cause(closed.change);
    log_.add(closed);
    choose_reference(closed, requested);
    remember_rate(closed);
    if (!first_ && is_settled(closed.rate) && !closed.requested.pipe.slow_motion)
      first_ = previous_;
    change_ = Reading<Change>::warming("measuring");
  }
  meter_.begin_segment(now_ns, progress, label, key, requested);
  hold(now_ns);
}

// Slow motion has no rate to compare with. What comes after it with the settings of before it is
// compared with what these were: it says nothing to compare a state with itself.
void Segments::choose_reference(const Segment& closed, const Settings& next) {
  // With its trees, however old the log makes it.
  if (!closed.requested.pipe.slow_motion) previous_ = std::make_shared<const Segment>(closed);
  if (next.pipe.slow_motion || !previous_ || previous_->requested == next) return;
  reference_ = previous_;
}

// Shorter ones scatter more than what is compared.
void Segments::remember_rate(const Segment& closed) {
  constexpr uint64_t kLongEnough = 2000 * kMs;
  constexpr size_t kKept = 20;
  if (closed.requested.pipe.slow_motion || !is_settled(closed.rate) || closed.rate->mean <= 0 ||
      closed.duration_ns < kLongEnough)
    return;
  const double rate = closed.rate->mean;
  const auto same =
      std::ranges::find(rates_, closed.requested, [](const auto& r) { return r.first; });
  if (same == rates_.end()) {
    rates_.emplace_back(closed.requested, rate);
    if (rates_.size() > kKept) rates_.pop_front();
    return;
  }
  repeats_.push_back(std::log(rate / std::exchange(same->second, rate)));
  if (repeats_.size() > kKept) repeats_.pop_front();
}

// Twice the root mean square.
double Segments::repeats() const {
  if (repeats_.empty()) return 0;
  double squares = 0;
  for (const double log : repeats_) squares += log * log;
  return 2 * std::sqrt(squares / double(repeats_.size()));
}

void Segments::hold(uint64_t now_ns) {
  counting_ = false;
  noise_.clear();
  cpu_times_ = read_cpu_times();
  price_.clear();
  for (ShareMeter& times : times_) times.clear();
  for (const Role role : kBothRoles) counts_before_[static_cast<size_t>(role)] = pool_.counts(role);
  observers_.restart(now_ns);
}

void Segments::count(uint64_t now_ns) {
  meter_.settled(now_ns);
  hold(now_ns);
  counting_ = true;
  change_due_ns_ = now_ns + kFirstChange;
  for (const Role role : kBothRoles) replaced(role, now_ns);
}

void Segments::count_at_once(uint64_t now_ns, const Progress& progress) {
  count(now_ns);
  meter_.count_at_once(now_ns, progress);
}

void Segments::add(uint64_t now_ns, const Progress& progress) {
  meter_.add(now_ns, progress);
  price_.add(progress, counting_ ? seen_when(observers_.ticks()) : PriceMeter::When::neither);
  // A process whose times were unknown at its start is counted from here on.
  for (const Role role : kBothRoles)
    if (times(role).begun_unknown()) replaced(role, now_ns);
}

// Where a segment's shares come from: sched_switch, as in the worker's view, else
// /proc. The two do not agree exactly, so they are never mixed.
std::optional<TaskTimes> Segments::run_times(Role role) const {
  const Reading<TaskTimes> seen = observers_.times(role);
  if (seen.status == ReadingStatus::unavailable)
    return times_of(read_process_stats(pool_.pids(role)));
  return seen.value;
}

void Segments::ended(Role role, uint64_t now_ns, const WorkerMeter::Sample* last) {
  if (observers_.times(role).status != ReadingStatus::unavailable)
    times(role).pause(now_ns, run_times(role));
  else if (last)
    times(role).pause(last->at_ns, times_of(last->process));
}

void Segments::replaced(Role role, uint64_t now_ns) {
  if (counting_ && !pool_.pids(role).empty()) times(role).begin(now_ns, run_times(role));
}

void Segments::suspend(uint64_t now_ns) {
  suspended_at_ns_ = now_ns;
  observers_.run(false);  // a ring that does not move says nothing
  for (const Role role : kBothRoles) times(role).pause(now_ns, run_times(role));
}

void Segments::resume(uint64_t now_ns, const Progress& progress) {
  meter_.skip(suspended_at_ns_, now_ns, progress);
  price_.skip(progress);
  observers_.run(true);
  for (const Role role : kBothRoles) replaced(role, now_ns);
}

Segment Segments::present(uint64_t now_ns, const Progress& progress,
                          const Effective& in_force) const {
  Segment segment = meter_.segment(now_ns, progress);
  segment.effective = in_force.settings;
  segment.pipe_bytes = in_force.pipe.bytes;
  observers_.poll(now_ns);  // or the last samples would count for the next segment
  describe(now_ns, segment);
  segment.change = change_to(segment);
  return segment;
}

Reading<Change> Segments::change_to(const Segment& segment) const {
  if (!previous_) return Reading<Change>::unavailable("it is the first segment");
  if (!reference_ && !segment.requested.pipe.slow_motion)
    return Reading<Change>::unavailable("same settings as at the start");
  const auto& before = reference_ ? reference_ : previous_;
  Reading<Change> change = explain_change(*before, segment, terms_, repeats());
  if (change.has_value() && first_ && first_ != before)
    change.value->since_start = change->after / first_->rate->mean;
  return change;
}

void Segments::compare(uint64_t now_ns, const Progress& progress, const Effective& in_force) {
  if (!previous_ || !counting_ || now_ns < change_due_ns_) return;
  change_due_ns_ = now_ns + kChangeInterval;
  change_ = present(now_ns, progress, in_force).change;
}

// Fills in roles, occupancy and kinds.
void Segments::describe(uint64_t now_ns, Segment& segment) const {
  if (!counting_) {
    const auto unknown = Reading<double>::warming(kNeverInForce);
    segment.roles.fill({{unknown, unknown, unknown},
                        Reading<FunctionTable>::warming(kNeverInForce),
                        Reading<BlockedTable>::warming(kNeverInForce),
                        Reading<RoleTotals>::warming(kNeverInForce)});
    segment.occupancy = Reading<Occupancy>::warming(kNeverInForce);
    segment.kinds = Reading<std::array<double, kSlotKinds>>::warming(kNeverInForce);
    return;
  }
  for (const Role role : kBothRoles) {
    const auto i = static_cast<size_t>(role);
    const std::optional<TaskTimes> times = run_times(role);
    segment.roles[i] = {times_[i].shares(now_ns, times),
                        observers_.functions(role, observe::Span::segment),
                        observers_.blocked(role), totals(role, now_ns, times),
                        static_cast<int>(pool_.of(role).size())};
  }
  segment.noise = noise_;
  segment.steal_share = steal_since(cpu_times_);
  segment.occupancy = observers_.occupancy(now_ns, observe::Span::segment);
  segment.kinds = observers_.kinds();
}

Reading<RoleTotals> Segments::totals(Role role, uint64_t now_ns,
                                     const std::optional<TaskTimes>& times) const {
  const auto i = static_cast<size_t>(role);
  const auto slept = times_[i].sleeps(now_ns, times);
  if (!slept) return Reading<RoleTotals>::warming("too short to measure");
  RoleTotals totals{pool_.counts(role) - counts_before_[i], slept->wall_ns, slept->sleeps, {}};
  if (observers_.times(role).status != ReadingStatus::unavailable) totals.wakeups = slept->wakeups;
  return Reading<RoleTotals>::of(totals);
}

void Segments::describe(SamplingEvent& event) const {
  if (event.share < 1) {
    if (const Reading<Price> measured = price_.price(); measured.has_value())
      event.set_price(measured);
    event.between_ticks = price_.between_ticks(terms_.unit.count);
  }
  const Reading<Price> programs = observers_.price_of_programs();
  if (!event.price.has_value()) return;
  const Price ticks{*event.price, event.price_low, event.price_high};
  event.set_price(programs.has_value() ? Reading<Price>::of(ticks + *programs) : programs);
}

Throughput Segments::throughput(uint64_t now_ns, const Progress& progress) const {
  Throughput view = meter_.view(now_ns, progress);
  log_.describe(view);
  return view;
}

}  // namespace pipetop

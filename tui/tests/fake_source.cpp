#include "tui/tests/fake_source.h"

#include <sys/eventfd.h>

#include "engine/base/clock.h"
#include "engine/judge/change_rules.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/tests/fake_profiles.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kStep_ns = 100'000'000;

constexpr uint64_t kFunctionsInterval_ns = 250'000'000;

double ideal_rate(const Settings& s) {
  if (s.pipe.slow_motion) return 10 * double(kPageBytes) / kGiB;  // ten pages a second
  double rate = 3.7;
  if (lends_pages(s.pipe.write_with)) rate = 12.7;
  if (lends_pages(s.pipe.write_with) && s.pipe.read_with == ReadWith::splice) rate = 32.8;
  if (s.pipe.pages != Pages::k4 && rate > 12) rate *= 1.55;
  if (is_busy(s.pipe.writer_wait) || s.pipe.writer_wait == Wait::adaptive) rate *= 1.22;
  if (s.pipe.payload == Payload::stamped) rate *= 0.6;
  return rate;
}

RateStats stats_of(double mean, uint32_t samples) {
  return {mean, mean, mean * 0.012, mean * 0.97, mean * 1.03, samples, mean * 0.005};
}

// What Observers say while they are off.
void hide_observed(Snapshot& s) {
  const auto hide = [](auto& reading) { reading = reading.unavailable(kObserversOff); };
  for (WorkerReadings& w : s.workers) {
    hide(w.functions);
    hide(w.blocked);
    hide(w.wakeups_per_s);
    w.times_source = "schedstat";
  }
  hide(s.ring.frame);
  hide(s.ring.kinds);
  hide(s.ring.occupancy);
  hide(s.event);
  s.verdict = s.verdict.unavailable("observers are off");
}

// The current segment with what was observed.
Segment observed(const Snapshot& s) {
  Segment segment = s.throughput.current;
  segment.effective = s.effective.settings;
  segment.pipe_bytes = s.effective.pipe.bytes;
  segment.occupancy = s.ring.occupancy;
  segment.kinds = s.ring.kinds;
  for (size_t i = 0; i < kRoles; ++i) {
    const WorkerReadings& w = s.workers[i];
    segment.roles[i] = {w.shares, w.functions, w.blocked};
  }
  return segment;
}

}  // namespace

FakeSource::FakeSource(const Settings& start, FakeMood mood, Clock clock)
    : event_fd_(eventfd(0, EFD_CLOEXEC)), mood_(mood), requested_(start), clock_(clock) {
  start_ns_ = segment_ns_ = now();
  current_.number = 1;
  current_.label = "start";
  current_.requested = start;
  current_.begin_ns = start_ns_;
}

uint64_t FakeSource::now() const {
  constexpr uint64_t kBegin_ns = 3600 * kSecond;
  return (clock_ ? clock_() : kBegin_ns) + invented_ns_;
}

double FakeSource::noise(double spread) {
  return std::normal_distribution<double>(1.0, spread)(random_);
}

void FakeSource::apply(const Settings& requested, const std::string& label,
                       const std::string& key) {
  validate(requested);
  const uint64_t now_ns = now();
  add_history(now_ns);
  segments_.push_back(std::make_shared<const Segment>(segment()));
  const uint32_t number = current_.number + 1;
  current_ = {};
  current_.number = number;
  current_.requested = requested;
  current_.begin_ns = now_ns;
  current_.label = label;
  current_.key = key;
  segment_ns_ = now_ns;
  marks_.push_back({now_ns, key});
  requested_ = requested;
  functions_ns_ = 0;
}

Segment FakeSource::segment() { return observed(tick()); }

void FakeSource::add_history(uint64_t until_ns) {
  uint64_t at = history_.empty() ? start_ns_ : history_.back().at_ns;
  for (at += kStep_ns; at <= until_ns; at += kStep_ns) {
    rate_ += (ideal_rate(requested_) - rate_) * 0.7;
    history_.push_back({at, suspended_ ? 0 : rate_ * noise(0.02)});
  }
  while (history_.size() > 3000) history_.pop_front();
}

void FakeSource::fill_throughput(Throughput& t, uint64_t now_ns) {
  t.total_items = static_cast<uint64_t>(rate_ * static_cast<double>(now_ns - start_ns_) * 1.07);
  add_history(now_ns);
  t.history = history_;
  t.marks = marks_;
  t.current = current_;
  t.segments = segments_;
  if (!segments_.empty()) t.previous = segments_.back();
  t.current.duration_ns = now_ns - segment_ns_;
  if (history_.size() < 3 || mood_ == FakeMood::warming) {
    t.over_100ms.reason = t.over_1s.reason = t.over_10s.reason = "first interval";
    return;
  }
  t.over_100ms = Reading<double>::of(history_.back().rate);
  t.over_1s = Reading<double>::of(rate_ * noise(0.003));
  t.over_10s = Reading<RateStats>::of(stats_of(rate_, 100));
  if (now_ns - segment_ns_ > 1'000'000'000)
    t.current.rate = Reading<RateStats>::of(stats_of(rate_, 50));
}

void FakeSource::fill_worker(WorkerReadings& w, Role role) {
  w.role = role;
  w.name = to_text(role);
  w.technique = {role == Role::writer ? std::string(to_text(requested_.pipe.write_with))
                 : requested_.pipe.read_with == ReadWith::splice ? "splice → /dev/null"
                                                                 : "read",
                 std::string(to_text(wait_of(requested_.pipe, role)))};
  if (role == Role::writer)
    w.technique.insert(w.technique.begin() + 1, std::string(to_text(requested_.pipe.pages)));
  w.pid = role == Role::writer ? 812 : 813;
  w.state = suspended_ ? ProcessState::stopped : ProcessState::flowing;
  const double calls = rate_ * kGiB / (128 * 1024);
  w.syscalls_per_s = Reading<double>::of(calls * noise(0.01));
  w.bytes_per_call = Reading<double>::of(128 * 1024);
  w.eagain_share = Reading<double>::of(is_busy(wait_of(requested_.pipe, role)) ? 0.013 : 0);
  w.counts.eagain = is_busy(wait_of(requested_.pipe, role));
  w.short_share = Reading<double>::of(0);
  const bool busy = is_busy(wait_of(requested_.pipe, role));
  w.shares.on_cpu = Reading<double>::of(busy ? .99 : .83);
  w.context_switches_per_s = Reading<double>::of(1234 * noise(0.1));
  w.page_faults_per_s = Reading<double>::of(0);
  w.last_cpu = Reading<int>::of(role == Role::writer ? 0 : 1);
  if (mood_ == FakeMood::no_bpf) {
    w.functions = Reading<FunctionTable>::unavailable(
        "needs root; sudo pipetop, or see pipetop help privileges");
    w.blocked = Reading<BlockedTable>::unavailable(
        "needs root; sudo pipetop, or see pipetop help privileges");
    return;
  }
  w.shares.blocked = Reading<double>::of(busy ? 0 : .15);
  w.shares.runnable = Reading<double>::of(busy ? .01 : .02);
  w.voluntary_switches_per_s = Reading<double>::of(busy ? 0 : 1200 * noise(0.1));
  w.involuntary_switches_per_s = Reading<double>::of(17 * noise(0.1));
  w.wakeups_per_s = Reading<double>::of(busy ? 0 : 1200 * noise(0.1));
  w.times_source = "sched_switch";
  if (mood_ == FakeMood::warming) return;
  w.functions = Reading<FunctionTable>::of(functions_[static_cast<size_t>(role)]);
  w.blocked = Reading<BlockedTable>::of(blocked_[static_cast<size_t>(role)]);
}

// As rarely as the engine does.
void FakeSource::refresh_functions(uint64_t now_ns) {
  if (functions_ns_ != 0 && now_ns < functions_ns_ + kFunctionsInterval_ns) return;
  functions_ns_ = now_ns;
  for (const Role role : {Role::writer, Role::reader}) {
    const auto i = static_cast<size_t>(role);
    functions_[i] = mood_ == FakeMood::deep ? deep_functions(500, random_)
                                            : fake_functions(requested_, role, random_);
    blocked_[i] =
        fake_blocked(requested_, role, (now_ns - segment_ns_) / 1'000'000'000 + 1, random_);
  }
}

void FakeSource::fill_effective(Effective& e) {
  e.settings = requested_;
  e.settled = true;
  e.pipe.zero_copy =
      requested_.pipe.read_with == ReadWith::splice ? ZeroCopy::zero_copy : ZeroCopy::copied;
  const uint64_t wanted = wanted_pipe_bytes(requested_.pipe);
  e.pipe.zero_copy_reason = e.pipe.zero_copy == ZeroCopy::copied
                                ? "copied: read() copies the bytes out of the ring"
                                : "no byte is copied: pages move from the writer to /dev/null";
  e.pipe.bytes = wanted == kAutoPipeSize ? 65536 : wanted;
  if (requested_.pipe.pages == Pages::hugetlb) {
    e.settings.pipe.pages = Pages::thp;
    e.mismatches.push_back(
        {"pages", "hugetlb", "thp", "no free huge pages; echo 64 > /proc/sys/vm/nr_hugepages"});
  }
  if (requested_.pipe.gift && requested_.pipe.write_with != WriteWith::vmsplice)
    e.mismatches.push_back({"gift", "true", "false", "only vmsplice can give pages away"});
}

void FakeSource::fill_change(Snapshot& s) const {
  const Reading<RateStats>& now = s.throughput.current.rate;
  if (segments_.empty()) {
    s.change = Reading<Change>::unavailable("nothing has changed yet");
  } else if (!now.has_value() || !segments_.back()->rate.has_value()) {
    s.change = Reading<Change>::warming("measuring");
  } else {
    const double before = segments_.back()->rate->mean, first = segments_.front()->rate.has_value()
                                                                    ? segments_.front()->rate->mean
                                                                    : before;
    s.change = Reading<Change>::of({before, now->mean, now->mean / before, now->mean / first,
                                    "the writer no longer copies", "_copy_from_iter 39.1 → 0 %",
                                    "_copy_from_iter"});
  }
}

void FakeSource::fill_verdict(Snapshot& s) const {
  if (mood_ == FakeMood::no_bpf) {
    s.verdict = Reading<Verdict>::unavailable("nobody knows the functions; run as root");
  } else if (s.now_ns - segment_ns_ < 2'000'000'000) {
    s.verdict = Reading<Verdict>::warming("too few samples yet");
  } else if (is_busy(requested_.pipe.writer_wait)) {
    s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins on the pipe mutex 39 %"});
  } else {
    s.verdict = Reading<Verdict>::of(
        {Verdict::Kind::writer, "ring empty 71 %, reader blocked 64 %, writer on CPU 98 %"});
  }
}

void FakeSource::fill_integrity(Snapshot& s) const {
  if (requested_.pipe.payload != Payload::stamped) return;
  if (requested_.pipe.read_with != ReadWith::read) {
    s.integrity =
        Reading<Integrity>::unavailable("unverifiable: nobody reads the bytes; set read_with read");
    return;
  }
  Integrity integrity;
  integrity.verified = 1'234'567;
  integrity.epochs = 1;
  // As if the single buffer were written again too early.
  const bool hazard = requested_.pipe.buffers != Buffers::separate;
  integrity.torn = hazard ? 98'765 : 0;
  integrity.torn_per_s = Reading<double>::of(hazard ? 1234 : 0);
  integrity.misplaced_per_s = Reading<double>::of(0);
  integrity.wrong_share = Reading<double>::of(hazard ? 0.54 : 0);
  s.integrity = Reading<Integrity>::of(integrity);
}

Snapshot FakeSource::tick() {
  Snapshot s;
  s.now_ns = now();
  s.uptime_ns = s.now_ns - start_ns_;
  s.requested = requested_;
  fill_effective(s.effective);
  fill_throughput(s.throughput, s.now_ns);
  fake_ring_.fill(s.ring, requested_, mood_, s.now_ns);
  fill_verdict(s);
  fill_change(s);
  refresh_functions(s.now_ns);
  fill_worker(s.workers[0], Role::writer);
  fill_worker(s.workers[1], Role::reader);
  if (mood_ != FakeMood::no_bpf) s.event = Reading<SamplingEvent>::of({"cpu-clock", 999});
  s.steal_share = Reading<double>::of(0.004);
  fill_integrity(s);
  HostInfo host;
  host.kernel = "6.18.44";
  host.cpu = "AMD EPYC";
  host.cpus = 2;
  s.host = std::make_shared<const HostInfo>(host);
  if (requested_.observers == Observing::off) hide_observed(s);
  if (!segments_.empty())
    s.change = explain_change(*segments_.back(), observed(s), terms_of(requested_));
  return s;
}

}  // namespace pipetop::tui

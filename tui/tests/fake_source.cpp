#include "tui/tests/fake_source.h"

#include <sys/eventfd.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "engine/knobs.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kStep_ns = 100'000'000;

struct Share {
  const char* name;
  double self, children;
};
constexpr Share kWriterShares[] = {
    {"mutex_spin_on_owner", .391, .450},
    {"__do_sys_vmsplice", .107, .107},
    {"gup_fast_fallback", .069, .069},
    {"iov_iter_get_pages2", .052, .121},
    {"__mutex_lock.constprop.0", .049, .5},
    {"add_to_pipe", .041, .046},
    {"mutex_unlock", .039, .039},
    {"entry_SYSCALL_64_after_hwframe", .031, .93},
    {"syscall_return_via_sysret", .029, .029},
    {"do_syscall_64", .025, .88},
    {"[user]", .022, .022},
    {"fdget", .018, .018},
    {"import_iovec", .014, .016},
    {"try_grab_folio_fast", .013, .013},
    {"pipe_lock", .011, .41},
    {"__x64_sys_vmsplice", .009, .84},
    {"clear_bhb_loop", .008, .008},
    {"pipe_unlock", .007, .02},
};
constexpr Share kReaderShares[] = {
    {"__splice_from_pipe", .182, .601},
    {"mutex_spin_on_owner", .157, .157},
    {"page_cache_pipe_buf_release_with_a_very_long_name", .135, .135},
    {"free_unref_folios", .088, .092},
    {"__mutex_lock.constprop.0", .066, .31},
    {"pipe_to_null", .051, .051},
    {"mutex_unlock", .047, .047},
    {"write_null", .030, .030},
    {"do_splice", .026, .82},
    {"[user]", .021, .021},
    {"splice_from_pipe_next", .017, .02},
    {"__x64_sys_splice", .012, .86},
    {"entry_SYSCALL_64_after_hwframe", .011, .95},
    {"rw_verify_area", .006, .006},
};

double ideal_rate(const Settings& s) {
  if (s.slow_motion) return 10 * double(kPageBytes) / kGiB;  // ten pages a second
  double rate = 3.7;
  if (s.write_with == WriteWith::vmsplice) rate = 12.7;
  if (s.write_with == WriteWith::vmsplice && s.read_with == ReadWith::splice) rate = 32.8;
  if (s.pages != Pages::k4 && rate > 12) rate *= 1.55;
  if (is_busy(s.writer_wait)) rate *= 1.22;
  if (s.payload == Payload::stamped) rate *= 0.6;
  return rate;
}

RateStats stats_of(double mean, uint32_t samples) {
  return {mean, mean, mean * 0.012, mean * 0.97, mean * 1.03, samples};
}

FunctionTable table_of(std::span<const Share> shares, uint64_t samples, auto&& noise) {
  FunctionTable table;
  table.samples = samples;
  for (const Share& share : shares) {
    const auto n = [&](double s) {
      return static_cast<uint64_t>(s * noise(0.03) * static_cast<double>(samples));
    };
    table.rows.push_back({share.name, n(share.self), n(share.children)});
  }
  std::ranges::sort(table.rows, std::greater{}, &FunctionRow::self_samples);
  return table;
}

}  // namespace

FakeSource::FakeSource(const Settings& start, FakeMood mood)
    : event_fd_(eventfd(0, EFD_CLOEXEC)), mood_(mood), requested_(start) {
  start_ns_ = segment_ns_ = now();
  current_.label = "start";
  current_.requested = start;
}

uint64_t FakeSource::now() const {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec) +
         skipped_ns_;
}

double FakeSource::noise(double spread) {
  return std::normal_distribution<double>(1.0, spread)(random_);
}

void FakeSource::apply(const Settings& requested, const std::string& label,
                       const std::string& key) {
  validate(requested);
  const uint64_t now_ns = now();
  add_history(now_ns);
  current_.rate = Reading<RateStats>::of(stats_of(rate_, 100));
  previous_ = std::make_shared<const Segment>(current_);
  current_ = {};
  current_.label = label;
  current_.key = key;
  segment_ns_ = now_ns;
  marks_.push_back({now_ns, key});
  requested_ = requested;
}

void FakeSource::add_history(uint64_t until_ns) {
  uint64_t at = history_.empty() ? start_ns_ : history_.back().at_ns;
  for (at += kStep_ns; at <= until_ns; at += kStep_ns) {
    rate_ += (ideal_rate(requested_) - rate_) * 0.7;
    history_.push_back({at, suspended_ ? 0 : rate_ * noise(0.02)});
  }
  if (history_.size() > 3000) history_.erase(history_.begin(), history_.end() - 3000);
}

void FakeSource::fill_throughput(Throughput& t, uint64_t now_ns) {
  t.total_bytes = static_cast<uint64_t>(rate_ * static_cast<double>(now_ns - start_ns_) * 1.07);
  add_history(now_ns);
  t.history = history_;
  t.marks = marks_;
  t.current = current_;
  t.previous = previous_;
  if (history_.size() < 3 || mood_ == FakeMood::warming) {
    t.over_100ms.reason = t.over_1s.reason = t.over_10s.reason = "first interval";
    return;
  }
  t.over_100ms = Reading<double>::of(history_.back().gib_per_s);
  t.over_1s = Reading<double>::of(rate_ * noise(0.003));
  t.over_10s = Reading<RateStats>::of(stats_of(rate_, 100));
  if (now_ns - segment_ns_ > 1'000'000'000)
    t.current.rate = Reading<RateStats>::of(stats_of(rate_, 50));
}

void FakeSource::fill_worker(WorkerView& w, Role role) {
  w.role = role;
  w.pid = role == Role::writer ? 812 : 813;
  w.state = suspended_ ? ProcessState::stopped : ProcessState::flowing;
  const double calls = rate_ * kGiB / (128 * 1024);
  w.syscalls_per_s = Reading<double>::of(calls * noise(0.01));
  w.bytes_per_call = Reading<double>::of(128 * 1024);
  w.eagain_share = Reading<double>::of(is_busy(wait_of(requested_, role)) ? 0.013 : 0);
  w.short_share = Reading<double>::of(0);
  w.on_cpu_share = Reading<double>::of(is_busy(wait_of(requested_, role)) ? 1 : 0.83);
  w.context_switches_per_s = Reading<double>::of(1234 * noise(0.1));
  w.page_faults_per_s = Reading<double>::of(0);
  w.last_cpu = Reading<int>::of(role == Role::writer ? 0 : 1);
  if (mood_ == FakeMood::no_bpf) {
    w.functions = Reading<FunctionTable>::unavailable(
        "perf_event_open: Permission denied; sysctl kernel.perf_event_paranoid=1, or run as root");
    return;
  }
  w.blocked_share = Reading<double>::of(0.15);
  w.runnable_share = Reading<double>::of(0.02);
  if (mood_ == FakeMood::warming) return;
  const auto jitter = [this](double spread) { return noise(spread); };
  const bool writer = role == Role::writer;
  FunctionTable table =
      writer ? table_of(kWriterShares, 2983, jitter) : table_of(kReaderShares, 12991, jitter);
  table.lost = writer ? 0 : 17;
  w.functions = Reading<FunctionTable>::of(std::move(table));
}

void FakeSource::fill_effective(Effective& e) {
  e.settings = requested_;
  e.settled = true;
  e.zero_copy = requested_.read_with == ReadWith::splice ? ZeroCopy::zero_copy : ZeroCopy::copied;
  const uint64_t wanted = wanted_pipe_bytes(requested_);
  e.zero_copy_reason = e.zero_copy == ZeroCopy::copied
                           ? "copied: read() copies the bytes out of the ring"
                           : "no byte is copied: pages move from vmsplice to /dev/null";
  e.pipe_bytes = wanted == kAutoPipeSize ? 65536 : wanted;
  if (requested_.pages == Pages::hugetlb) {
    e.settings.pages = Pages::thp;
    e.mismatches.push_back(
        {"pages", "hugetlb", "thp", "no free huge pages; echo 64 > /proc/sys/vm/nr_hugepages"});
  }
  if (requested_.gift && requested_.write_with == WriteWith::write)
    e.mismatches.push_back({"gift", "true", "false", "only vmsplice can give pages away"});
}

void FakeSource::fill_verdict(Snapshot& s) const {
  if (mood_ == FakeMood::no_bpf) {
    s.verdict = Reading<Verdict>::unavailable("nobody knows the functions; run as root");
  } else if (s.now_ns - segment_ns_ < 2'000'000'000) {
    s.verdict = Reading<Verdict>::warming("too few samples yet");
  } else if (is_busy(requested_.writer_wait)) {
    s.verdict = Reading<Verdict>::of({Bound::lock, "writer spins on the pipe mutex 39 %"});
  } else {
    s.verdict = Reading<Verdict>::of(
        {Bound::writer, "ring empty 71 %, reader blocked 64 %, writer on CPU 98 %"});
  }
}

void FakeSource::fill_integrity(Snapshot& s) const {
  if (requested_.payload != Payload::stamped) return;
  if (requested_.read_with != ReadWith::read) {
    s.integrity =
        Reading<Integrity>::unavailable("unverifiable: nobody reads the bytes; read_with read");
    return;
  }
  Integrity integrity;
  integrity.verified = 1'234'567;
  integrity.epochs = 1;
  // As if the single buffer were written again too early.
  const bool hazard = requested_.buffers == Buffers::same;
  integrity.torn = hazard ? 98'765 : 0;
  integrity.torn_per_s = Reading<double>::of(hazard ? 1234 : 0);
  integrity.misplaced_per_s = Reading<double>::of(0);
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
  return s;
}

}  // namespace pipetop::tui

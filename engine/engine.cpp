#include "engine/engine.h"

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/unique_fd.h"
#include "engine/host/host.h"
#include "engine/host/steal_meter.h"
#include "engine/meter/integrity_meter.h"
#include "engine/meter/part_rates.h"
#include "engine/meter/worker_meter.h"
#include "engine/observe/capabilities.h"
#include "engine/observe/observers.h"
#include "engine/process/worker_pool.h"
#include "engine/process/worker_state.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "engine/registry/workloads.h"
#include "engine/segments.h"
#include "engine/steady_verdict.h"

namespace pipetop {
namespace {

constexpr uint64_t kFastRetry = 2 * kMs;   // while a change is under way
constexpr uint64_t kSlowRetry = 50 * kMs;  // if a worker has not answered for long
constexpr uint64_t kPatience = 500 * kMs;
constexpr uint64_t kQuitPatience = 10'000 * kMs;
constexpr uint64_t kStoppedPatience = 1'000 * kMs;
constexpr size_t kNotices = 8;
// Shares of samples are not useful, and not readable, twenty times a second.
constexpr uint64_t kFunctionsInterval = 200 * kMs;

}  // namespace

class Engine::Impl {
 public:
  explicit Impl(const EngineOptions& options);

  int event_fd() const { return epoll_.get(); }
  void handle_events();
  void apply(const Settings& requested, const std::string& label, const std::string& key);
  void begin_segment(const std::string& label);
  Snapshot tick();
  Segment segment() {
    return segments_.present(monotonic_ns(), workload_->progress(), effective());
  }
  void count(BpfCounters layout) { observers_.count(layout); }
  void observe(bool on) { observers_.run(on); }
  void suspend();
  void resume();
  void stop();

 private:
  void on_worker(const WorkerEvent& event);
  template <class Patience>
  void await_ends(Patience patience_ns);
  void serve_workers();
  void advance();
  void count_from(uint64_t now_ns);
  void forget_views();
  void arm_timer(uint64_t interval_ns);
  void notify(Severity severity, std::string text);
  bool refresh_functions(uint64_t now_ns);
  void watch_workload(uint64_t now_ns);
  void sample(uint64_t now_ns);
  Effective effective() const;
  WorkerView view_of(Role role, const Effective& effective) const;
  RingView ring_view(uint64_t now_ns, const Effective& effective);
  Reading<Integrity> integrity() const;

  uint64_t started_at_ns_ = monotonic_ns();
  std::shared_ptr<const HostInfo> host_ = std::make_shared<HostInfo>(read_host());
  Capabilities machine_ = read_capabilities();

  UniqueFd epoll_;
  UniqueFd timer_;
  uint64_t timer_interval_ns_ = 0;
  WorkerPool pool_;
  std::unique_ptr<Workload> workload_;
  const WorkloadTerms& terms_;

  Settings requested_;
  bool settled_ = false;
  bool settled_once_ = false;
  bool suspended_ = false;
  bool finished_ = false;
  uint64_t change_began_ns_ = 0;
  // The progress at which nothing from before the change is left in a ring.
  uint64_t renewed_at_ = 0;
  bool ring_renewed_ = false;

  std::array<WorkerMeter, kRoles> worker_meters_;
  IntegrityMeter integrity_;
  PartRates part_rates_;
  StealMeter steal_;
  Observers observers_;
  Segments segments_;
  std::deque<Notice> notices_;
  std::array<Reading<FunctionTable>, kRoles> functions_;
  std::array<Reading<BlockedTable>, kRoles> blocked_;
  uint64_t functions_at_ns_ = 0;  // 0: refresh them at the next tick
  SteadyVerdict verdict_;
};

Engine::Impl::Impl(const EngineOptions& options)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      pool_(options.settings.workload, options.worker_program, machine_.cpus, epoll_.get(),
            [this](const WorkerEvent& e) { on_worker(e); }),
      workload_(workload(options.settings.workload).make({machine_, pool_})),
      terms_(terms_of(options.settings)),
      requested_(options.settings),
      part_rates_(terms_.unit.count),
      observers_(
          {options.bpf, options.frequency_hz, options.functions_window_ns, workload_->pipe_fd()}),
      segments_(started_at_ns_, terms_.unit.count, observers_, pool_) {
  if (!epoll_ || !timer_) throw SystemError("epoll_create1 or timerfd_create", errno);
  epoll_event event = {.events = EPOLLIN, .data = {.fd = timer_.get()}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event) != 0)
    throw SystemError("epoll_ctl", errno);
  observers_.count(options.bpf_counters);
  if (std::string lost = observe::lost_without_root(observers_.event().reason); !lost.empty())
    notify(Severity::info, std::move(lost));
  apply(options.settings, "start", {});
}

void Engine::Impl::on_worker(const WorkerEvent& event) {
  using Kind = WorkerEvent::Kind;
  const Role role = event.worker.role();
  WorkerMeter& meter = worker_meters_[static_cast<size_t>(role)];
  const std::string_view name = terms_.roles[static_cast<size_t>(role)];
  const uint64_t now_ns = monotonic_ns();
  switch (event.kind) {
    case Kind::died:
      notify(Severity::error, fmt::format("{} died: {}", name, event.words));
      segments_.ended(role, now_ns, meter.last_sample());
      settled_ = ring_renewed_ = false;
      change_began_ns_ = now_ns;
      // Before there is a successor.
      workload_->died(event.worker);
      break;
    case Kind::replaced:
      meter.restart();
      segments_.replaced(role, now_ns);
      break;
    case Kind::cannot_start:
    case Kind::cannot_pin:
      notify(Severity::error, fmt::format("{}: {}", name, event.words));
      return;
    case Kind::added:
    case Kind::removed:
      break;
  }
  observers_.watch(role, pool_.pids(role));
}

void Engine::Impl::notify(Severity severity, std::string text) {
  notices_.push_back({monotonic_ns(), severity, std::move(text)});
  if (notices_.size() > kNotices) notices_.pop_front();
}

void Engine::Impl::apply(const Settings& requested, const std::string& label,
                         const std::string& key) {
  if (requested.workload != requested_.workload)
    throw Error(fmt::format("workload {} cannot change to {} at run time", terms_.name,
                            terms_of(requested).name));
  validate(requested);
  change_began_ns_ = monotonic_ns();
  segments_.begin(change_began_ns_, workload_->progress(), effective(), label, key, requested);
  requested_ = requested;
  settled_ = ring_renewed_ = false;
  workload_->begin(requested);
  forget_views();
  advance();
}

// Even if not everything is in effect yet: the owner wants to begin here.
void Engine::Impl::begin_segment(const std::string& label) {
  const uint64_t now_ns = monotonic_ns();
  segments_.begin(now_ns, workload_->progress(), effective(), label, {}, requested_);
  count_from(now_ns);
}

void Engine::Impl::count_from(uint64_t now_ns) {
  segments_.count(now_ns);
  forget_views();
}

// They showed the time before.
void Engine::Impl::forget_views() {
  functions_at_ns_ = 0;
  verdict_.restart();
  for (WorkerMeter& meter : worker_meters_) meter.restart();
  integrity_.restart();
}

// One step of whatever is in progress, and schedules the next one.
void Engine::Impl::advance() {
  if (!settled_ && workload_->advance()) {
    settled_ = settled_once_ = true;
    renewed_at_ = workload_->progress().items + effective().pipe.bytes * workload_->parts().size();
    // Once: a worker's restart does not restart the segment.
    if (!segments_.counting()) count_from(monotonic_ns());
  }
  const uint64_t waited = monotonic_ns() - change_began_ns_;
  const bool waiting = !settled_ || !pool_.all_alive();
  arm_timer(!waiting ? 0 : waited < kPatience ? kFastRetry : kSlowRetry);
}

void Engine::Impl::arm_timer(uint64_t interval_ns) {
  if (std::exchange(timer_interval_ns_, interval_ns) == interval_ns) return;
  const timespec interval = {0, static_cast<long>(interval_ns)};
  const itimerspec timer = {interval, interval};
  ::timerfd_settime(timer_.get(), 0, &timer, nullptr);
}

void Engine::Impl::handle_events() {
  // The descriptors are level-triggered: unread events are reported again.
  uint64_t expirations = 0;
  (void)!::read(timer_.get(), &expirations, sizeof expirations);
  serve_workers();
}

// Also on every tick: whoever reaps a worker must also complete the change that
// follows, because the pidfd reports the death only until then.
void Engine::Impl::serve_workers() {
  if (finished_) return;
  pool_.replace_dead();
  advance();
}

// Facts about the settings in effect that can change by themselves.
void Engine::Impl::watch_workload(uint64_t now_ns) {
  if (!settled_ || finished_) return;
  workload_->watch(now_ns);
  for (Notice& notice : workload_->notices()) notify(notice.severity, std::move(notice.text));
  if (ring_renewed_ || workload_->progress().items < renewed_at_) return;
  ring_renewed_ = true;
  observers_.restart_kinds(now_ns);
}

// False if it was too early.
bool Engine::Impl::refresh_functions(uint64_t now_ns) {
  if (!finished_ && now_ns < functions_at_ns_ + kFunctionsInterval) return false;
  bool warming = false;
  for (const Role role : kBothRoles) {
    const auto i = static_cast<size_t>(role);
    functions_[i] = observers_.functions(role);
    blocked_[i] = observers_.blocked(role);
    // The start of a process is not part of a technique.
    if (!settled_once_ && functions_[i].has_value())
      functions_[i] = Reading<FunctionTable>::warming("starting");
    warming = warming || functions_[i].status == ReadingStatus::warming;
  }
  functions_at_ns_ = warming ? 0 : now_ns;  // the first sample is shown at once
  return true;
}

Effective Engine::Impl::effective() const {
  Seen seen;
  seen.settled = settled_;
  if (ring_renewed_) seen.kinds = observers_.kinds();
  for (size_t role = 0; role < kRoles; ++role)
    seen.run_on[role] = worker_meters_[role].cpu_run_on();
  return workload_->effective(seen);
}

WorkerView Engine::Impl::view_of(Role role, const Effective& effective) const {
  const auto i = static_cast<size_t>(role);
  WorkerView view;
  view.role = role;
  view.name = terms_.roles[i];
  if (view.name.empty()) return view;
  const auto unanswered = settled_once_ ? ProcessState::changing : ProcessState::starting;
  describe_state(pool_.of(role), {suspended_, unanswered, terms_.prepares, terms_.does}, view);
  worker_meters_[i].describe(pool_.counts(role), view);
  view.technique = workload_->technique(role, effective);
  view.functions = functions_[i];
  view.blocked = blocked_[i];
  return view;
}

RingView Engine::Impl::ring_view(uint64_t now_ns, const Effective& effective) {
  RingView view;
  view.bytes = effective.pipe.bytes;
  view.slots = static_cast<uint32_t>(view.bytes / kPageBytes);
  view.frame = observers_.ring_frame(now_ns);
  view.occupancy = observers_.occupancy();
  view.history = observers_.occupancy_history();
  view.kinds = observers_.kinds();
  return view;
}

Reading<Integrity> Engine::Impl::integrity() const {
  Reading<Integrity> integrity = workload_->integrity();
  if (integrity.has_value()) integrity.value = integrity_.describe(*integrity);
  return integrity;
}

// What is read from the machine on every tick.
void Engine::Impl::sample(uint64_t now_ns) {
  if (!suspended_) segments_.add(now_ns, workload_->progress());
  steal_.sample(now_ns);
  if (const auto totals = workload_->integrity(); totals.has_value())
    integrity_.sample(now_ns, *totals);
  for (const Role role : kBothRoles)
    worker_meters_[static_cast<size_t>(role)].sample(now_ns, pool_.counts(role), pool_.pids(role),
                                                     observers_.times(role));
  part_rates_.sample(now_ns, workload_->parts());
}

Snapshot Engine::Impl::tick() {
  Snapshot s;
  s.now_ns = monotonic_ns();
  serve_workers();
  if (!finished_) observers_.poll(s.now_ns);
  const bool refreshed = refresh_functions(s.now_ns);
  sample(s.now_ns);
  watch_workload(s.now_ns);

  s.uptime_ns = s.now_ns - started_at_ns_;
  s.requested = requested_;
  s.effective = effective();
  s.throughput = segments_.throughput(s.now_ns, workload_->progress());
  s.parts = part_rates_.describe(workload_->parts());
  s.figures = workload_->figures(s.throughput);
  s.ring = ring_view(s.now_ns, s.effective);
  for (const Role role : kBothRoles)
    s.workers[static_cast<size_t>(role)] = view_of(role, s.effective);
  s.integrity = integrity();
  if (refreshed && !finished_) verdict_.add(s.now_ns, workload_->verdict(s));
  s.verdict = verdict_.shown();
  s.event = observers_.event();
  s.bpf_counters = observers_.counters();
  s.steal_share = steal_.share();
  s.notices.assign(notices_.begin(), notices_.end());
  s.host = host_;
  return s;
}

void Engine::Impl::suspend() {
  suspended_ = true;
  segments_.suspend(monotonic_ns());
  pool_.send(SIGSTOP);
}

void Engine::Impl::resume() {
  pool_.send(SIGCONT);
  suspended_ = false;
  segments_.resume(monotonic_ns(), workload_->progress());
  for (WorkerMeter& meter : worker_meters_) meter.restart();
  integrity_.restart();
}

void Engine::Impl::stop() {
  if (finished_) return;
  observers_.poll(monotonic_ns());
  finished_ = true;
  arm_timer(0);
  workload_->quit();
  // A worker that gets no CPU still moves data until it has seen the command; a
  // stopped one does not.
  await_ends([&] { return pool_.any_running() ? kQuitPatience : kStoppedPatience; });
  pool_.send(SIGKILL);
  await_ends([] { return kStoppedPatience; });
}

// Until all workers have exited, at most this long.
template <class Patience>
void Engine::Impl::await_ends(Patience patience_ns) {
  const uint64_t begin_ns = monotonic_ns();
  while (pool_.any_alive() && monotonic_ns() < begin_ns + patience_ns()) {
    epoll_event event;
    (void)::epoll_wait(epoll_.get(), &event, 1, 2);
    pool_.reap();
    workload_->advance();
  }
}

Engine::Engine(const EngineOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Engine::~Engine() = default;
int Engine::event_fd() const { return impl_->event_fd(); }
void Engine::handle_events() { impl_->handle_events(); }
void Engine::apply(const Settings& requested, const std::string& label, const std::string& key) {
  impl_->apply(requested, label, key);
}
void Engine::begin_segment(const std::string& label) { impl_->begin_segment(label); }
Snapshot Engine::tick() { return impl_->tick(); }
Segment Engine::segment() { return impl_->segment(); }
void Engine::count(BpfCounters layout) { impl_->count(layout); }
void Engine::observe(bool on) { impl_->observe(on); }
void Engine::suspend() { impl_->suspend(); }
void Engine::resume() { impl_->resume(); }
void Engine::stop() { impl_->stop(); }

}  // namespace pipetop

#include "engine/engine.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <deque>

#include "engine/clock.h"
#include "engine/effective.h"
#include "engine/error.h"
#include "engine/host/host.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/knobs.h"
#include "engine/live_change.h"
#include "engine/memory/huge_check.h"
#include "engine/meter/integrity_meter.h"
#include "engine/meter/steal_meter.h"
#include "engine/meter/worker_meter.h"
#include "engine/observe/observers.h"
#include "engine/plan.h"
#include "engine/process/worker_pair.h"
#include "engine/process/worker_state.h"
#include "engine/segments.h"
#include "engine/steady_verdict.h"
#include "engine/unique_fd.h"
#include "engine/verdict.h"

namespace pipetop {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kFastRetry = 2 * kMs;   // while a change is under way
constexpr uint64_t kSlowRetry = 50 * kMs;  // once a worker has not answered for long
constexpr uint64_t kPatience = 500 * kMs;
constexpr size_t kNotices = 8;
// Pages become huge, or cease to be, long after a change, too.
constexpr uint64_t kHugeInterval = 2'000 * kMs;
// Shares of samples say nothing new, and cannot be read, twenty times a second.
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
  Segment segment() { return segments_.present(monotonic_ns(), effective()); }
  void count(BpfCounters layout) { observers_.count(layout); }
  void observe(bool on) { observers_.run(on); }
  void suspend();
  void resume();
  void stop();

 private:
  void on_worker(const WorkerEvent& event);
  void serve_workers();
  void advance();
  void count_from(uint64_t now_ns);
  void forget_views();
  void arm_timer(uint64_t interval_ns);
  void notify(Severity severity, std::string text);
  void check_huge_pages();
  bool refresh_functions(uint64_t now_ns);
  void watch_technique(uint64_t now_ns);
  Effective effective() const;
  WorkerView view_of(Role role);
  RingView ring_view(uint64_t now_ns);
  Reading<Integrity> integrity() const;

  uint64_t started_at_ns_ = monotonic_ns();
  std::shared_ptr<const HostInfo> host_ = std::make_shared<HostInfo>(read_host());
  ZeroCopyProbe zero_copy_ = probe_zero_copy();
  ZeroCopyProbe file_zero_copy_ = probe_file_zero_copy();
  Capabilities machine_ = read_capabilities(zero_copy_.vmsplice_errno);

  UniqueFd epoll_;
  UniqueFd timer_;
  WorkerPair workers_;
  LiveChange change_{workers_.pipe(), workers_.writer(), workers_.reader()};

  Settings requested_;
  Plan plan_;
  bool settled_ = false;
  bool settled_once_ = false;
  bool suspended_ = false;
  bool finished_ = false;
  uint64_t change_began_ns_ = 0;
  Reading<bool> huge_ = Reading<bool>::warming("settling");
  uint64_t huge_check_ns_ = 0;
  // What the reader will have taken when nothing from before the change is left.
  uint64_t renewed_at_bytes_ = 0;
  bool ring_renewed_ = false;

  std::array<WorkerMeter, kRoles> worker_meters_;
  IntegrityMeter integrity_;
  StealMeter steal_;
  Observers observers_;
  Segments segments_{started_at_ns_, observers_, workers_};
  std::array<std::string, kRoles> last_end_;
  std::deque<Notice> notices_;
  std::array<Reading<FunctionTable>, kRoles> functions_;
  std::array<Reading<BlockedTable>, kRoles> blocked_;
  uint64_t functions_at_ns_ = 0;  // 0: refresh them at the next tick
  SteadyVerdict verdict_;
};

Engine::Impl::Impl(const EngineOptions& options)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      workers_(options.worker_program, epoll_.get(),
               [this](const WorkerEvent& e) { on_worker(e); }),
      observers_({options.bpf, options.frequency_hz, options.functions_window_ns,
                  workers_.pipe().read_fd()}) {
  if (!epoll_ || !timer_) throw SystemError("epoll_create1 or timerfd_create", errno);
  epoll_event event = {.events = EPOLLIN, .data = {.fd = timer_.get()}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event) != 0)
    throw SystemError("epoll_ctl", errno);
  validate(options.settings);
  for (Worker* worker : workers_.both()) observers_.watch(worker->role(), worker->pid());
  observers_.count(options.bpf_counters);
  apply(options.settings, "start", {});
}

void Engine::Impl::on_worker(const WorkerEvent& event) {
  using Kind = WorkerEvent::Kind;
  Worker& worker = event.worker;
  const auto role = static_cast<size_t>(worker.role());
  const std::string_view name = to_text(worker.role());
  switch (event.kind) {
    case Kind::died:
      last_end_[role] = event.words;
      notify(Severity::error, fmt::format("{} died: {}", name, event.words));
      segments_.ended(worker.role(), monotonic_ns(), worker_meters_[role].last_look());
      observers_.watch(worker.role(), 0);
      settled_ = ring_renewed_ = false;
      change_began_ns_ = monotonic_ns();
      // Before there is a successor: it must not go on in the old epoch.
      change_.begin_epoch();
      break;
    case Kind::replaced:
      observers_.watch(worker.role(), worker.pid());
      worker_meters_[role].restart();
      segments_.replaced(worker.role(), monotonic_ns());
      break;
    case Kind::cannot_start:
    case Kind::cannot_pin:
      notify(Severity::error, fmt::format("{}: {}", name, event.words));
  }
}

void Engine::Impl::notify(Severity severity, std::string text) {
  notices_.push_back({monotonic_ns(), severity, std::move(text)});
  if (notices_.size() > kNotices) notices_.pop_front();
}

void Engine::Impl::apply(const Settings& requested, const std::string& label,
                         const std::string& key) {
  validate(requested);
  change_began_ns_ = monotonic_ns();
  segments_.begin(change_began_ns_, effective(), label, key, requested);
  forget_views();
  requested_ = requested;
  plan_ = make_plan(requested, machine_);
  workers_.place(plan_.writer_cpu, plan_.reader_cpu, machine_.cpus);
  change_.begin(plan_.settings);
  settled_ = ring_renewed_ = false;
  huge_ = Reading<bool>::warming("settling");
  advance();
}

// Whether or not everything is in force by now: the owner wants to begin here.
void Engine::Impl::begin_segment(const std::string& label) {
  const uint64_t now_ns = monotonic_ns();
  segments_.begin(now_ns, effective(), label, {}, requested_);
  count_from(now_ns);
}

void Engine::Impl::count_from(uint64_t now_ns) {
  segments_.count(now_ns);
  forget_views();
}

// What they showed was before.
void Engine::Impl::forget_views() {
  functions_at_ns_ = 0;
  verdict_.restart();
  for (WorkerMeter& meter : worker_meters_) meter.restart();
  integrity_.restart();
}

// One step of whatever is under way, and the time of the next one.
void Engine::Impl::advance() {
  if (!settled_ && change_.advance()) {
    settled_ = settled_once_ = true;
    renewed_at_bytes_ = workers_.reader().bytes() + workers_.pipe().capacity_bytes();
    check_huge_pages();
    // Once: a worker's restart does not begin the segment anew.
    if (!segments_.counting()) count_from(monotonic_ns());
  }
  const uint64_t waited = monotonic_ns() - change_began_ns_;
  const bool waiting = !settled_ || !workers_.alive();
  arm_timer(!waiting ? 0 : waited < kPatience ? kFastRetry : kSlowRetry);
}

void Engine::Impl::arm_timer(uint64_t interval_ns) {
  const timespec interval = {0, static_cast<long>(interval_ns)};
  const itimerspec timer = {interval, interval};
  ::timerfd_settime(timer_.get(), 0, &timer, nullptr);
}

void Engine::Impl::handle_events() {
  // Level-triggered descriptors: what is left unread here only comes again.
  uint64_t expirations = 0;
  (void)!::read(timer_.get(), &expirations, sizeof expirations);
  serve_workers();
}

// Also at every tick: whoever reaps a worker first has to see the change that
// this begins through, for the pidfd tells of a death only until then.
void Engine::Impl::serve_workers() {
  if (finished_) return;
  workers_.replace_dead();
  advance();
}

void Engine::Impl::check_huge_pages() {
  huge_check_ns_ = monotonic_ns();
  const auto report = workers_.writer().report();
  if (!report || report->state != WorkerState::flowing || !workers_.writer().alive()) {
    huge_ = Reading<bool>::warming("the writer does not flow");
    return;
  }
  huge_ = Reading<bool>::of(true);
  for (const uint64_t address : report->buffer_address) {
    if (address == 0) continue;
    const auto one = check_huge(workers_.writer().pid(), address, report->buffer_bytes);
    const bool worse = !one.has_value() || !*one;
    if (worse && (!huge_.has_value() || *huge_)) huge_ = one;
  }
}

// What goes on to be true, or not, of settings that are in force.
void Engine::Impl::watch_technique(uint64_t now_ns) {
  if (!settled_ || finished_) return;
  if (now_ns >= huge_check_ns_ + kHugeInterval) check_huge_pages();
  if (ring_renewed_ || workers_.reader().bytes() < renewed_at_bytes_) return;
  ring_renewed_ = true;
  observers_.restart_kinds(now_ns);
}

// False if it was too early for that.
bool Engine::Impl::refresh_functions(uint64_t now_ns) {
  if (!finished_ && now_ns < functions_at_ns_ + kFunctionsInterval) return false;
  bool warming = false;
  for (const Role role : {Role::writer, Role::reader}) {
    const auto i = static_cast<size_t>(role);
    functions_[i] = observers_.functions(role);
    blocked_[i] = observers_.blocked(role);
    warming = warming || functions_[i].status == ReadingStatus::warming;
  }
  functions_at_ns_ = warming ? 0 : now_ns;  // the first sample is shown at once
  return true;
}

Effective Engine::Impl::effective() const {
  EffectiveFacts facts;
  facts.writer = workers_.writer().report();
  facts.reader = workers_.reader().report();
  facts.pipe_bytes = workers_.pipe().capacity_bytes();
  facts.resize_error = change_.resize_error();
  facts.draining = change_.draining();
  facts.settled = settled_;
  facts.huge = huge_;
  facts.probe = zero_copy_.result;
  facts.probe_reason = zero_copy_.reason;
  facts.file_probe = file_zero_copy_.result;
  facts.file_probe_reason = file_zero_copy_.reason;
  if (ring_renewed_) facts.kinds = observers_.kinds();
  for (size_t role = 0; role < kRoles; ++role)
    facts.run_on[role] = worker_meters_[role].cpu_run_on();
  return make_effective(requested_, plan_, facts);
}

WorkerView Engine::Impl::view_of(Role role) {
  const auto i = static_cast<size_t>(role);
  const Worker& worker = workers_.of(role);
  const auto unanswered = settled_once_ ? ProcessState::changing : ProcessState::starting;
  WorkerView view;
  describe_state(worker, {last_end_[i], suspended_, unanswered}, view);
  worker_meters_[i].describe(worker.counters(), view);
  view.functions = functions_[i];
  view.blocked = blocked_[i];
  return view;
}

RingView Engine::Impl::ring_view(uint64_t now_ns) {
  RingView view;
  view.bytes = workers_.pipe().capacity_bytes();
  view.slots = static_cast<uint32_t>(view.bytes / kPageBytes);
  view.frame = observers_.ring_frame(now_ns);
  view.occupancy = observers_.occupancy();
  view.history = observers_.occupancy_history();
  view.kinds = observers_.kinds();
  return view;
}

Reading<Integrity> Engine::Impl::integrity() const {
  if (requested_.payload != Payload::stamped)
    return Reading<Integrity>::unavailable(
        "the payload is constant: nothing to check; payload stamped");
  if (requested_.read_with != ReadWith::read)
    return Reading<Integrity>::unavailable("unverifiable: nobody reads the bytes; read_with read");
  return Reading<Integrity>::of(integrity_.describe(workers_.reader().integrity()));
}

Snapshot Engine::Impl::tick() {
  Snapshot s;
  s.now_ns = monotonic_ns();
  serve_workers();
  if (!finished_) observers_.poll(s.now_ns);
  const bool refreshed = refresh_functions(s.now_ns);
  if (!suspended_) segments_.add_bytes(s.now_ns);
  steal_.sample(s.now_ns);
  integrity_.sample(s.now_ns, workers_.reader().integrity());
  for (Worker* w : workers_.both())
    worker_meters_[static_cast<size_t>(w->role())].sample(s.now_ns, w->counters(), w->pid(),
                                                          observers_.times(w->role()));
  watch_technique(s.now_ns);

  s.uptime_ns = s.now_ns - started_at_ns_;
  s.requested = requested_;
  s.effective = effective();
  s.throughput = segments_.throughput(s.now_ns);
  s.ring = ring_view(s.now_ns);
  for (const Role role : {Role::writer, Role::reader})
    s.workers[static_cast<size_t>(role)] = view_of(role);
  s.integrity = integrity();
  if (refreshed && !finished_) verdict_.add(s.now_ns, judge_bound(s));
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
  for (Worker* w : workers_.both()) w->send(SIGSTOP);
}

void Engine::Impl::resume() {
  for (Worker* w : workers_.both()) w->send(SIGCONT);
  suspended_ = false;
  segments_.resume(monotonic_ns());
  for (WorkerMeter& meter : worker_meters_) meter.restart();
  integrity_.restart();
}

void Engine::Impl::stop() {
  if (finished_) return;
  observers_.poll(monotonic_ns());
  finished_ = true;
  arm_timer(0);
  change_.quit();
  // A worker that is stopped cannot finish; the destructor kills it.
  const uint64_t deadline = monotonic_ns() + 1'000 * kMs;
  while ((workers_.writer().alive() || workers_.reader().alive()) && monotonic_ns() < deadline) {
    epoll_event event;
    (void)::epoll_wait(epoll_.get(), &event, 1, 2);
    for (Worker* w : workers_.both()) w->reap(monotonic_ns());
    change_.advance();
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

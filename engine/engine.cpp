#include "engine/engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "engine/base/error.h"
#include "engine/meter/worker_meters.h"
#include "engine/observe/refusals.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr uint64_t kFastRetry = 2 * kMs;   // while a change is under way
constexpr uint64_t kSlowRetry = 50 * kMs;  // if a worker has not answered for long
constexpr uint64_t kPatience = 500 * kMs;
constexpr uint64_t kQuitPatience = 10'000 * kMs;
constexpr size_t kNotices = 8;

}  // namespace

Engine::Engine(const EngineOptions& options)
    : pool_(options.settings.workload, options.worker_program, machine_.cpus, loop_,
            [this](const WorkerEvent& e) { on_worker(e); }),
      workload_(workload(options.settings.workload).make({machine_, pool_})),
      terms_(terms_of(options.settings)),
      requested_(options.settings),
      observers_(
          {options.bpf, options.frequency_hz, options.functions_window_ns, workload_->pipe_fd()}),
      segments_(started_at_ns_, terms_, observers_, pool_),
      meters_(terms_, *workload_, pool_, observers_),
      noticed_(options.noticed) {
  observers_.count(options.bpf_counters);
  if (std::string lost = observe::lost_without_root(observers_.event().reason); !lost.empty())
    notify(Severity::info, std::move(lost));
  apply(options.settings, options.label, options.key);
}

void Engine::on_worker(const WorkerEvent& event) {
  using Kind = WorkerEvent::Kind;
  const Role role = event.worker.role();
  const std::string_view name = terms_.roles[static_cast<size_t>(role)];
  const uint64_t now_ns = monotonic_ns();
  switch (event.kind) {
    case Kind::died:
      if (!life_.finished)  // else it was told to
        notify(Severity::error, fmt::format("{} died: {}", name, event.words));
      segments_.ended(role, now_ns, meters_.of(role).last_sample());
      settled_ = ring_renewed_ = false;
      change_began_ns_ = now_ns;
      workload_->died(event.worker);  // before there is a successor
      break;
    case Kind::replaced:
      meters_.of(role).restart();
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

void Engine::notify(Severity severity, std::string text) {
  notices_.push_back({monotonic_ns(), severity, std::move(text)});
  if (noticed_) noticed_(notices_.back());
  if (notices_.size() > kNotices) notices_.pop_front();
}

void Engine::apply(const Settings& requested, const std::string& label, const std::string& key) {
  if (requested.workload != requested_.workload)
    throw Error(fmt::format("workload {} cannot change to {} at run time", terms_.name,
                            terms_of(requested).name));
  validate(requested);
  change_began_ns_ = monotonic_ns();
  segments_.begin(change_began_ns_, workload_->progress(change_began_ns_), effective(), label, key,
                  requested);
  const Settings before = std::exchange(requested_, requested);
  observers_.set(requested.observers);  // once the segment that they watched has ended
  settled_ = ring_renewed_ = false;
  try {
    workload_->begin(requested);
  } catch (const Error&) {  // a worker could not be started
    requested_ = before;
    const uint64_t now_ns = monotonic_ns();
    segments_.begin(now_ns, workload_->progress(now_ns), effective(), label + " refused", key,
                    before);
    observers_.set(before.observers);
    workload_->begin(before);
    throw;
  }
  meters_.forget(change_began_ns_);
  advance();
}

// Even if not everything is in effect yet: the owner wants to begin here.
void Engine::begin_segment(const std::string& label) {
  const uint64_t now_ns = monotonic_ns();
  const Progress progress = workload_->progress(now_ns);
  segments_.begin(now_ns, progress, effective(), label, {}, requested_);
  segments_.count_at_once(now_ns, progress);
  meters_.forget(now_ns);
}

// One step of whatever is in progress, and schedules the next one.
void Engine::advance() {
  if (!settled_ && workload_->advance()) {
    settled_ = life_.settled_once = true;
    const uint64_t items = workload_->progress(monotonic_ns()).items;
    renewed_at_ = items + effective().pipe.bytes * workload_->parts().size();
    // Once: a worker's restart does not restart the segment.
    if (!segments_.counting()) {
      segments_.count(monotonic_ns());
      meters_.forget(monotonic_ns());
    }
  }
  const uint64_t waited = monotonic_ns() - change_began_ns_;
  const bool waiting = !settled_ || !pool_.all_alive();
  arm_timer(!waiting ? 0 : waited < kPatience ? kFastRetry : kSlowRetry);
}

void Engine::arm_timer(uint64_t interval_ns) {
  if (std::exchange(timer_interval_ns_, interval_ns) != interval_ns)
    loop_.set_timer_every(interval_ns);
}

void Engine::handle_events() {
  loop_.wait(0);  // clears the timer; all else that is ready is served in any case
  serve_workers();
}

// Also on every tick: whoever reaps a worker must also complete the change that
// follows, because the pidfd reports the death only until then.
void Engine::serve_workers() {
  if (life_.finished) return;
  pool_.replace_dead();
  advance();
}

// Facts about the settings in effect that can change by themselves.
void Engine::watch_workload(uint64_t now_ns) {
  if (!settled_ || life_.finished) return;
  workload_->watch(now_ns);
  for (Notice& notice : workload_->notices()) notify(notice.severity, std::move(notice.text));
  if (ring_renewed_ || workload_->progress(now_ns).items < renewed_at_) return;
  ring_renewed_ = true;
  observers_.restart_kinds(now_ns);
}

Effective Engine::effective() const {
  Seen seen;
  if (ring_renewed_) seen.kinds = observers_.kinds();
  for (const Role role : kBothRoles)
    seen.run_on[static_cast<size_t>(role)] = meters_.of(role).cpu_run_on();
  Effective effective = workload_->effective(seen);
  effective.settled = settled_;
  return effective;
}

Snapshot Engine::tick(Totals totals) {
  Snapshot s;
  serve_workers();
  s.now_ns = monotonic_ns();
  const Progress progress = workload_->progress(s.now_ns);  // before anything that takes long
  if (!life_.finished) observers_.poll(s.now_ns);
  if (std::string changed = observers_.changed_cpus(s.now_ns); !changed.empty())
    notify(Severity::warning, std::move(changed));
  if (!life_.suspended) segments_.add(s.now_ns, progress);
  meters_.sample(s.now_ns, life_, totals);
  watch_workload(s.now_ns);

  s.uptime_ns = s.now_ns - started_at_ns_;
  s.host = host_;
  s.requested = requested_;
  s.effective = effective();
  s.throughput = segments_.throughput(s.now_ns, progress);
  s.figures = workload_->figures(s.throughput);
  if (!life_.finished && !life_.suspended) segments_.compare(s.now_ns, progress, s.effective);
  s.change = segments_.change();
  meters_.describe(life_, s);
  segments_.disturbed(s.noise);
  if (s.event.has_value()) segments_.describe(*s.event.value);
  s.notices.assign(notices_.begin(), notices_.end());
  return s;
}

void Engine::suspend() {
  life_.suspended = true;
  segments_.suspend(monotonic_ns());
  pool_.send(SIGSTOP);
}

void Engine::resume() {
  pool_.send(SIGCONT);
  life_.suspended = false;
  const uint64_t now_ns = monotonic_ns();
  segments_.resume(now_ns, workload_->progress(now_ns));
  meters_.restart();
}

void Engine::stop() {
  if (life_.finished) return;
  observers_.poll(monotonic_ns());
  life_.finished = true;
  arm_timer(0);
  workload_->quit();
  await_ends();
  if (!life_.suspended) notify_of_living("is killed: it did not react, as if stopped or frozen");
  pool_.send(SIGKILL);
  await_ends();
  notify_of_living("is left behind: frozen, or held up by the kernel; it ends once it goes on");
}

void Engine::notify_of_living(std::string_view what) {
  for (const Role role : kBothRoles)
    for (const Worker* worker : pool_.of(role))
      if (worker->alive())
        notify(Severity::warning,
               fmt::format("{} (PID {}) {}", terms_.roles[static_cast<size_t>(role)], worker->pid(),
                           what));
}

// Until all workers have exited. A worker that gets no CPU still moves data until it has seen the
// command; a stopped or frozen one does not.
void Engine::await_ends() {
  const uint64_t end_ns = monotonic_ns() + kQuitPatience;
  uint64_t ran_ns = monotonic_ns();
  while (pool_.any_alive()) {
    const uint64_t now_ns = monotonic_ns();
    if (pool_.any_running()) ran_ns = now_ns;
    if (now_ns >= std::min(end_ns, ran_ns + kStuckPatience_ns)) return;
    loop_.wait(2);
    pool_.reap();
    workload_->advance();
  }
}

}  // namespace pipetop

#include "engine/observe/sched_reader.h"

#include "bpf/sampler.h"
#include "bpf/sched.h"

// The skeleton has variables of these types.
#include <sched.skel.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/base/clock.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/task_time.h"

namespace pipetop::observe {
namespace {

static_assert(SCHED_ROLES == kRoles);

// Some hundred syscalls of each role at the highest rates, and a few when they are slow.
constexpr useconds_t kBurst_us = 1000;

constexpr uint64_t kPaceInterval_ns = 100'000'000;  // how often the rate of sleeps is measured

// ---- the price of the program at switches ----

constexpr uint64_t kPriceInterval_ns = 500 * kMs;
constexpr uint64_t kEnoughTimed = 16;  // runs

// Times each field of which is at least what it was before, and of the same sum: what was taken
// for sleep until now may have been a wait since some milliseconds.
TaskTimes not_before(TaskTimes now, const TaskTimes& before) {
  constexpr std::array kStates = {&TaskTimes::blocked_ns, &TaskTimes::runnable_ns,
                                  &TaskTimes::on_cpu_ns};
  uint64_t missing = 0;
  for (const auto state : kStates) {
    if (now.*state >= before.*state) continue;
    missing += before.*state - now.*state;
    now.*state = before.*state;
  }
  for (const auto state : kStates) {
    const uint64_t given = std::min(missing, now.*state - before.*state);
    now.*state -= given;
    missing -= given;
  }
  return now;
}

constexpr size_t kPlaces = size_t{SCHED_TAKERS} * SCHED_STACKS;  // of a role

class BpfSchedReader final : public SchedReader {
 public:
  BpfSchedReader(OccupancyMaps maps, uint32_t stacks_per_s, Whose whose)
      : stacks_per_s_(stacks_per_s) {
    skeleton_ = load_skeleton<sched_bpf>("the scheduler's observer", [&](sched_bpf& open) {
      if (whose == Whose::ours) open.rodata->sees_all = 1;
      share(maps, open);
    });
    stacks_ = map_array(skeleton_->maps.stacks);
    watch_ = map_array(skeleton_->maps.watches);
    records_ = map_array(skeleton_->maps.cpus);
    attach();
    // A refusal must be noticed now.
    if (!iterate(getpid())) throw_refused("attach the scheduler's iterator", errno);
  }

  void watch(Role role, pid_t pid) override {
    watched(role).pid = pid;
    __atomic_store_n(&task_of(role), 0, __ATOMIC_SEQ_CST);
    if (link_) __atomic_fetch_and(&ring().running, ~bit(role), __ATOMIC_SEQ_CST);
    watched(role).iterator = pid > 0 && link_ ? iterate(pid) : nullptr;
    inspect(role);
  }

  void run(bool on) override {
    link_.reset();
    runs_ = {};
    price_ = Reading<Price>::warming("not measured yet");
    __atomic_store_n(&ring().running, OCCUPANCY_BOTH, __ATOMIC_SEQ_CST);  // nobody knows
    if (on) attach();
    for (const Role role : kBothRoles) watch(role, watched(role).pid);
  }

  void count(BpfCounters layout) override {
    __atomic_store_n(&skeleton_->bss->counters_shared, layout == BpfCounters::shared,
                     __ATOMIC_RELAXED);
  }

  void look_closely() override {
    begin_libbpf_log();  // keeps a refusal off the terminal
    const Link enter(bpf_program__attach(skeleton_->progs.on_enter));
    const Link exit(bpf_program__attach(skeleton_->progs.on_exit));
    if (!enter || !exit) return;
    __atomic_store_n(&ring().burst, 1, __ATOMIC_SEQ_CST);
    usleep(kBurst_us);
    __atomic_store_n(&ring().burst, 0, __ATOMIC_SEQ_CST);
  }

  void poll(uint64_t now_ns) override {
    measure_price(now_ns);
    for (const Role role : kBothRoles) {
      if (is_overdue(record(role).time, now_ns)) inspect(role);
      set_pace(role, now_ns);
    }
  }

  const Reading<Price>& price() const override { return price_; }

  Reading<TaskTimes> times(Role role) const override {
    return steady<TaskTimes>(
        role, [] {},
        [&](const sched_role& now, uint64_t) {
          TaskTimes& told = told_[static_cast<size_t>(role)];
          return told = not_before({.on_cpu_ns = now.time.ns[TASK_ON_CPU],
                                    .runnable_ns = now.time.ns[TASK_RUNNABLE],
                                    .blocked_ns = now.time.ns[TASK_BLOCKED],
                                    .voluntary_switches = now.time.sleeps,
                                    .involuntary_switches = now.involuntary,
                                    .wakeups = now.wakeups},
                                   told);
        });
  }

  Reading<Sleeps> sleeps(Role role) override {
    if (needs_stack(record(role))) inspect(role);
    Sleeps sleeps;
    const auto read_places = [&] {
      sleeps.long_ns.clear();
      sleeps.short_ns.clear();
      for (size_t i = 0; i < kPlaces; ++i) {
        sleeps.long_ns.push_back(peek(place(role, i).long_ns));
        sleeps.short_ns.push_back(peek(place(role, i).short_ns));
      }
    };
    return steady<Sleeps>(role, read_places, [&](const sched_role& now, uint64_t asleep_ns) {
      sleeps.ns = now.time.ns[TASK_BLOCKED];
      sleeps.times = now.time.sleeps;
      sleeps.lost = now.lost;
      sleeps.lost_ns = now.lost_ns;
      if (asleep_ns > 0) add_open(role, now, asleep_ns, sleeps);
      return std::move(sleeps);
    });
  }

  std::span<const uint64_t> stack(Role role, size_t i) const override {
    const sched_stack& stack = place(role, i);
    static_assert(sizeof(stack.ip[0]) == sizeof(uint64_t));
    return {reinterpret_cast<const uint64_t*>(stack.ip),
            std::min<size_t>(stack.frames, SCHED_DEPTH)};
  }

 private:
  // Of the program at switches, cumulative; `at_ns` 0: nothing to compare with.
  struct Runs {
    uint64_t at_ns = 0, all = 0, timed = 0, timed_ns = 0;
  };

  struct Watched {
    pid_t pid = 0;
    Link iterator;
    uint64_t pace_at_ns = 0, sleeps_then = 0;
  };

  static uint32_t bit(Role role) { return 1u << static_cast<uint32_t>(role); }
  ring_watch& ring() const { return *static_cast<ring_watch*>(watch_.data()); }
  Watched& watched(Role role) { return watched_[static_cast<size_t>(role)]; }
  __u64& task_of(Role role) const { return skeleton_->bss->role_task[static_cast<size_t>(role)]; }
  const sched_role& record(Role role) const {
    return skeleton_->bss->roles[static_cast<size_t>(role)];
  }

  // A role's places: first those of the events, then those of the iterator.
  static size_t index_of(Role role, size_t i) {
    return (i / SCHED_STACKS * SCHED_ROLES + static_cast<size_t>(role)) * SCHED_STACKS +
           i % SCHED_STACKS;
  }
  const sched_stack& place(Role role, size_t i) const {
    return static_cast<const sched_stack*>(stacks_.data())[index_of(role, i)];
  }

  static void share(OccupancyMaps maps, sched_bpf& open) {
    open.rodata->cpu_count = possible_cpus();
    bpf_map__set_max_entries(open.maps.cpus, possible_cpus() + 1);
    if (maps.cpus_fd < 0) return;
    if (bpf_map__reuse_fd(open.maps.cpus, maps.cpus_fd) != 0 ||
        bpf_map__reuse_fd(open.maps.watches, maps.watches_fd) != 0)
      throw_refused("share the sampler's counters", errno);
  }

  void attach() {
    begin_libbpf_log();
    link_.reset(bpf_program__attach(skeleton_->progs.on_switch));
    if (!link_) throw_refused("attach the scheduler's observer", errno);
  }

  Runs count_runs(uint64_t now_ns) const {
    Runs sum = {.at_ns = now_ns};
    const auto* cpus = static_cast<const sampler_cpu*>(records_.data());
    for (const sampler_cpu& cpu : std::span(cpus, possible_cpus() + 1)) {
      sum.all += peek(cpu.switches);
      sum.timed += peek(cpu.timed);
      sum.timed_ns += peek(cpu.timed_ns);
    }
    return sum;
  }

  void measure_price(uint64_t now_ns) {
    if (!link_ || now_ns < runs_.at_ns + kPriceInterval_ns) return;
    const Runs then = std::exchange(runs_, count_runs(now_ns));
    if (then.at_ns == 0) return;
    if (const uint64_t timed = runs_.timed - then.timed; timed >= kEnoughTimed)
      run_ns_ = double(runs_.timed_ns - then.timed_ns) / double(timed);
    price_ = Reading<Price>::of(
        price_of_runs(double(runs_.all - then.all) * 1e9 / double(now_ns - then.at_ns), run_ns_));
  }

  static bool is_off_cpu(uint32_t state) { return state == TASK_BLOCKED || state == TASK_RUNNABLE; }

  // Whether the iterator should look at it: a switch to it may have been missed, or its sleep may
  // have ended and none of ours has told.
  static bool is_overdue(const task_time& time, uint64_t now_ns) {
    const uint32_t state = peek(time.state);
    return state == TASK_UNKNOWN ||
           (is_off_cpu(state) && now_ns > peek(time.since_ns) + TASK_SETTLED_NS);
  }

  Link iterate(pid_t pid) { return attach_to_task(skeleton_->progs.inspect, pid); }

  void inspect(Role role) {
    const Link& iterator = watched(role).iterator;
    if (!iterator) return;
    skeleton_->bss->asked_role = static_cast<uint32_t>(role);
    (void)run_iterator(iterator);
  }

  // So that no more stacks are taken than promised.
  void set_pace(Role role, uint64_t now_ns) {
    Watched& watched = this->watched(role);
    if (now_ns < watched.pace_at_ns + kPaceInterval_ns) return;
    const uint64_t sleeps = peek(record(role).time.sleeps) - watched.sleeps_then;
    const uint64_t allowed = (now_ns - watched.pace_at_ns) * stacks_per_s_ / 1'000'000'000;
    const uint64_t one_of = (sleeps + allowed) / std::max<uint64_t>(allowed, 1);
    __atomic_store_n(&skeleton_->data->take_one_of[static_cast<size_t>(role)],
                     static_cast<uint32_t>(one_of), __ATOMIC_RELAXED);
    watched.pace_at_ns = now_ns;
    watched.sleeps_then += sleeps;
  }

  // A sleep that was expected to be short, or that began before we watched.
  static bool needs_stack(const sched_role& now) {
    const uint64_t since_ns = peek(now.time.since_ns);
    return peek(now.time.state) == TASK_BLOCKED && peek(now.stack) == SCHED_NOT_TAKEN &&
           peek(now.time.seen_ns) < since_ns && monotonic_ns() > since_ns + SCHED_LONG_NS;
  }

  static void add_open(Role role, const sched_role& now, uint64_t open_ns, Sleeps& sleeps) {
    for (size_t i = 0; i < kPlaces; ++i)
      if (index_of(role, i) == now.stack) sleeps.long_ns[i] += open_ns;
    if (now.stack != SCHED_NOT_KEPT) return;
    ++sleeps.lost;
    sleeps.lost_ns += open_ns;
  }

  // Ends what the record tells of where the iterator has seen something else long after.
  static void adopt_seen(task_time& time, uint64_t from_ns) {
    if (!is_off_cpu(time.state) || time.seen == time.state ||
        time.seen_ns < time.since_ns + TASK_SETTLED_NS)
      return;
    time.ns[time.state] += from_ns - time.since_ns;
    time.state = time.seen;
    time.since_ns = from_ns;
  }

  // What `make` makes of a role's record, in which the current interval is counted, and of the time
  // that a sleep has lasted whose end no event has told. `also` reads what is changed with the
  // record.
  template <class Value, class Also, class Make>
  Reading<Value> steady(Role role, const Also& also, const Make& make) const {
    const uint64_t now_ns = monotonic_ns();
    auto now = read_between_changes(record(role), also);
    if (!now) return Reading<Value>::warming("the state changed during every read");
    if (peek(task_of(role)) == 0) now->time.state = TASK_NOBODY;
    if (now->time.state == TASK_UNKNOWN) now->stack = SCHED_NOT_TAKEN;
    if (now->stack == SCHED_NOT_TAKEN && now->time.seen_ns >= now->time.since_ns)
      now->stack = now->seen_stack;
    const auto& ns = now->time.ns;
    const uint64_t slept_ns = ns[TASK_BLOCKED];
    adopt_seen(now->time, now->seen_from_ns);
    const bool known = bring_up_to(now_ns, now->time).has_value();
    const bool nobody = now->time.state == TASK_NOBODY && ns[0] + ns[1] + ns[2] == 0;
    if (!known || nobody) return Reading<Value>::warming("nothing is known about it yet");
    return Reading<Value>::of(make(*now, ns[TASK_BLOCKED] - slept_ns));
  }

  uint32_t stacks_per_s_;
  // The link is destroyed first, so that no program runs when the maps are released.
  Skeleton<sched_bpf> skeleton_;
  Mapping stacks_, watch_, records_;
  Link link_;
  std::array<Watched, kRoles> watched_;
  mutable std::array<TaskTimes, kRoles> told_;  // by times()
  Runs runs_;
  double run_ns_ = 60;  // until enough were timed
  Reading<Price> price_ = Reading<Price>::warming("not measured yet");
};

}  // namespace

std::unique_ptr<SchedReader> make_sched_reader(OccupancyMaps maps, uint32_t stacks_per_s,
                                               Whose whose) {
  return std::make_unique<BpfSchedReader>(maps, stacks_per_s, whose);
}

}  // namespace pipetop::observe

#include "engine/observe/sched_reader.h"

#include "bpf/sampler.h"
#include "bpf/sched.h"

// The skeleton has variables of these types.
#include <sched.skel.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "engine/base/clock.h"
#include "engine/observe/libbpf.h"

namespace pipetop::observe {
namespace {

static_assert(SCHED_ROLES == kRoles);

// Some hundred syscalls of each role at the highest rates, and a few when they are slow.
constexpr useconds_t kBurst_us = 1000;

constexpr uint64_t kPaceInterval_ns = 100'000'000;  // how often the rate of sleeps is measured

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
    attach();
    // A refusal must be noticed now.
    if (!iterate(getpid())) throw_refused("attach the scheduler's iterator", errno);
  }

  void watch(Role role, pid_t pid) override {
    watched(role).pid = pid;
    __atomic_store_n(&task_of(role), 0, __ATOMIC_SEQ_CST);
    if (!links_.empty()) __atomic_fetch_and(&ring().running, ~bit(role), __ATOMIC_SEQ_CST);
    watched(role).iterator = pid > 0 && !links_.empty() ? iterate(pid) : nullptr;
    inspect(role);
  }

  void run(bool on) override {
    links_.clear();
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
    for (const Role role : kBothRoles) {
      if (peek(record(role).state) == SCHED_UNKNOWN) inspect(role);
      set_pace(role, now_ns);
    }
  }

  Reading<TaskTimes> times(Role role) const override {
    return steady<TaskTimes>(role, [](const Present& present) { return present.times; });
  }

  Reading<Sleeps> sleeps(Role role) override {
    if (needs_stack(role)) inspect(role);
    return steady<Sleeps>(role, [&](const Present& present) {
      Sleeps sleeps;
      sleeps.ns = present.times.blocked_ns;
      sleeps.times = present.times.voluntary_switches;
      sleeps.lost = present.lost;
      sleeps.lost_ns = present.lost_ns;
      for (size_t i = 0; i < kPlaces; ++i) {
        sleeps.long_ns.push_back(peek(place(role, i).long_ns));
        sleeps.short_ns.push_back(peek(place(role, i).short_ns));
      }
      if (present.state == SCHED_BLOCKED) add_open(role, present, sleeps);
      return sleeps;
    });
  }

  std::span<const uint64_t> stack(Role role, size_t i) const override {
    const sched_stack& stack = place(role, i);
    static_assert(sizeof(stack.ip[0]) == sizeof(uint64_t));
    return {reinterpret_cast<const uint64_t*>(stack.ip),
            std::min<size_t>(stack.frames, SCHED_DEPTH)};
  }

 private:
  struct Watched {
    pid_t pid = 0;
    Link iterator;
    uint64_t pace_at_ns = 0, sleeps_then = 0;
  };

  // A role at one instant.
  struct Present {
    uint32_t state = SCHED_NOBODY;
    uint64_t open_ns = 0;  // in this state; it is in `times`
    TaskTimes times;
    uint64_t lost = 0, lost_ns = 0;
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
    for (const bpf_program* program : {skeleton_->progs.on_switch, skeleton_->progs.on_wakeup}) {
      links_.emplace_back(bpf_program__attach(program));
      if (!links_.back()) throw_refused("attach the scheduler's observer", errno);
    }
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
    const uint64_t sleeps = peek(record(role).counts.voluntary) - watched.sleeps_then;
    const uint64_t allowed = (now_ns - watched.pace_at_ns) * stacks_per_s_ / 1'000'000'000;
    const uint64_t one_of = (sleeps + allowed) / std::max<uint64_t>(allowed, 1);
    __atomic_store_n(&skeleton_->data->take_one_of[static_cast<size_t>(role)],
                     static_cast<uint32_t>(one_of), __ATOMIC_RELAXED);
    watched.pace_at_ns = now_ns;
    watched.sleeps_then += sleeps;
  }

  // A sleep that was expected to be short, or that began before we watched.
  bool needs_stack(Role role) const {
    const sched_role& now = record(role);
    return peek(now.state) == SCHED_BLOCKED && peek(now.stack) == SCHED_NOT_TAKEN &&
           now.seen_ns < peek(now.since_ns) && monotonic_ns() > peek(now.since_ns) + SCHED_LONG_NS;
  }

  void add_open(Role role, const Present& present, Sleeps& sleeps) const {
    const sched_role& now = record(role);
    uint32_t stack = peek(now.stack);
    if (peek(now.state) == SCHED_UNKNOWN) stack = SCHED_NOT_TAKEN;
    if (stack == SCHED_NOT_TAKEN && now.seen_ns >= peek(now.since_ns)) stack = now.seen_stack;
    for (size_t i = 0; i < kPlaces; ++i)
      if (index_of(role, i) == stack) sleeps.long_ns[i] += present.open_ns;
    if (stack != SCHED_NOT_KEPT) return;
    ++sleeps.lost;
    sleeps.lost_ns += present.open_ns;
  }

  // Nothing while the state is not known.
  std::optional<Present> present(Role role) const {
    const sched_role& now = record(role);
    Present present;
    const uint64_t since_ns = peek(now.since_ns);
    if (peek(task_of(role)) != 0) present.state = peek(now.state);
    if (present.state == SCHED_UNKNOWN) {
      if (now.seen_ns < since_ns + kSettled_ns) return {};
      present.state = now.seen;
    }
    const sched_counts& counts = now.counts;
    present.times = {.on_cpu_ns = peek(counts.ns[SCHED_ON_CPU]),
                     .runnable_ns = peek(counts.ns[SCHED_RUNNABLE]),
                     .blocked_ns = peek(counts.ns[SCHED_BLOCKED]),
                     .voluntary_switches = peek(counts.voluntary),
                     .involuntary_switches = peek(counts.involuntary),
                     .wakeups = peek(counts.wakeups)};
    present.lost = peek(counts.lost);
    present.lost_ns = peek(counts.lost_ns);
    if (present.state == SCHED_NOBODY && present.times.wall_ns() == 0) return {};
    if (present.state == SCHED_NOBODY) return present;
    const uint64_t now_ns = monotonic_ns();
    present.open_ns = now_ns > since_ns ? now_ns - since_ns : 0;
    TaskTimes& times = present.times;
    (present.state == SCHED_ON_CPU     ? times.on_cpu_ns
     : present.state == SCHED_RUNNABLE ? times.runnable_ns
                                       : times.blocked_ns) += present.open_ns;
    return present;
  }

  // The result of `make` for a consistent state of the role.
  template <class Value, class Make>
  Reading<Value> steady(Role role, const Make& make) const {
    const sched_role& changing = record(role);
    for (int i = 0; i < kReadAttempts; ++i) {
      const uint32_t before = __atomic_load_n(&changing.sequence, __ATOMIC_ACQUIRE);
      if (before % 2 != 0) continue;
      const auto now = present(role);
      std::optional<Value> value;
      if (now) value = make(*now);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (peek(changing.sequence) != before) continue;
      if (!value) return Reading<Value>::warming("nothing is known about it yet");
      return Reading<Value>::of(std::move(*value));
    }
    return Reading<Value>::warming("the state changed during every read");
  }

  uint32_t stacks_per_s_;
  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<sched_bpf> skeleton_;
  Mapping stacks_, watch_;
  std::vector<Link> links_;
  std::array<Watched, kRoles> watched_;
};

}  // namespace

std::unique_ptr<SchedReader> make_sched_reader(OccupancyMaps maps, uint32_t stacks_per_s,
                                               Whose whose) {
  return std::make_unique<BpfSchedReader>(maps, stacks_per_s, whose);
}

}  // namespace pipetop::observe

#include "engine/observe/sampler.h"

#include <fcntl.h>
#include <sampler.skel.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "bpf/sampler.h"
#include "engine/base/clock.h"
#include "engine/observe/libbpf.h"
#include "engine/process/child.h"

namespace pipetop::observe {
namespace {

static_assert(SAMPLER_ROLES == kRoles);
static_assert(sizeof(sampler_cpu) % 64 == 0);

constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO

void add_time(OccupancyCounts::Time& time, const occupancy_sum& sum) {
  uint64_t ns = 0;  // modulo 2^64: a record's steps are the differences that its CPU saw
  for (size_t i = 0; i < time.ns.size(); ++i) time.ns[i] += ns += peek(sum.steps[i]);
  time.share_ns += peek(sum.share_ns);
}

void add_motion(OccupancyCounts::Motion& motion, const occupancy_motion& more) {
  motion.ns += peek(more.ns);
  add_time(motion.sampled, more.sampled);
}

class BpfSampler final : public Sampler {
 public:
  BpfSampler(uint32_t hz, int copies_fd, Whose whose) : rate_{std::min(hz, max_sample_hz())} {
    raise_descriptor_limit();  // an event takes three: six for a CPU with both clocks
    PerfEvents cycles = open_perf_events(PerfClock::cycles, rate_);
    PerfEvents clock = open_perf_events(PerfClock::cpu_clock, rate_);
    if (clock.by_cpu.empty()) throw_refused("perf_event_open", clock.error_number);
    clock_ = cycles.by_cpu.empty() ? "cpu-clock" : "cycles";

    load(copies_fd, clock.by_cpu.size(), whose);
    records_ = map_array(skeleton_->maps.cpus);
    watch_ = map_array(skeleton_->maps.watches);
    ring().running = OCCUPANCY_BOTH;  // until the scheduler's programs know better
    ring().tick_ns = kSecond / rate_.hz;
    buffer_.reset(ring_buffer__new(bpf_map__fd(skeleton_->maps.samples), &BpfSampler::receive, this,
                                   nullptr));
    if (!buffer_) throw_refused("map the sampler's buffer", errno);
    attach(skeleton_->progs.on_cycles, PerfClock::cycles, std::move(cycles));
    attach(skeleton_->progs.on_clock, PerfClock::cpu_clock, std::move(clock));
    set_patience();
  }

  const std::string& clock() const override { return clock_; }

  void set_rate(TickRate rate, uint64_t tick_ns) override {
    __atomic_store_n(&ring().tick_ns, tick_ns, __ATOMIC_RELAXED);
    if (std::exchange(rate_, rate) == rate) return;
    for (const PerfClock clock : {PerfClock::cycles, PerfClock::cpu_clock})
      observe::set_rate(clock, events(clock), rate);
    set_patience();
  }

  void watch(Role role, std::span<const pid_t> pids) override {
    const int map = bpf_map__fd(skeleton_->maps.watched);
    std::vector<pid_t>& watched = watched_[static_cast<size_t>(role)];
    for (const pid_t pid : watched)
      if (std::ranges::find(pids, pid) == pids.end()) bpf_map_delete_elem(map, &pid);
    watched.assign(pids.begin(), pids.end());
    const auto value = static_cast<uint32_t>(role);
    for (const pid_t pid : watched) bpf_map_update_elem(map, &pid, &value, BPF_ANY);
  }

  void watch_pipe(uint64_t pipe_address) override {
    __atomic_store_n(&ring().point, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ring().pipe, pipe_address, __ATOMIC_RELEASE);
  }

  OccupancyMaps occupancy_maps() const override {
    return {bpf_map__fd(skeleton_->maps.cpus), bpf_map__fd(skeleton_->maps.watches)};
  }

  void request_copy(uint64_t from_ns, uint32_t cpu) override {
    __atomic_store_n(&skeleton_->bss->copy_wanted_cpu, cpu, __ATOMIC_RELAXED);
    __atomic_store_n(&skeleton_->bss->copy_wanted_ns, from_ns, __ATOMIC_RELEASE);
  }

  void run(bool on) override {
    if (on) __atomic_store_n(&ring().point, 0, __ATOMIC_RELAXED);  // nobody looked meanwhile
    for (const auto& by_cpu : events_)
      for (const UniqueFd& event : by_cpu) enable(event, on);
  }

  void count(BpfCounters layout) override {
    __atomic_store_n(&skeleton_->bss->counters_shared, layout == BpfCounters::shared,
                     __ATOMIC_RELAXED);
  }
  uint32_t cpus() const override { return cpus_; }

  void drain(const std::function<void(const StackSample&)>& sink) override {
    sink_ = &sink;
    ring_buffer__consume(buffer_.get());
    sink_ = nullptr;
  }

  uint64_t lost(Role role) const override {
    uint64_t lost = 0;
    for (const sampler_cpu& cpu : records()) lost += peek(cpu.lost[static_cast<size_t>(role)]);
    return lost;
  }

  OccupancyCounts occupancy(uint64_t now_ns) const override {
    OccupancyCounts counts;
    for (const sampler_cpu& cpu : records()) {
      const occupancy_record& record = cpu.occupancy;
      add_time(counts.still, record.still);
      add_motion(counts.one, record.one);
      add_motion(counts.both, record.both);
      counts.points += peek(record.points);
    }
    // The ring has stood still since, if no role runs.
    const uint64_t point = peek(ring().point);
    const auto ns =
        static_cast<int64_t>((now_ns << OCCUPANCY_SHARE_BITS) - point) >> OCCUPANCY_SHARE_BITS;
    if (point != 0 && ns > 0 && peek(ring().running) == 0)
      counts.still.add(point & OCCUPANCY_SHARE_ONE, static_cast<uint64_t>(ns));
    return counts;
  }

 private:
  ring_watch& ring() const { return *static_cast<ring_watch*>(watch_.data()); }
  std::span<const sampler_cpu> records() const {
    return {static_cast<const sampler_cpu*>(records_.data()), cpus_ + 1};
  }

  void load(int copies_fd, size_t sampled_cpus, Whose whose) {
    skeleton_ = load_skeleton<sampler_bpf>("the sampler", [&](sampler_bpf& sampler) {
      sampler.rodata->clock_takes_stacks = clock_ == "cpu-clock";
      if (whose == Whose::ours) sampler.rodata->sees_all = 1;
      struct stat ns = {};
      if (stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != kFirstPidNamespace) {
        sampler.rodata->pid_ns_dev = ns.st_dev;
        sampler.rodata->pid_ns_ino = ns.st_ino;
      }
      sampler.rodata->cpu_count = cpus_;
      bpf_map__set_max_entries(sampler.maps.cpus, cpus_ + 1);
      bpf_map__set_max_entries(sampler.maps.samples, sample_buffer_bytes(rate_.hz, sampled_cpus));
      if (copies_fd >= 0 && bpf_map__reuse_fd(sampler.maps.copies, copies_fd) != 0)
        throw_refused("share the ring's copies", errno);
    });
  }

  std::vector<UniqueFd>& events(PerfClock clock) { return events_[static_cast<size_t>(clock)]; }

  // The CPU that is to copy the ring gets the time for a tick.
  void set_patience() {
    const uint64_t two_ticks = 2'000'000'000 / rate_.hz;
    __atomic_store_n(&skeleton_->bss->copy_patience_ns,
                     std::max<uint64_t>(two_ticks, SAMPLER_PATIENCE_NS), __ATOMIC_RELAXED);
  }

  void attach(bpf_program* program, PerfClock clock, PerfEvents opened) {
    for (UniqueFd& event : opened.by_cpu) {
      Link link(bpf_program__attach_perf_event(program, event.get()));
      if (!link) throw_refused("attach the sampler", errno);
      events(clock).emplace_back(::fcntl(event.get(), F_DUPFD_CLOEXEC, 0));
      event.release();  // the link closes it
      links_.push_back(std::move(link));
    }
  }

  static int receive(void* self, void* data, size_t bytes) {
    if (const auto sample = sample_of(data, bytes))
      (*static_cast<BpfSampler*>(self)->sink_)(*sample);
    return 0;
  }

  TickRate rate_;
  std::string clock_;
  const uint32_t cpus_ = possible_cpus();
  const std::function<void(const StackSample&)>* sink_ = nullptr;
  // Links are destroyed first, so that no program runs when the maps are released.
  Skeleton<sampler_bpf> skeleton_;
  Mapping records_, watch_;
  RingBuffer buffer_;
  std::vector<Link> links_;
  std::array<std::vector<pid_t>, kRoles> watched_;  // by Role
  std::array<std::vector<UniqueFd>, 2> events_;     // by PerfClock: the ones that the links own
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(uint32_t hz, int copies_fd, Whose whose) {
  return std::make_unique<BpfSampler>(hz, copies_fd, whose);
}

}  // namespace pipetop::observe

// The members of each struct of a snapshot, with their names: whatever goes through all of them
// (recordings, comparisons) does so by these tables, so that a new member is one line here. The
// compiler refuses a table that lacks a member.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "engine/model/snapshot.h"
#include "engine/model/tables.h"

namespace pipetop {

// "bytes_per_s", of &Pipe::bytes_per_s.
template <auto kMember>
consteval std::string_view member_name() {
  constexpr std::string_view kBefore = "kMember = ";
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find(kBefore) + kBefore.size());
  name = name.substr(0, name.find_first_of(";])"));
  return name.substr(name.rfind(':') + 1);
}

// Pointers to members. A struct has them if there is a function fields(const T*) that returns them.
template <auto... kMembers>
struct Fields {
  static constexpr size_t kCount = sizeof...(kMembers);

  // visit.operator()<kMember>() of each, in their order.
  template <class Visit>
  static constexpr void each(Visit visit) {
    (visit.template operator()<kMembers>(), ...);
  }
  // Whether test.operator()<kMember>() holds for each.
  template <class Test>
  static constexpr bool all(Test test) {
    return (test.template operator()<kMembers>() && ...);
  }
};

template <class T>
constexpr auto fields(const Reading<T>*) {
  return Fields<&Reading<T>::status, &Reading<T>::value, &Reading<T>::reason>();
}

template <class T>
concept HasFields = requires {
  fields(static_cast<const T*>(nullptr));
};
template <HasFields T>
using FieldsOf = decltype(fields(static_cast<const T*>(nullptr)));

// ---- whether a table is complete -------------------------------------------------

struct AnyValue {
  template <class T>
  operator T() const;  // never called
};

// How many values initialise an aggregate. The members of a base count as one.
template <class T, class... Values>
constexpr size_t members() {
  if constexpr (requires { T{Values()..., AnyValue()}; })
    return members<T, Values..., AnyValue>();
  else
    return sizeof...(Values);
}

// Members that no table has: the table of all pipes, and what is stale.
template <class T>
inline constexpr size_t kLeftOut = 0;
template <>
inline constexpr size_t kLeftOut<Snapshot> = 3;
template <class T>
inline constexpr size_t kOfItsBase = 0;
template <>
inline constexpr size_t kOfItsBase<Integrity> = members<WorkerIntegrity>() - 1;
template <>
inline constexpr size_t kOfItsBase<Occupancy> = members<RingLevel>() - 1;

template <HasFields T>
inline constexpr bool kComplete = members<T>() + kOfItsBase<T> == FieldsOf<T>::kCount + kLeftOut<T>;

// ---- the tables ------------------------------------------------------------------

constexpr auto fields(const PipeSettings*) {
  using T = PipeSettings;
  return Fields<&T::write_with, &T::read_with, &T::writer_wait, &T::reader_wait, &T::pages,
                &T::gift, &T::buffers, &T::touch_pages, &T::lock_memory, &T::buf_size,
                &T::pipe_size, &T::placement, &T::writer_cpu, &T::reader_cpu, &T::payload,
                &T::check_huge_page, &T::slow_motion, &T::pairs, &T::single_step>();
}
constexpr auto fields(const PageCacheSettings*) {
  using T = PageCacheSettings;
  return Fields<&T::clients, &T::files, &T::file_size, &T::chunk_size, &T::gang_size>();
}
constexpr auto fields(const PercpuSettings*) {
  using T = PercpuSettings;
  return Fields<&T::workers, &T::profile, &T::no_percpu, &T::rules, &T::batch>();
}
constexpr auto fields(const Settings*) {
  using T = Settings;
  return Fields<&T::workload, &T::observers, &T::pipe, &T::page_cache, &T::percpu>();
}
constexpr auto fields(const Preset*) {
  using T = Preset;
  return Fields<&T::name, &T::title, &T::settings, &T::article_gib_per_s>();
}
constexpr auto fields(const Mitigation*) {
  using T = Mitigation;
  return Fields<&T::flaw, &T::state>();
}
constexpr auto fields(const HostInfo*) {
  using T = HostInfo;
  return Fields<&T::kernel, &T::cpu, &T::cpus, &T::hypervisor, &T::mitigations, &T::thp, &T::psi,
                &T::pipe_max_size, &T::governor>();
}
constexpr auto fields(const RateStats*) {
  using T = RateStats;
  return Fields<&T::mean, &T::median, &T::stddev, &T::min, &T::max, &T::samples, &T::plus_minus>();
}
constexpr auto fields(const RatePoint*) {
  using T = RatePoint;
  return Fields<&T::at_ns, &T::rate>();
}
constexpr auto fields(const TimeShares*) {
  using T = TimeShares;
  return Fields<&T::on_cpu, &T::runnable, &T::blocked, &T::waits>();
}
constexpr auto fields(const Waits*) {
  using T = Waits;
  return Fields<&T::reading, &T::writing, &T::elsewhere>();
}
constexpr auto fields(const ProcessId*) {
  using T = ProcessId;
  return Fields<&T::pid, &T::start_ticks>();
}
constexpr auto fields(const FunctionTable*) {
  using T = FunctionTable;
  return Fields<&T::samples, &T::lost, &T::tree, &T::efficiency, &T::span_ns>();
}
constexpr auto fields(const BlockedTable*) {
  using T = BlockedTable;
  return Fields<&T::ns, &T::times, &T::lost, &T::tree>();
}
constexpr auto fields(const RoleTotals*) {
  using T = RoleTotals;
  return Fields<&T::counts, &T::wall_ns, &T::sleeps, &T::wakeups>();
}
constexpr auto fields(const SegmentRole*) {
  using T = SegmentRole;
  return Fields<&T::shares, &T::functions, &T::blocked, &T::totals, &T::processes, &T::name,
                &T::id>();
}
constexpr auto fields(const Occupancy*) {
  using T = Occupancy;
  return Fields<&T::source, &T::samples, &T::mean_share, &T::empty_share, &T::full_share,
                &T::histogram>();
}
constexpr auto fields(const OccupancyColumn*) {
  using T = OccupancyColumn;
  return Fields<&T::end_ns, &T::samples, &T::count>();
}
constexpr auto fields(const Segment*) {
  using T = Segment;
  return Fields<&T::number, &T::label, &T::key, &T::requested, &T::begin_ns, &T::duration_ns,
                &T::items, &T::rate, &T::effective, &T::pipe_bytes, &T::roles, &T::occupancy,
                &T::kinds, &T::change, &T::stages, &T::noise, &T::steal_share>();
}
constexpr auto fields(const ChangeMark*) {
  using T = ChangeMark;
  return Fields<&T::at_ns, &T::key>();
}
constexpr auto fields(const Throughput*) {
  using T = Throughput;
  return Fields<&T::over_100ms, &T::over_1s, &T::over_10s, &T::history, &T::marks, &T::current,
                &T::previous, &T::segments, &T::clock_ns, &T::total_items>();
}
constexpr auto fields(const RingFrame*) {
  using T = RingFrame;
  return Fields<&T::at_ns, &T::slots, &T::head, &T::tail, &T::used, &T::readers, &T::writers,
                &T::torn, &T::slot>();
}
constexpr auto fields(const RingReadings*) {
  using T = RingReadings;
  return Fields<&T::slots, &T::bytes, &T::frame, &T::occupancy, &T::history, &T::kinds>();
}
constexpr auto fields(const WorkerCounts*) {
  using T = WorkerCounts;
  return Fields<&T::items, &T::syscalls, &T::short_calls, &T::eagain, &T::interrupted, &T::polls,
                &T::active_ns, &T::present, &T::helper_calls>();
}
constexpr auto fields(const WorkerReadings*) {
  using T = WorkerReadings;
  return Fields<&T::role, &T::name, &T::technique, &T::processes, &T::pid, &T::state,
                &T::state_reason, &T::lacks_feature, &T::restarts, &T::counts, &T::syscalls_per_s,
                &T::bytes_per_call, &T::eagain_share, &T::short_share, &T::poll_miss_share,
                &T::shares, &T::context_switches, &T::page_faults, &T::voluntary_switches,
                &T::involuntary_switches, &T::wakeups, &T::context_switches_per_s,
                &T::page_faults_per_s, &T::voluntary_switches_per_s, &T::involuntary_switches_per_s,
                &T::wakeups_per_s, &T::times_source, &T::last_cpu, &T::functions, &T::blocked>();
}
constexpr auto fields(const Integrity*) {
  using T = Integrity;
  return Fields<&T::verified, &T::misplaced, &T::torn, &T::unstamped, &T::epochs, &T::torn_per_s,
                &T::misplaced_per_s, &T::wrong_share>();
}
constexpr auto fields(const Progress*) {
  using T = Progress;
  return Fields<&T::items, &T::clock_ns>();
}
constexpr auto fields(const PartReadings*) {
  using T = PartReadings;
  return Fields<&T::name, &T::pid, &T::cpu, &T::rate, &T::total>();
}
constexpr auto fields(const Figure*) {
  using T = Figure;
  return Fields<&T::name, &T::key, &T::kind, &T::value>();
}
constexpr auto fields(const Mismatch*) {
  using T = Mismatch;
  return Fields<&T::knob, &T::requested, &T::effective, &T::reason>();
}
constexpr auto fields(const EffectivePipe*) {
  using T = EffectivePipe;
  return Fields<&T::bytes, &T::zero_copy, &T::zero_copy_reason, &T::huge>();
}
constexpr auto fields(const Effective*) {
  using T = Effective;
  return Fields<&T::settings, &T::mismatches, &T::pipe, &T::settled, &T::preparing>();
}
constexpr auto fields(const Verdict*) {
  using T = Verdict;
  return Fields<&T::kind, &T::because, &T::stage, &T::wait, &T::evidence, &T::advice>();
}
constexpr auto fields(const Change*) {
  using T = Change;
  return Fields<&T::before, &T::after, &T::factor, &T::since_start, &T::cause, &T::evidence,
                &T::function, &T::low, &T::high>();
}
constexpr auto fields(const SamplingEvent*) {
  using T = SamplingEvent;
  return Fields<&T::name, &T::hz, &T::share, &T::price, &T::between_ticks, &T::price_low,
                &T::price_high>();
}
constexpr auto fields(const Notice*) {
  using T = Notice;
  return Fields<&T::at_ns, &T::severity, &T::text>();
}
constexpr auto fields(const PipeId*) {
  using T = PipeId;
  return Fields<&T::device, &T::inode>();
}
constexpr auto fields(const PipeEnd*) {
  using T = PipeEnd;
  return Fields<&T::process, &T::fd, &T::access, &T::nonblocking>();
}
constexpr auto fields(const SideBytes*) {
  using T = SideBytes;
  return Fields<&T::written, &T::read, &T::written_ns, &T::read_ns, &T::holders>();
}
constexpr auto fields(const RingCounts*) {
  using T = RingCounts;
  return Fields<&T::slots, &T::head, &T::tail, &T::queued_bytes, &T::past_slots, &T::past_bytes,
                &T::sides>();
}
constexpr auto fields(const RingLevel*) {
  using T = RingLevel;
  return Fields<&T::mean_share, &T::empty_share, &T::full_share, &T::samples>();
}
constexpr auto fields(const StageState*) {
  using T = StageState;
  return Fields<&T::kind, &T::wait, &T::pipe>();
}
constexpr auto fields(const StageShares*) {
  using T = StageShares;
  return Fields<&T::cpu, &T::on_cpu, &T::runnable, &T::reading, &T::writing, &T::elsewhere,
                &T::busiest_other, &T::peer>();
}
constexpr auto fields(const Stage*) {
  using T = Stage;
  return Fields<&T::id, &T::name, &T::command, &T::age_ns, &T::threads, &T::state, &T::cpu,
                &T::cpu_ns, &T::shares, &T::nice, &T::cpus, &T::functions, &T::gone, &T::outside,
                &T::limits, &T::cgroup, &T::pid_inside, &T::quota_cpus, &T::thread_list,
                &T::polls_peer, &T::blocked_in, &T::polls_nothing>();
}
constexpr auto fields(const ThreadPipe*) {
  using T = ThreadPipe;
  return Fields<&T::pipe, &T::writing, &T::share>();
}
constexpr auto fields(const StageThread*) {
  using T = StageThread;
  return Fields<&T::tid, &T::name, &T::state, &T::shares, &T::pipes, &T::reads, &T::writes>();
}
constexpr auto fields(const Throttling*) {
  using T = Throttling;
  return Fields<&T::share, &T::cpus, &T::cgroup>();
}
constexpr auto fields(const CallRate*) {
  using T = CallRate;
  return Fields<&T::per_s, &T::bytes>();
}
constexpr auto fields(const DiskUse*) {
  using T = DiskUse;
  return Fields<&T::name, &T::flags, &T::busy, &T::read_only>();
}
constexpr auto fields(const SocketQueues*) {
  using T = SocketQueues;
  return Fields<&T::peer, &T::to_send, &T::to_read>();
}
constexpr auto fields(const NamedProcess*) {
  using T = NamedProcess;
  return Fields<&T::name, &T::pid, &T::blocked>();
}
constexpr auto fields(const StageLimits*) {
  using T = StageLimits;
  return Fields<&T::reads, &T::writes, &T::quota, &T::idle_cpus, &T::disk, &T::socket, &T::child>();
}
constexpr auto fields(const StageEnd*) {
  using T = StageEnd;
  return Fields<&T::end, &T::stage, &T::active, &T::bytes>();
}
constexpr auto fields(const Pipe*) {
  using T = Pipe;
  return Fields<&T::id, &T::path, &T::writers, &T::readers, &T::kernel_writers, &T::kernel_readers,
                &T::own, &T::closed, &T::first_seen_ns, &T::older, &T::capacity, &T::queued,
                &T::ring, &T::frame, &T::level, &T::bytes_per_s, &T::exact, &T::total_bytes,
                &T::rates, &T::fill, &T::larger, &T::range, &T::socket, &T::lock>();
}
constexpr auto fields(const PipeLock*) {
  using T = PipeLock;
  return Fields<&T::holder, &T::name, &T::call>();
}
constexpr auto fields(const LargerRing*) {
  using T = LargerRing;
  return Fields<&T::bytes, &T::gain>();
}
constexpr auto fields(const EstimateRange*) {
  using T = EstimateRange;
  return Fields<&T::low, &T::high>();
}
constexpr auto fields(const SocketLink*) {
  using T = SocketLink;
  return Fields<&T::tcp, &T::name, &T::used, &T::memory, &T::empty, &T::full, &T::writable,
                &T::peer_full, &T::retries, &T::bytes, &T::read_inode, &T::from_outside,
                &T::peer_full_share>();
}
constexpr auto fields(const Pipeline*) {
  using T = Pipeline;
  return Fields<&T::stages, &T::pipes, &T::verdict, &T::window_ns, &T::sees_all, &T::measured>();
}
constexpr auto fields(const Intervention*) {
  using T = Intervention;
  return Fields<&T::text, &T::at_ns, &T::waits, &T::before_bytes_per_s, &T::after_bytes_per_s,
                &T::pipe, &T::stage, &T::measured, &T::step, &T::error>();
}
constexpr auto fields(const Snapshot*) {
  using T = Snapshot;
  return Fields<&T::now_ns, &T::uptime_ns, &T::requested, &T::effective, &T::throughput, &T::parts,
                &T::figures, &T::ring, &T::workers, &T::integrity, &T::verdict, &T::change,
                &T::event, &T::bpf_counters, &T::steal_share, &T::notices, &T::host,
                &T::cpu_pressure, &T::noise, &T::answer, &T::watched, &T::interventions,
                &T::counts_bytes, &T::no_bpf, &T::unix_ns, &T::throttling>();
}
constexpr auto fields(const Slot*) {
  using T = Slot;
  return Fields<&T::kind, &T::huge, &T::consecutive, &T::offset, &T::length, &T::flags,
                &T::rewritten>();
}
constexpr auto fields(const OccupancyHistory*) {
  using T = OccupancyHistory;
  return Fields<&T::column_ns, &T::columns>();
}

}  // namespace pipetop

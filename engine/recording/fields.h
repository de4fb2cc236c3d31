// What is recorded: the members of each struct, in the order in which they are written. Writer and
// reader share these tables.
//
// Add a new member at the END of its table, and a new struct at the end of `Recorded`; never move
// or remove one: a recording says how many members each struct had, so that older ones stay
// readable. The compiler refuses a table that lacks a member.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/recording/recording_header.h"

namespace pipetop {

// ---- enumerations: their last value -----------------------------------------

constexpr auto last_value(WriteWith) { return WriteWith::splice; }
constexpr auto last_value(ReadWith) { return ReadWith::splice; }
constexpr auto last_value(Wait) { return Wait::adaptive; }
constexpr auto last_value(Pages) { return Pages::hugetlb; }
constexpr auto last_value(Buffers) { return Buffers::single; }
constexpr auto last_value(Placement) { return Placement::cpus; }
constexpr auto last_value(Payload) { return Payload::stamped; }
constexpr auto last_value(Files) { return Files::own; }
constexpr auto last_value(Profile) { return Profile::gact; }
constexpr auto last_value(WorkloadKind) { return WorkloadKind::percpu; }
constexpr auto last_value(Observing) { return Observing::off; }
constexpr auto last_value(Role) { return Role::reader; }
constexpr auto last_value(ProcessState) { return ProcessState::failed; }
constexpr auto last_value(FigureKind) { return FigureKind::ratio; }
constexpr auto last_value(ZeroCopy) { return ZeroCopy::no_copy; }
constexpr auto last_value(Verdict::Kind) { return Verdict::Kind::stopped; }
constexpr auto last_value(Severity) { return Severity::error; }
constexpr auto last_value(BpfCounters) { return BpfCounters::shared; }
constexpr auto last_value(ShowPart) { return ShowPart::throughput; }
constexpr auto last_value(RecordedMark::Kind) { return RecordedMark::Kind::scene; }
constexpr auto last_value(SceneWait::For) { return SceneWait::For::key; }
constexpr auto last_value(WaitsFor) { return WaitsFor::other; }
constexpr auto last_value(Access) { return Access::both; }
constexpr auto last_value(StageState::Kind) { return StageState::Kind::zombie; }

// ---- structs ------------------------------------------------------------------

constexpr auto fields(const PipeSettings*) {
  using T = PipeSettings;
  return std::tuple(&T::write_with, &T::read_with, &T::writer_wait, &T::reader_wait, &T::pages,
                    &T::gift, &T::buffers, &T::touch_pages, &T::lock_memory, &T::buf_size,
                    &T::pipe_size, &T::placement, &T::writer_cpu, &T::reader_cpu, &T::payload,
                    &T::check_huge_page, &T::slow_motion, &T::pairs, &T::single_step);
}
constexpr auto fields(const PageCacheSettings*) {
  using T = PageCacheSettings;
  return std::tuple(&T::clients, &T::files, &T::file_size, &T::chunk_size, &T::gang_size);
}
constexpr auto fields(const PercpuSettings*) {
  using T = PercpuSettings;
  return std::tuple(&T::workers, &T::profile, &T::no_percpu, &T::rules, &T::batch);
}
constexpr auto fields(const Settings*) {
  using T = Settings;
  return std::tuple(&T::workload, &T::observers, &T::pipe, &T::page_cache, &T::percpu);
}
constexpr auto fields(const Preset*) {
  using T = Preset;
  return std::tuple(&T::name, &T::title, &T::settings, &T::article_gib_per_s);
}
constexpr auto fields(const Mitigation*) {
  using T = Mitigation;
  return std::tuple(&T::flaw, &T::state);
}
constexpr auto fields(const HostInfo*) {
  using T = HostInfo;
  return std::tuple(&T::kernel, &T::cpu, &T::cpus, &T::hypervisor, &T::mitigations, &T::thp,
                    &T::psi, &T::pipe_max_size, &T::governor);
}
constexpr auto fields(const RecordingHeader*) {
  using T = RecordingHeader;
  return std::tuple(&T::unix_s, &T::frames_per_s, &T::settings, &T::presets, &T::roof_gib_per_s,
                    &T::host);
}
constexpr auto fields(const SceneWait*) {
  using T = SceneWait;
  return std::tuple(&T::what, &T::ns);
}
constexpr auto fields(const RecordedMark*) {
  using T = RecordedMark;
  return std::tuple(&T::at_ns, &T::kind, &T::number, &T::label, &T::key, &T::caption, &T::view,
                    &T::highlight, &T::notes, &T::wait, &T::planned_ns);
}
constexpr auto fields(const RateStats*) {
  using T = RateStats;
  return std::tuple(&T::mean, &T::median, &T::stddev, &T::min, &T::max, &T::samples,
                    &T::plus_minus);
}
constexpr auto fields(const RatePoint*) {
  using T = RatePoint;
  return std::tuple(&T::at_ns, &T::rate);
}
constexpr auto fields(const TimeShares*) {
  using T = TimeShares;
  return std::tuple(&T::on_cpu, &T::runnable, &T::blocked, &T::waits);
}
constexpr auto fields(const Waits*) {
  using T = Waits;
  return std::tuple(&T::reading, &T::writing, &T::elsewhere);
}
constexpr auto fields(const ProcessId*) {
  using T = ProcessId;
  return std::tuple(&T::pid, &T::start_ticks);
}
constexpr auto fields(const FunctionTable*) {
  using T = FunctionTable;
  return std::tuple(&T::samples, &T::lost, &T::tree, &T::efficiency, &T::span_ns);
}
constexpr auto fields(const BlockedTable*) {
  using T = BlockedTable;
  return std::tuple(&T::ns, &T::times, &T::lost, &T::tree);
}
constexpr auto fields(const RoleTotals*) {
  using T = RoleTotals;
  return std::tuple(&T::counts, &T::wall_ns, &T::sleeps, &T::wakeups);
}
constexpr auto fields(const SegmentRole*) {
  using T = SegmentRole;
  return std::tuple(&T::shares, &T::functions, &T::blocked, &T::totals, &T::processes, &T::name,
                    &T::id);
}
constexpr auto fields(const Occupancy*) {
  using T = Occupancy;
  return std::tuple(&T::source, &T::samples, &T::mean_share, &T::empty_share, &T::full_share,
                    &T::histogram);
}
constexpr auto fields(const OccupancyColumn*) {
  using T = OccupancyColumn;
  return std::tuple(&T::end_ns, &T::samples, &T::count);
}
constexpr auto fields(const Segment*) {
  using T = Segment;
  return std::tuple(&T::number, &T::label, &T::key, &T::requested, &T::begin_ns, &T::duration_ns,
                    &T::items, &T::rate, &T::effective, &T::pipe_bytes, &T::roles, &T::occupancy,
                    &T::kinds, &T::change, &T::stages, &T::noise, &T::steal_share);
}
constexpr auto fields(const ChangeMark*) {
  using T = ChangeMark;
  return std::tuple(&T::at_ns, &T::key);
}
constexpr auto fields(const Throughput*) {
  using T = Throughput;
  return std::tuple(&T::over_100ms, &T::over_1s, &T::over_10s, &T::history, &T::marks, &T::current,
                    &T::previous, &T::segments, &T::clock_ns, &T::total_items);
}
constexpr auto fields(const RingFrame*) {
  using T = RingFrame;
  return std::tuple(&T::at_ns, &T::slots, &T::head, &T::tail, &T::used, &T::readers, &T::writers,
                    &T::torn, &T::slot);
}
constexpr auto fields(const RingReadings*) {
  using T = RingReadings;
  return std::tuple(&T::slots, &T::bytes, &T::frame, &T::occupancy, &T::history, &T::kinds);
}
constexpr auto fields(const WorkerCounts*) { return std::tuple_cat(kWorkerCounts); }
constexpr auto fields(const WorkerReadings*) {
  using T = WorkerReadings;
  return std::tuple(&T::role, &T::name, &T::technique, &T::processes, &T::pid, &T::state,
                    &T::state_reason, &T::lacks_feature, &T::restarts, &T::counts,
                    &T::syscalls_per_s, &T::bytes_per_call, &T::eagain_share, &T::short_share,
                    &T::poll_miss_share, &T::shares, &T::context_switches, &T::page_faults,
                    &T::voluntary_switches, &T::involuntary_switches, &T::wakeups,
                    &T::context_switches_per_s, &T::page_faults_per_s, &T::voluntary_switches_per_s,
                    &T::involuntary_switches_per_s, &T::wakeups_per_s, &T::times_source,
                    &T::last_cpu, &T::functions, &T::blocked);
}
constexpr auto fields(const Integrity*) {
  using T = Integrity;
  return std::tuple(&T::verified, &T::misplaced, &T::torn, &T::unstamped, &T::epochs,
                    &T::torn_per_s, &T::misplaced_per_s, &T::wrong_share);
}
constexpr auto fields(const Progress*) {
  using T = Progress;
  return std::tuple(&T::items, &T::clock_ns);
}
constexpr auto fields(const PartReadings*) {
  using T = PartReadings;
  return std::tuple(&T::name, &T::pid, &T::cpu, &T::rate, &T::total);
}
constexpr auto fields(const Figure*) {
  using T = Figure;
  return std::tuple(&T::name, &T::key, &T::kind, &T::value);
}
constexpr auto fields(const Mismatch*) {
  using T = Mismatch;
  return std::tuple(&T::knob, &T::requested, &T::effective, &T::reason);
}
constexpr auto fields(const EffectivePipe*) {
  using T = EffectivePipe;
  return std::tuple(&T::bytes, &T::zero_copy, &T::zero_copy_reason, &T::huge);
}
constexpr auto fields(const Effective*) {
  using T = Effective;
  return std::tuple(&T::settings, &T::mismatches, &T::pipe, &T::settled, &T::preparing);
}
constexpr auto fields(const Verdict*) {
  using T = Verdict;
  return std::tuple(&T::kind, &T::because, &T::stage, &T::wait, &T::evidence, &T::advice);
}
constexpr auto fields(const Change*) {
  using T = Change;
  return std::tuple(&T::before, &T::after, &T::factor, &T::since_start, &T::cause, &T::evidence,
                    &T::function, &T::low, &T::high);
}
constexpr auto fields(const SamplingEvent*) {
  using T = SamplingEvent;
  return std::tuple(&T::name, &T::hz, &T::share, &T::price, &T::between_ticks, &T::price_low,
                    &T::price_high);
}
constexpr auto fields(const Notice*) {
  using T = Notice;
  return std::tuple(&T::at_ns, &T::severity, &T::text);
}
constexpr auto fields(const PipeId*) {
  using T = PipeId;
  return std::tuple(&T::device, &T::inode);
}
constexpr auto fields(const PipeEnd*) {
  using T = PipeEnd;
  return std::tuple(&T::process, &T::fd, &T::access, &T::nonblocking);
}
constexpr auto fields(const SideBytes*) {
  using T = SideBytes;
  return std::tuple(&T::written, &T::read, &T::written_ns, &T::read_ns, &T::holders);
}
constexpr auto fields(const RingCounts*) {
  using T = RingCounts;
  return std::tuple(&T::slots, &T::head, &T::tail, &T::queued_bytes, &T::past_slots, &T::past_bytes,
                    &T::sides);
}
constexpr auto fields(const RingLevel*) {
  using T = RingLevel;
  return std::tuple(&T::mean_share, &T::empty_share, &T::full_share, &T::samples);
}
constexpr auto fields(const StageState*) {
  using T = StageState;
  return std::tuple(&T::kind, &T::wait, &T::pipe);
}
constexpr auto fields(const StageShares*) {
  using T = StageShares;
  return std::tuple(&T::cpu, &T::on_cpu, &T::runnable, &T::reading, &T::writing, &T::elsewhere,
                    &T::busiest_other, &T::peer);
}
constexpr auto fields(const Stage*) {
  using T = Stage;
  return std::tuple(&T::id, &T::name, &T::command, &T::age_ns, &T::threads, &T::state, &T::cpu,
                    &T::cpu_ns, &T::shares, &T::nice, &T::cpus, &T::functions, &T::gone,
                    &T::outside, &T::limits, &T::cgroup, &T::pid_inside, &T::quota_cpus,
                    &T::thread_list, &T::polls_peer, &T::blocked_in, &T::polls_nothing);
}
constexpr auto fields(const ThreadPipe*) {
  using T = ThreadPipe;
  return std::tuple(&T::pipe, &T::writing, &T::share);
}
constexpr auto fields(const StageThread*) {
  using T = StageThread;
  return std::tuple(&T::tid, &T::name, &T::state, &T::shares, &T::pipes, &T::reads, &T::writes);
}
constexpr auto fields(const Throttling*) {
  using T = Throttling;
  return std::tuple(&T::share, &T::cpus, &T::cgroup);
}
constexpr auto fields(const CallRate*) {
  using T = CallRate;
  return std::tuple(&T::per_s, &T::bytes);
}
constexpr auto fields(const DiskUse*) {
  using T = DiskUse;
  return std::tuple(&T::name, &T::flags, &T::busy, &T::read_only);
}
constexpr auto fields(const SocketQueues*) {
  using T = SocketQueues;
  return std::tuple(&T::peer, &T::to_send, &T::to_read);
}
constexpr auto fields(const NamedProcess*) {
  using T = NamedProcess;
  return std::tuple(&T::name, &T::pid, &T::blocked);
}
constexpr auto fields(const StageLimits*) {
  using T = StageLimits;
  return std::tuple(&T::reads, &T::writes, &T::quota, &T::idle_cpus, &T::disk, &T::socket,
                    &T::child);
}
constexpr auto fields(const StageEnd*) {
  using T = StageEnd;
  return std::tuple(&T::end, &T::stage, &T::active, &T::bytes);
}
constexpr auto fields(const Pipe*) {
  using T = Pipe;
  return std::tuple(&T::id, &T::path, &T::writers, &T::readers, &T::kernel_writers,
                    &T::kernel_readers, &T::own, &T::closed, &T::first_seen_ns, &T::older,
                    &T::capacity, &T::queued, &T::ring, &T::frame, &T::level, &T::bytes_per_s,
                    &T::exact, &T::total_bytes, &T::rates, &T::fill, &T::larger, &T::range,
                    &T::socket, &T::lock);
}
constexpr auto fields(const PipeLock*) {
  using T = PipeLock;
  return std::tuple(&T::holder, &T::name, &T::call);
}
constexpr auto fields(const LargerRing*) {
  using T = LargerRing;
  return std::tuple(&T::bytes, &T::gain);
}
constexpr auto fields(const EstimateRange*) {
  using T = EstimateRange;
  return std::tuple(&T::low, &T::high);
}
constexpr auto fields(const SocketLink*) {
  using T = SocketLink;
  return std::tuple(&T::tcp, &T::name, &T::used, &T::memory, &T::empty, &T::full, &T::writable,
                    &T::peer_full, &T::retries, &T::bytes, &T::read_inode, &T::from_outside,
                    &T::peer_full_share);
}
constexpr auto fields(const Pipeline*) {
  using T = Pipeline;
  return std::tuple(&T::stages, &T::pipes, &T::verdict, &T::window_ns, &T::sees_all, &T::measured);
}
constexpr auto fields(const Intervention*) {
  using T = Intervention;
  return std::tuple(&T::text, &T::at_ns, &T::waits, &T::before_bytes_per_s, &T::after_bytes_per_s,
                    &T::pipe, &T::stage, &T::measured, &T::step, &T::error);
}
constexpr auto fields(const Snapshot*) {
  using T = Snapshot;
  return std::tuple(&T::now_ns, &T::uptime_ns, &T::requested, &T::effective, &T::throughput,
                    &T::parts, &T::figures, &T::ring, &T::workers, &T::integrity, &T::verdict,
                    &T::change, &T::event, &T::bpf_counters, &T::steal_share, &T::notices, &T::host,
                    &T::cpu_pressure, &T::noise, &T::answer, &T::watched, &T::interventions,
                    &T::counts_bytes, &T::no_bpf, &T::unix_ns, &T::throttling);
}

// ---- structs that are written in a way of their own, and compared like the others -----

constexpr auto fields(const Slot*) {
  using T = Slot;
  return std::tuple(&T::kind, &T::huge, &T::consecutive, &T::offset, &T::length, &T::flags,
                    &T::rewritten);
}
constexpr auto fields(const CallNode*) {
  using T = CallNode;
  return std::tuple(&T::function, &T::parent, &T::self, &T::total);
}
constexpr auto fields(const CallTree*) {
  using T = CallTree;
  return std::tuple(&T::nodes, &T::total, &T::paths);
}

namespace recording {

// In the order in which a recording counts their members.
using Recorded =
    std::tuple<PipeSettings, PageCacheSettings, PercpuSettings, Settings, Preset, Mitigation,
               HostInfo, RecordingHeader, RecordedMark, RateStats, RatePoint, TimeShares,
               FunctionTable, BlockedTable, SegmentRole, Occupancy, OccupancyColumn, Segment,
               ChangeMark, Throughput, RingFrame, RingReadings, WorkerCounts, WorkerReadings,
               Integrity, Progress, PartReadings, Figure, Mismatch, EffectivePipe, Effective,
               Verdict, Change, SamplingEvent, Notice, Snapshot, RoleTotals, Waits, ProcessId,
               PipeId, PipeEnd, SideBytes, RingCounts, RingLevel, StageState, StageShares, Stage,
               StageEnd, Pipe, Pipeline, Intervention, LargerRing, EstimateRange, Throttling,
               CallRate, DiskUse, SocketQueues, NamedProcess, StageLimits, SceneWait, SocketLink,
               ThreadPipe, StageThread, PipeLock>;
inline constexpr size_t kRecorded = std::tuple_size_v<Recorded>;

template <class T>
concept HasFields = requires {
  fields(static_cast<const T*>(nullptr));
};

template <HasFields T>
inline constexpr auto kFields = fields(static_cast<const T*>(nullptr));
template <HasFields T>
inline constexpr size_t kFieldCount =
    std::tuple_size_v<decltype(fields(static_cast<const T*>(nullptr)))>;

// Its place in a tuple.
template <class T, class Tuple, size_t kAt = 0>
constexpr size_t index_of() {
  if constexpr (std::is_same_v<T, std::tuple_element_t<kAt, Tuple>>)
    return kAt;
  else
    return index_of<T, Tuple, kAt + 1>();
}

// How many members each struct has, in the order of `Recorded`.
using Layout = std::array<size_t, kRecorded>;

inline constexpr Layout kLayout = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return Layout{kFieldCount<std::tuple_element_t<kAt, Recorded>>...};
}
(std::make_index_sequence<kRecorded>());

// Whether two values hold the same.
struct Equal {
  template <class T>
  static bool of(const T& a, const T& b) {
    return a == b;
  }
  template <class T>
  static bool of(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](const T& x, const T& y) { return of(x, y); });
  }
  template <HasFields T>
  static bool of(const T& a, const T& b) {
    return std::apply([&](auto... member) { return (of(a.*member, b.*member) && ...); },
                      kFields<T>);
  }
};

// ---- whether a table is complete --------------------------------------------------

struct AnyValue {
  template <class T>
  operator T() const;  // never called
};

// How many values initialise an aggregate.
template <class T, class... Values>
constexpr size_t members() {
  if constexpr (requires { T{Values()..., AnyValue()}; })
    return members<T, Values..., AnyValue>();
  else
    return sizeof...(Values);
}

// The members of a base count as one there.
template <class T>
inline constexpr size_t kMembers = members<T>();
template <>
inline constexpr size_t kMembers<Integrity> = members<Integrity>() - 1 + members<WorkerIntegrity>();
template <>
inline constexpr size_t kMembers<Occupancy> = members<Occupancy>() - 1 + members<RingLevel>();
// The table of all pipes isn't recorded, nor what is stale: why, and since when.
template <>
inline constexpr size_t kMembers<Snapshot> = members<Snapshot>() - 3;

// A struct here has a member that its table of fields() lacks: it would not be recorded.
template <class T>
inline constexpr bool kComplete = kMembers<T> == kFieldCount<T>;
template <class T>
struct Completed {
  static_assert(kComplete<T>, "a member is missing in the table of fields() of this struct");
};
template <class... T>
constexpr bool all_complete(std::tuple<T...>*) {
  return (sizeof(Completed<T>) + ...) > 0;
}
static_assert(all_complete(static_cast<Recorded*>(nullptr)));

}  // namespace recording
}  // namespace pipetop

#include "tui/print/tests/example.h"

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kGiBytes = 1ull << 30;

WorkerReadings worker_of(Role role, uint64_t bytes, uint64_t syscalls) {
  WorkerReadings w;
  w.role = role;
  w.name = role == Role::writer ? "writer" : "reader";
  w.technique = {role == Role::writer ? "vmsplice" : "splice → /dev/null", "block"};
  w.pid = role == Role::writer ? 812 : 813;
  w.state = ProcessState::flowing;
  w.counts.items = bytes;
  w.counts.syscalls = syscalls;
  w.counts.short_calls = syscalls / 4;
  w.counts.eagain = syscalls / 10;
  w.counts.interrupted = 1;
  w.context_switches = Reading<uint64_t>::of(syscalls / 100);
  w.page_faults = Reading<uint64_t>::unavailable("no /proc; mount it");
  w.last_cpu = Reading<int>::of(role == Role::writer ? 0 : 1);
  return w;
}

FunctionTable table_of(uint64_t lost) {
  FunctionTable table;
  table.samples = 1000;
  table.lost = lost;
  table.tree = flat_tree({{"mutex_spin_on_owner", 391, 450},
                          {"a_name_that_is_far_too_long_for_its_column", 100, 1000},
                          {"[user]", 9, 9}});
  return table;
}

HostInfo host() {
  HostInfo h;
  h.kernel = "6.18.44";
  h.cpu = "AMD EPYC";
  h.cpus = 2;
  h.hypervisor = "KVM";
  h.mitigations = {{"meltdown", "Not affected"}};
  h.thp = "madvise";
  h.pipe_max_size = 1 << 20;
  return h;
}

void set_throughput(Segment& segment) {
  segment.duration_ns = 2 * kSecond;
  segment.items = 25 * kGiBytes;
  segment.rate = Reading<RateStats>::of({12.5, 12.4, 0.25, 12.0, 13.0, 17, 0.125});
}

RingReadings ring() {
  RingReadings r;
  r.slots = 32;
  r.bytes = 32 * kPageBytes;
  Occupancy occupancy;
  occupancy.source = "switches, 999 Hz";
  occupancy.samples = 4000;
  occupancy.mean_share = 0.53;
  occupancy.empty_share = occupancy.histogram.front() = 0.4;
  occupancy.full_share = occupancy.histogram.back() = 0.25;
  occupancy.histogram[17] = 0.35;
  r.occupancy = Reading<Occupancy>::of(occupancy);
  r.kinds = Reading<std::array<double, kSlotKinds>>::of({0, 0.002, 0.998, 0, 0, 0});
  return r;
}

Snapshot end_snapshot() {
  Snapshot s;
  s.now_ns = 13 * kSecond;
  s.requested.pipe.write_with = WriteWith::vmsplice;
  s.requested.pipe.read_with = ReadWith::splice;
  s.requested.pipe.pages = Pages::thp;
  s.requested.pipe.reader_wait = Wait::busy;
  s.requested.pipe.pipe_size = 4 << 20;
  s.effective.settings = s.requested;
  s.effective.pipe.bytes = 128 * 1024;
  s.effective.mismatches = {{"pipe_size", "4MiB", "128KiB", "above the limit; raise it"}};
  s.effective.pipe.zero_copy = ZeroCopy::zero_copy;
  s.effective.pipe.zero_copy_reason = "probed";
  s.effective.pipe.huge = Reading<bool>::of(true);
  set_throughput(s.throughput.current);
  s.ring = ring();
  s.workers = {worker_of(Role::writer, 26 * kGiBytes, 220'000),
               worker_of(Role::reader, 26 * kGiBytes, 2'420'000)};
  s.integrity = Reading<Integrity>::unavailable("nobody reads the bytes");
  s.verdict = Reading<Verdict>::of({Verdict::Kind::lock, "writer spins on the pipe's mutex 39 %"});
  s.verdict.value->advice = "try buf_size 1MiB";
  s.event = Reading<SamplingEvent>::of({"cpu-clock", 999});
  s.host = std::make_shared<HostInfo>(host());
  return s;
}

}  // namespace

RunResult example_result() {
  RunResult r;
  r.name = "custom";
  r.end = r.last = end_snapshot();
  r.end.throughput.clock_ns = 2 * kSecond;
  r.end.throughput.total_items = 25 * kGiBytes;
  r.begin.now_ns = 11 * kSecond;
  r.begin.workers = {worker_of(Role::writer, kGiBytes, 20'000),
                     worker_of(Role::reader, kGiBytes, 420'000)};
  r.last.workers[0].counts.items = r.last.workers[1].counts.items = 27 * kGiBytes;
  auto& [writer, reader] = r.segment.roles;
  writer.functions = Reading<FunctionTable>::of(table_of(3));
  reader.functions = Reading<FunctionTable>::warming("no samples yet");
  writer.shares = {Reading<double>::of(0.9), Reading<double>::of(0.02), Reading<double>::of(0.08)};
  for (auto* share : {&reader.shares.on_cpu, &reader.shares.runnable, &reader.shares.blocked})
    *share = Reading<double>::unavailable("no schedstat");
  r.steal_share = Reading<double>::of(0.01);
  return r;
}

}  // namespace pipetop::tui

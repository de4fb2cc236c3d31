// Fixed values for the widgets' tests.
#pragma once

#include <initializer_list>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// A ring whose tail is `tail`, with `used` whole user pages.
inline RingFrame ring_frame(uint32_t slots, uint32_t used, uint32_t tail = 0,
                            SlotKind kind = SlotKind::user_page, bool huge = false) {
  RingFrame f;
  f.slots = slots;
  f.used = used;
  f.tail = tail;
  f.head = tail + used;
  f.slot.resize(slots);
  for (uint32_t i = 0; i < used; ++i) f.slot[(tail + i) % slots] = {kind, huge, false, 0, 4096, 0};
  return f;
}

inline RingReadings ring_view(RingFrame frame) {
  RingReadings ring;
  ring.slots = frame.slots;
  ring.bytes = frame.slots * kPageBytes;
  ring.kinds = Reading<std::array<double, kSlotKinds>>::of({0, 0.25, 0.75, 0, 0, 0});
  Occupancy o;
  o.source = "switches, 999 Hz";
  o.samples = 12345;
  o.empty_share = 0.40, o.full_share = 0.25, o.mean_share = 0.42;
  o.histogram.fill(0.35 / 32);
  o.histogram.front() = 0.40;
  o.histogram.back() = 0.25;
  ring.occupancy = Reading<Occupancy>::of(o);
  ring.frame = Reading<RingFrame>::of(std::move(frame));
  return ring;
}

inline OccupancyHistory history_of(const std::vector<OccupancyColumn>& columns) {
  OccupancyHistory history{200'000'000, {}};
  for (const OccupancyColumn& column : columns) history.columns.push_back(column);
  return history;
}

// Columns of 200 ms until `end_ns`, all looks in one bin each.
inline std::shared_ptr<const OccupancyHistory> occupancy_history(uint64_t end_ns,
                                                                 std::initializer_list<size_t> bins,
                                                                 uint32_t looks = 200) {
  OccupancyHistory history = history_of({});
  uint64_t at = end_ns - (bins.size() - 1) * history.column_ns;
  for (const size_t bin : bins) {
    OccupancyColumn column{at, looks, {}};
    column.count[bin] = static_cast<uint16_t>(looks);
    history.columns.push_back(column);
    at += history.column_ns;
  }
  return std::make_shared<const OccupancyHistory>(std::move(history));
}

inline FunctionTable function_table() {
  FunctionTable table;
  table.samples = 2000;
  table.tree = flat_tree({{"mutex_spin_on_owner", 800, 900},
                          {"gup_fast_fallback", 400, 400},
                          {"entry_SYSCALL_64_after_hwframe", 100, 1900},
                          {"[user]", 20, 20}});
  return table;
}

inline Throughput throughput() {
  Throughput t;
  t.over_1s = Reading<double>::of(62.5);
  t.over_10s = Reading<RateStats>::of({62.1, 62.1, 2.5, 60, 63, 100, 0.4});
  t.current.rate = t.over_10s;
  Segment previous;
  previous.rate = Reading<RateStats>::of({13.1, 13.1, 1.5, 12, 14, 50, 0.2});
  t.previous = std::make_shared<const Segment>(previous);
  for (uint64_t i = 1; i <= 600; ++i)
    t.history.push_back({i * 100'000'000, i <= 300 ? 13.1 : 62.1});
  t.marks.push_back({30'000'000'001, "v"});
  return t;
}

// Everything is known, nothing moves.
inline Snapshot example_snapshot() {
  Snapshot s;
  s.now_ns = 60'000'000'000;
  s.uptime_ns = 72'000'000'000;
  s.throughput = throughput();
  s.ring = ring_view(ring_frame(32, 17, 3));
  s.ring.frame.value->at_ns = s.now_ns;
  s.effective.pipe.zero_copy = ZeroCopy::copied;
  s.effective.pipe.bytes = 65536;
  s.effective.settled = true;
  for (const Role role : {Role::writer, Role::reader}) {
    WorkerReadings& w = s.workers[static_cast<size_t>(role)];
    w.role = role;
    const bool writes = role == Role::writer;
    w.name = writes ? "writer" : "reader";
    w.technique = {writes ? "write" : "read", "block"};
    if (writes) w.technique.insert(w.technique.begin() + 1, "4k");
    w.pid = role == Role::writer ? 812 : 813;
    w.state = ProcessState::flowing;
    w.last_cpu = Reading<int>::of(role == Role::writer ? 0 : 1);
    w.syscalls_per_s = Reading<double>::of(532'000);
    w.bytes_per_call = Reading<double>::of(128 * 1024);
    w.eagain_share = Reading<double>::of(0.01);
    w.counts.eagain = 1;
    w.shares.on_cpu = Reading<double>::of(1);
    w.functions = Reading<FunctionTable>::of(function_table());
  }
  s.event = Reading<SamplingEvent>::of({"cpu-clock", 999});
  HostInfo host;
  host.kernel = "6.18.44";
  host.cpu = "AMD EPYC";
  host.cpus = 2;
  s.host = std::make_shared<const HostInfo>(host);
  return s;
}

// What a widget draws into an area of this size, one string a line.
template <class Draw>
std::vector<std::string> drawn(int rows, int cols, Draw draw, GlyphSet set = GlyphSet::unicode) {
  Canvas canvas(glyphs_of(set), rows, cols);
  draw(Area(canvas, {0, 0, rows, cols}));
  std::vector<std::string> lines;
  for (int r = 0; r < rows; ++r) lines.push_back(canvas.line(r));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace pipetop::tui

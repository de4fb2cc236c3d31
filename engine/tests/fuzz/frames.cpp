// What the BPF programs write. The first letter says what follows: r a snapshot of the ring, s
// samples of stacks, b sleeps and their stacks, o how full the ring was.
#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

#include "bpf/ring.h"
#include "bpf/sampler.h"
#include "bpf/sched.h"
#include "engine/observe/call_trees.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/sched_reader.h"
#include "engine/tests/fuzz/fuzz.h"

using namespace pipetop;
using namespace pipetop::observe;
using fuzz::expect;

namespace {

using Words = std::vector<uint64_t>;
using Bytes = std::vector<char>;  // aligned, and no byte follows

// Time that was counted by the kernel is far from 2^64 ns.
constexpr uint64_t kMost_ns = uint64_t{1} << 57;

const Symbols& some_symbols() {
  static const Symbols symbols =
      Symbols::parse(std::istringstream("ffffffff81000000 T entry\n"
                                        "ffffffff81000100 T schedule\n"
                                        "ffffffff81000200 t __schedule\n"
                                        "ffffffff81000300 T pipe_write\n"));
  return symbols;
}

template <class Record>
void copy_to(Record& record, const Bytes& bytes) {
  if (!bytes.empty()) std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof record));
}

Words words_of(const Bytes& bytes) {
  Words words(bytes.size() / sizeof(uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  return words;
}

// The sum of what is in the tree, which is consistent.
uint64_t checked_total(const CallTree& tree) {
  uint64_t self = 0, roots = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    expect(node.parent == CallNode::kNone || node.parent < i, "callers come first");
    expect(node.self <= node.total && node.total <= tree.total, "a part weighs less than all");
    self += node.self;
    if (node.parent == CallNode::kNone) roots += node.total;
  }
  expect(self == tree.total && roots == tree.total, "a tree weighs what its nodes do");
  return self;
}

void check_ring(const Bytes& bytes) {
  const auto snapshot = std::make_unique<ring_snapshot>();
  copy_to(*snapshot, bytes);
  const auto frame = frame_of(*snapshot);
  expect(frame.has_value() && frame->used <= frame->slots, "a ring holds its slots at most");
  expect(frame->slot.size() == (frame->slots > RING_SLOTS ? 0 : frame->slots), "all are there");
  KindCounts counts;
  counts.add(*snapshot);
  if (const auto shares = counts.shares(); shares.has_value())
    for (const double share : *shares) expect(share >= 0 && share <= 1, "a share is one");
}

// Records of a multiple of 8 bytes, one after the other, as large as they say, or as is left.
void check_samples(const Bytes& bytes) {
  CallCounter counter(0);
  uint64_t samples = 0;
  for (size_t at = 0; at < bytes.size();) {
    const Bytes record(bytes.begin() + at, bytes.end());
    const auto sample = sample_of(record.data(), record.size());
    if (!sample) break;
    expect(sample->role == Role::writer || sample->role == Role::reader, "there are two roles");
    counter.add(sample->at_ns, counter.place_of(sample->addresses, some_symbols()), 1'000'000);
    ++samples;
    at += offsetof(sampler_sample, ip) + sample->addresses.size_bytes();
  }
  const FunctionTable table = counter.table(Span::segment);
  expect(table.samples == samples, "every sample counts");
  if (table.tree) expect(checked_total(*table.tree) == samples, "every sample is in the tree");
}

// Sleeps, then and now, at four places, and a stack for each of them.
void check_sleeps(const Bytes& bytes) {
  constexpr size_t kPlaces = 4;
  Words words = words_of(bytes);
  words.resize(std::max<size_t>(words.size(), 32));
  auto word = words.begin();
  const auto next = [&] { return *word++ % kMost_ns; };
  const auto next_sleeps = [&] {
    Sleeps sleeps;
    for (uint64_t* total : {&sleeps.ns, &sleeps.times, &sleeps.lost, &sleeps.lost_ns})
      *total = next();
    for (auto* place_ns : {&sleeps.long_ns, &sleeps.short_ns})
      std::generate_n(std::back_inserter(*place_ns), kPlaces, next);
    return sleeps;
  };
  const Sleeps before = next_sleeps(), now = next_sleeps();
  const std::span<const uint64_t> rest(word, words.end());
  const size_t depth = std::min<size_t>(rest.size() / kPlaces, SCHED_DEPTH);
  const auto stack_of = [&](size_t place) { return rest.subspan(place * depth, depth); };
  const BlockedTable table = blocked_table(now, before, stack_of, some_symbols());
  expect(checked_total(*table.tree) == table.ns, "the tree weighs what was slept");
}

void read_counts(OccupancyCounts& counts, Words::const_iterator& word) {
  const auto next = [&] { return *word++ % kMost_ns; };
  for (auto* time : {&counts.still, &counts.one.sampled, &counts.both.sampled}) {
    std::ranges::generate(time->ns, next);
    time->share_ns = next() % (time->total_ns() / 16 * OccupancyCounts::kShareOne + 1);
  }
  for (uint64_t* value : {&counts.one.ns, &counts.both.ns, &counts.points}) *value = next();
}

void check_occupancy(const Bytes& bytes) {
  Words words = words_of(bytes);
  words.resize(2 * (3 * (kOccupancyBins + 1) + 3));
  auto word = words.cbegin();
  OccupancyCounts before, now;
  read_counts(before, word);
  read_counts(now, word);
  for (const OccupancyCounts& counts : {now, now.since(before)}) {
    const OccupancyColumn column = column_of(1, counts);
    expect(column.samples <= 0xffff + kOccupancyBins, "there are as many as the points");
    const auto occupancy = occupancy_of(counts, "");
    if (!occupancy.has_value()) continue;
    for (const double share : occupancy->histogram)
      expect(share >= 0 && share <= 1.000001, "a share is one");
  }
}

}  // namespace

PIPETOP_FUZZ_TARGET(frames) {
  if (size == 0) return;
  const Bytes bytes(data + 1, data + size);
  switch (data[0]) {
    case 'r':
      check_ring(bytes);
      break;
    case 's':
      check_samples(bytes);
      break;
    case 'b':
      check_sleeps(bytes);
      break;
    case 'o':
      check_occupancy(bytes);
      break;
    default:
      break;
  }
}

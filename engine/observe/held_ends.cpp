#include "engine/observe/held_ends.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

auto place_of(const HeldEnd& held) { return std::tuple(held.end.process, held.end.fd); }

bool is_before(const HeldEnd& a, const HeldEnd& b) {
  return place_of(a) != place_of(b) ? place_of(a) < place_of(b) : a.pipe < b.pipe;
}

bool are_same(const HeldEnd& a, const HeldEnd& b) {
  return place_of(a) == place_of(b) && a.pipe == b.pipe;
}

// Where threads don't share their descriptors an end comes twice, and either may have the ring.
void unite_same(std::vector<HeldEnd>& ends) {
  for (size_t i = 1; i < ends.size(); ++i)
    if (are_same(ends[i - 1], ends[i]) && !ends[i].ring) ends[i].ring = ends[i - 1].ring;
  // Of equal ones the last stays, with the ring.
  const auto kept = std::unique(ends.rbegin(), ends.rend(), are_same);
  ends.erase(ends.begin(), kept.base());
}

void add_ring(ScannedPipe& pipe, const pipes_ring& ring) {
  pipe.at_ns = ring.at_ns;
  pipe.readers = ring.readers;
  pipe.writers = ring.writers;
  if (ring.slots == 0 || ring.head - ring.tail > ring.slots) return;  // in the middle of a resize
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  pipe.ring = {.slots = ring.slots,
               .head = ring.head,
               .tail = ring.tail,
               .queued_bytes = ring.queued_bytes,
               .past_slots = ring.past_slots,
               .past_bytes = ring.past_bytes};
  if (ring.moved) pipe.ring->sides.emplace();
  pipe.capacity = ring.slots * page;
  pipe.queued = ring.queued_bytes;
}

}  // namespace

uint32_t device_of(unsigned major, unsigned minor) {
  return static_cast<uint32_t>(makedev(major, minor));
}

uint64_t ticks_of(uint64_t start_ns) { return start_ns / ns_per_tick(); }

bool EndLimit::takes(ProcessId process) {
  if (!last_ || last_->first != process) last_ = &*counts_.try_emplace(process).first;
  Count& count = last_->second;
  if (count.taken >= kFewest && (count.taken >= kMostOfProcess || taken_ >= most_)) {
    ++count.left_out;
    return false;
  }
  ++count.taken;
  ++taken_;
  return true;
}

std::vector<LeftOut> EndLimit::left_out() const {
  std::vector<LeftOut> all;
  for (const auto& [process, count] : counts_)
    if (count.left_out > 0) all.push_back({process, count.left_out});
  return all;
}

void sort_ends(std::vector<HeldEnd>& ends) {
  if (!std::is_sorted(ends.begin(), ends.end(), is_before))  // usually they are
    std::sort(ends.begin(), ends.end(), is_before);
  unite_same(ends);
}

std::vector<ScannedPipe> pipes_of(std::span<const HeldEnd> ends) {
  // Of ten thousand pipes this is what takes time.
  std::vector<std::pair<PipeId, uint32_t>> order(ends.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = {ends[i].pipe, i};
  std::stable_sort(order.begin(), order.end());
  std::vector<ScannedPipe> pipes;
  pipes.reserve(ends.size());
  for (auto first = order.begin(); first != order.end();) {
    const auto next = std::find_if(first, order.end(),
                                   [&](const auto& end) { return end.first != first->first; });
    ScannedPipe& pipe = pipes.emplace_back();
    pipe.id = first->first;
    pipe.ends.reserve(static_cast<size_t>(next - first));
    for (; first != next; ++first) {
      const HeldEnd& held = ends[first->second];
      pipe.ends.push_back(held.end);
      if (held.ring) add_ring(pipe, *held.ring);
    }
  }
  return pipes;
}

const HeldEnd* find_end(std::span<const HeldEnd> ends, ProcessId process, int fd) {
  const auto wanted = std::tuple(process, fd);
  const auto found = std::partition_point(
      ends.begin(), ends.end(), [&](const HeldEnd& held) { return place_of(held) < wanted; });
  return found != ends.end() && place_of(*found) == wanted ? &*found : nullptr;
}

const ScannedPipe* find_pipe(std::span<const ScannedPipe> pipes, PipeId id) {
  const auto found = std::partition_point(pipes.begin(), pipes.end(),
                                          [&](const ScannedPipe& pipe) { return pipe.id < id; });
  return found != pipes.end() && found->id == id ? &*found : nullptr;
}

Descriptor DescriptorTable::find(ProcessId process, int fd) const {
  Descriptor descriptor;
  if (const HeldEnd* held = find_end(ends_, process, fd)) {
    descriptor.pipe = find_pipe(pipes_, held->pipe);
    descriptor.access = held->end.access;
  } else {
    descriptor.name = names_.name_of(process, fd, now_ns_);
  }
  return descriptor;
}

}  // namespace pipetop::observe

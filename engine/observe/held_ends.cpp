#include "engine/observe/held_ends.h"

#include <fmt/core.h>
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
  // The last of equal ones stays, with the ring.
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

bool writes(const PipeEnd& end) { return end.access != Access::read; }
bool reads(const PipeEnd& end) { return end.access != Access::write; }

// FNV-1a, a word at a time.
void mix(uint64_t& hash, uint64_t word) { hash = (hash ^ word) * 0x100000001b3; }

class Sides {
 public:
  explicit Sides(const std::vector<ProcessBytes>& bytes)
      : bytes_(bytes), writes_to_(bytes.size()), reads_from_(bytes.size()) {}

  void count_pipes(const ScannedPipe& pipe) {
    each(pipe, writes, [&](size_t i) { ++writes_to_[i]; });
    each(pipe, reads, [&](size_t i) { ++reads_from_[i]; });
  }

  // The bytes of a pipe whose processes use so many that move. Nothing if it can't be told.
  std::optional<SideBytes> of(const ScannedPipe& pipe, uint32_t moving) const {
    SideBytes sides;
    const auto writers =
        sum(pipe, writes, &ProcessBytes::written, writes_to_, moving, sides.holders);
    const auto readers = sum(pipe, reads, &ProcessBytes::read, reads_from_, moving, sides.holders);
    if (!writers || !readers) return {};
    sides.written = writers->bytes;
    sides.written_ns = writers->at_ns;
    sides.read = readers->bytes;
    sides.read_ns = readers->at_ns;
    return sides;
  }

 private:
  struct Sum {
    uint64_t bytes = 0, at_ns = 0;  // at the mean of their times
  };

  template <class Wanted>
  std::optional<Sum> sum(const ScannedPipe& pipe, const Wanted& is_wanted,
                         uint64_t ProcessBytes::*bytes, const std::vector<uint32_t>& pipes,
                         uint32_t moving, uint64_t& holders) const {
    Sum sum;
    uint64_t processes = 0, first_ns = 0, later_ns = 0;
    bool alone = true;
    const bool known = each(pipe, is_wanted, [&](size_t i) {
      const ProcessBytes& process = bytes_[i];
      alone = alone && pipes[i] == moving;
      sum.bytes += process.*bytes;
      if (processes++ == 0) first_ns = process.at_ns;
      later_ns += process.at_ns - first_ns;
      mix(holders, static_cast<uint64_t>(process.process.pid));
    });
    mix(holders, 0);
    if (!known || !alone || processes == 0) return {};
    sum.at_ns = first_ns + later_ns / processes;
    return sum;
  }

  // Calls `use` once for each process with such ends. False if one of them is not known.
  template <class Wanted, class Use>
  bool each(const ScannedPipe& pipe, const Wanted& is_wanted, const Use& use) const {
    const ProcessId* last = nullptr;
    bool known = true;
    for (const PipeEnd& end : pipe.ends) {  // by process
      if (!is_wanted(end) || (last && *last == end.process)) continue;
      last = &end.process;
      const auto found = std::ranges::lower_bound(bytes_, end.process, {}, &ProcessBytes::process);
      if (found == bytes_.end() || found->process != end.process) {
        known = false;
        continue;
      }
      use(static_cast<size_t>(found - bytes_.begin()));
    }
    return known;
  }

  const std::vector<ProcessBytes>& bytes_;
  std::vector<uint32_t> writes_to_, reads_from_;  // pipes that move
};

}  // namespace

uint32_t device_of(unsigned major, unsigned minor) {
  return static_cast<uint32_t>(makedev(major, minor));
}

uint64_t ticks_of(uint64_t start_ns) { return start_ns / ns_per_tick(); }

ProcessId process_of(const pipes_end& record) {
  return {static_cast<pid_t>(record.pid), ticks_of(record.start_ns)};
}

PipeId pipe_of(const pipes_end& record) {
  return {device_of(record.device >> 20, record.device & 0xfffff), record.inode};
}

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
  // With ten thousand pipes this is what takes time.
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

const HeldEnd* find_end(std::span<const HeldEnd> ends, ProcessId process, int fd, bool writing) {
  const auto wanted = std::tuple(process, fd);
  auto found = std::partition_point(ends.begin(), ends.end(),
                                    [&](const HeldEnd& held) { return place_of(held) < wanted; });
  for (; found != ends.end() && place_of(*found) == wanted; ++found)
    if (!found->is_socket || (writing ? writes(found->end) : reads(found->end))) return &*found;
  return nullptr;
}

const ScannedPipe* find_pipe(std::span<const ScannedPipe> pipes, PipeId id) {
  const auto found = std::partition_point(pipes.begin(), pipes.end(),
                                          [&](const ScannedPipe& pipe) { return pipe.id < id; });
  return found != pipes.end() && found->id == id ? &*found : nullptr;
}

const ScannedPipe* find_lock(const ScannedTask& task, const SystemCall& call, Sleep sleep,
                             std::span<const HeldEnd> ends, std::span<ScannedPipe> pipes) {
  const auto pipe_at = [&](int fd, bool writing) -> const ScannedPipe* {
    const HeldEnd* held = find_end(ends, task.process, fd, writing);
    return held ? find_pipe(pipes, held->pipe) : nullptr;
  };
  const ScannedPipe* locked = locked_by(call, sleep, pipe_at, [&] {
    return read_proc_file(task.process.pid, fmt::format("task/{}/wchan", task.tid));
  });
  if (locked)
    pipes[size_t(locked - pipes.data())].lock =
        PipeLock{task.process, task.comm, call.kind() == STAGE_SENDFILE ? "sendfile" : "splice"};
  return locked;
}

Descriptor DescriptorTable::find(ProcessId process, int fd, bool writing) const {
  Descriptor descriptor;
  if (const HeldEnd* held = find_end(ends_, process, fd, writing)) {
    descriptor.pipe = find_pipe(pipes_, held->pipe);
    descriptor.access = held->end.access;
  } else {
    descriptor.name = names_.name_of(process, fd, now_ns_);
  }
  return descriptor;
}

void fill_sides(std::vector<ScannedPipe>& pipes, const std::vector<ProcessBytes>& bytes,
                bool standing) {
  Sides sides(bytes);
  for (const ScannedPipe& pipe : pipes)
    if (pipe.ring && pipe.ring->sides) sides.count_pipes(pipe);
  for (ScannedPipe& pipe : pipes) {
    if (!pipe.ring) continue;
    const bool moves = pipe.ring->sides.has_value();
    if (moves || standing) pipe.ring->sides = sides.of(pipe, moves ? 1 : 0);
  }
}

}  // namespace pipetop::observe

#include "engine/observe/end_bytes.h"

#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/waits.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

// The kernel's table is kept half empty: ends that have not moved for so long give way.
constexpr uint64_t kIdle_ns = 200 * kMs;
constexpr size_t kMostEnds = STAGE_ENDS / 2;

// Both, because a read may fall between the kernel's two additions.
bool is_same(const stage_bytes& a, const stage_bytes& b) {
  return a.bytes == b.bytes && a.calls == b.calls;
}

}  // namespace

EndByteCounter::EndByteCounter() {
  if (!viewer().may_slow_everyone)
    throw Error(
        "exact bytes need root, because counting slows down every system call of the machine; "
        "sudo pipetop",
        Exit::refused);
  skeleton_ = load_skeleton<end_bytes_bpf>("the byte counter", [](end_bytes_bpf& open) {
    open.rodata->ns_per_tick = ns_per_tick();
    fill_calls(open.rodata->calls);
  });
  // Who starts and who ends is known before anybody is counted.
  for (const bpf_program* program :
       {skeleton_->progs.on_fork, skeleton_->progs.on_exit, skeleton_->progs.on_return}) {
    links_.emplace_back(bpf_program__attach(program));
    if (!links_.back()) throw_refused("attach the byte counter", errno);
  }
}

void EndByteCounter::search() {
  const Link pass(bpf_program__attach_iter(skeleton_->progs.find_processes, nullptr));
  if (!pass) throw_refused("attach the search for processes", errno);
  if (!run_iterator(pass)) throw SystemError("search for processes", errno);
}

void EndByteCounter::watch(const std::set<ProcessId>& processes) {
  const int wanted = bpf_map__fd(skeleton_->maps.wanted_processes);
  std::vector<uint32_t> added;
  for (const ProcessId& process : processes) {
    if (watched_.contains(process)) continue;
    const auto pid = static_cast<uint32_t>(process.pid);
    if (bpf_map_update_elem(wanted, &pid, &process.start_ticks, BPF_ANY) == 0)
      added.push_back(pid);
    else
      too_many_ = true;
  }
  if (!added.empty()) search();
  for (const uint32_t pid : added) bpf_map_delete_elem(wanted, &pid);
  watched_ = processes;
}

void EndByteCounter::count_children() {
  search();  // which tells who we are
  __atomic_store_n(&skeleton_->bss->counts_children, 1, __ATOMIC_SEQ_CST);
}

EndByteCounter::EndId EndByteCounter::id_of(const stage_end& end) {
  return {{static_cast<pid_t>(end.process.pid), ticks_of(end.process.start_ns)},
          {device_of(end.device >> 20, end.device & 0xfffff), end.inode},
          end.fd,
          end.writing != 0};
}

std::vector<EndBytes> EndByteCounter::take() {
  const uint64_t now_ns = monotonic_ns();
  std::vector<stage_end> ends(STAGE_ENDS);
  std::vector<stage_bytes> counts(STAGE_ENDS);
  uint32_t count = STAGE_ENDS;
  stage_end next = {};
  // It says ENOENT at the end of the map.
  if (bpf_map_lookup_batch(bpf_map__fd(skeleton_->maps.ends), nullptr, &next, ends.data(),
                           counts.data(), &count, nullptr) != 0 &&
      errno != ENOENT)
    throw SystemError("read of the byte counts", errno);
  ends.resize(count);
  std::vector<EndBytes> moved;
  for (uint32_t i = 0; i < count; ++i) {
    const EndId id = id_of(ends[i]);
    const auto [found, is_new] = known_.try_emplace(id, Known{{}, now_ns});
    Known& known = found->second;
    if (is_same(known.total, counts[i])) continue;
    moved.push_back(more_of(id, known.total, counts[i]));
    known = {counts[i], now_ns};
  }
  if (count > kMostEnds) forget_idle(ends, now_ns, moved);
  return moved;
}

EndBytes EndByteCounter::more_of(const EndId& id, const stage_bytes& before,
                                 const stage_bytes& now) {
  return {id.process, id.fd, id.writing, now.bytes - before.bytes, now.calls - before.calls,
          id.pipe};
}

// A shell that runs for weeks has had many pipes. One that moves again begins at 0.
void EndByteCounter::forget_idle(const std::vector<stage_end>& ends, uint64_t now_ns,
                                 std::vector<EndBytes>& moved) {
  const int map = bpf_map__fd(skeleton_->maps.ends);
  for (const stage_end& end : ends) {
    const EndId id = id_of(end);
    const auto known = known_.find(id);
    if (known == known_.end() || now_ns < known->second.moved_ns + kIdle_ns) continue;
    stage_bytes last = {};
    if (bpf_map_lookup_and_delete_elem(map, &end, &last) != 0) continue;
    if (!is_same(last, known->second.total))
      moved.push_back(more_of(id, known->second.total, last));
    known_.erase(known);
  }
}

bool EndByteCounter::overflowed() const {
  return too_many_ || peek(skeleton_->bss->overflowed) != 0;
}

}  // namespace pipetop::observe

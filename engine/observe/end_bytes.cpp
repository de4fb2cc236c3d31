#include "engine/observe/end_bytes.h"

#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/stage_calls.h"

namespace pipetop::observe {
namespace {

// The kernel's table is kept half empty: what has not moved for so many reads gives way.
constexpr uint64_t kIdleReads = 2;
constexpr size_t kMostEnds = STAGE_ENDS / 2;
constexpr size_t kMostTotals = 2 * STAGE_ENDS;

stage_bytes operator+(const stage_bytes& a, const stage_bytes& b) {
  return {a.bytes + b.bytes, a.calls + b.calls};
}

}  // namespace

EndByteCounter::EndByteCounter() {
  skeleton_ = load_skeleton<end_bytes_bpf>(
      "the byte counter", [](end_bytes_bpf& open) { fill_stage_calls(open.rodata->calls); });
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
    constexpr uint32_t kNothing = 0;
    if (bpf_map_update_elem(wanted, &pid, &kNothing, BPF_ANY) == 0) added.push_back(pid);
  }
  watched_ = processes;
  if (added.empty()) return;
  search();
  for (const uint32_t pid : added) bpf_map_delete_elem(wanted, &pid);
}

void EndByteCounter::count_children() {
  search();  // which tells who we are
  __atomic_store_n(&skeleton_->bss->counts_children, 1, __ATOMIC_SEQ_CST);
}

std::vector<EndBytes> EndByteCounter::read() {
  std::vector<stage_end> ends(STAGE_ENDS);
  std::vector<stage_bytes> counts(STAGE_ENDS);
  uint32_t count = STAGE_ENDS;
  stage_end next = {};
  // It says ENOENT at the end of the map.
  if (bpf_map_lookup_batch(bpf_map__fd(skeleton_->maps.ends), nullptr, &next, ends.data(),
                           counts.data(), &count, nullptr) != 0 &&
      errno != ENOENT)
    throw SystemError("read of the byte counts", errno);
  ++reads_;
  std::map<EndId, stage_end> counted;
  for (uint32_t i = 0; i < count; ++i) {
    const stage_end& end = ends[i];
    const EndId id{{static_cast<pid_t>(end.process.pid), ticks_of(end.process.start_ns)},
                   {device_of(end.device >> 20, end.device & 0xfffff), end.inode},
                   end.fd,
                   end.writing != 0};
    Total& total = totals_[id];
    if (total.now.calls != counts[i].calls) total.moved = reads_;
    total.now = counts[i];
    counted.emplace(id, end);
  }
  if (counted.size() > kMostEnds) forget_in_kernel(counted);
  std::vector<EndBytes> all;
  for (const auto& [id, total] : totals_) {
    const stage_bytes sum = total.before + total.now;
    all.push_back({id.process, id.fd, id.writing, sum.bytes, sum.calls, id.pipe});
  }
  forget();
  return all;
}

// A shell that runs for weeks has had many pipes.
void EndByteCounter::forget_in_kernel(const std::map<EndId, stage_end>& ends) {
  const int map = bpf_map__fd(skeleton_->maps.ends);
  for (const auto& [id, end] : ends) {
    Total& total = totals_[id];
    if (total.moved + kIdleReads > reads_ || bpf_map_delete_elem(map, &end) != 0) continue;
    total.before = total.before + std::exchange(total.now, {});
  }
}

// One that moves again after that begins at 0.
void EndByteCounter::forget() {
  if (totals_.size() <= kMostTotals) return;
  std::erase_if(totals_, [](const auto& entry) { return entry.second.now.calls == 0; });
}

bool EndByteCounter::overflowed() const { return peek(skeleton_->bss->overflowed) != 0; }

}  // namespace pipetop::observe

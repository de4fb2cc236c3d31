#include "engine/observe/end_bytes.h"

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/observe/stage_calls.h"

namespace pipetop::observe {
namespace {

auto key_of(const EndBytes& one) { return std::tuple(one.process, one.fd, one.writing, one.pipe); }

// A process or a pipe that was left alone for a while has another number since.
std::vector<EndBytes> summed(std::vector<EndBytes> all) {
  std::ranges::sort(all, {}, key_of);
  std::vector<EndBytes> sums;
  for (const EndBytes& one : all) {
    if (sums.empty() || key_of(sums.back()) != key_of(one)) {
      sums.push_back(one);
      continue;
    }
    sums.back().bytes += one.bytes;
    sums.back().calls += one.calls;
  }
  return sums;
}

}  // namespace

EndByteCounter::EndByteCounter(const StagePipes& pipes, const StageThreads& threads)
    : pipes_(pipes), threads_(threads) {
  skeleton_ = load_skeleton<end_bytes_bpf>("the byte counter", [&](end_bytes_bpf& open) {
    fill_stage_calls(open.rodata->calls);
    if (bpf_map__reuse_fd(open.maps.inodes, pipes.inodes_fd()) != 0 ||
        bpf_map__reuse_fd(open.maps.rings, pipes.rings_fd()) != 0 ||
        bpf_map__reuse_fd(open.maps.processes, threads.processes_fd()) != 0)
      throw_refused("share the watched pipes", errno);
  });
  link_.reset(bpf_program__attach(skeleton_->progs.on_exit));
  if (!link_) throw_refused("attach the byte counter", errno);
}

std::vector<EndBytes> EndByteCounter::read() const {
  const int map = bpf_map__fd(skeleton_->maps.ends);
  std::vector<stage_end> ends(STAGE_ENDS);
  std::vector<stage_bytes> counts(STAGE_ENDS);
  uint32_t count = STAGE_ENDS;
  stage_end next = {};
  // It says ENOENT at the end of the map.
  if (bpf_map_lookup_batch(map, nullptr, &next, ends.data(), counts.data(), &count, nullptr) != 0 &&
      errno != ENOENT)
    throw SystemError("read of the byte counts", errno);
  std::vector<EndBytes> all;
  for (uint32_t i = 0; i < count; ++i) {
    const stage_end& end = ends[i];
    const auto process = threads_.process_with(end.process);
    const auto pipe = pipes_.with_id(end.pipe);
    if (process && pipe)
      all.push_back({*process, end.fd, end.writing != 0, counts[i].bytes, counts[i].calls, *pipe});
    // What a process that is no longer watched moved doesn't grow, and its user has had it now.
    const bool must_go = count > STAGE_ENDS / 2 && !threads_.is_watched(end.process);
    if (!process || !pipe || must_go) bpf_map_delete_elem(map, &end);
  }
  return summed(std::move(all));
}

}  // namespace pipetop::observe

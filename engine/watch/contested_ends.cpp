#include "engine/watch/contested_ends.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace pipetop {
namespace {

bool is_standard(const PipeEnd& end, bool writing) {
  return end.fd == (writing ? STDOUT_FILENO : STDIN_FILENO);
}

// Each process once; with its standard input or output, if that is one of its ends.
std::vector<PipeEnd> holders_on(const ScannedPipe& pipe, bool writing) {
  std::vector<PipeEnd> holders;
  for (const PipeEnd& end : pipe.ends) {  // by process
    if (!(writing ? is_for_writing(end) : is_for_reading(end))) continue;
    if (holders.empty() || holders.back().process != end.process)
      holders.push_back(end);
    else if (is_standard(end, writing))
      holders.back() = end;
  }
  return holders;
}

bool waits_for_child(std::span<const ScannedTask> threads) {
  return std::ranges::all_of(threads,
                             [](const ScannedTask& task) { return task.wait == WaitsFor::child; });
}

}  // namespace

ContestedEnds::Totals ContestedEnds::totals_of(std::span<const ScannedTask> threads) {
  Totals totals;
  for (const ScannedTask& thread : threads) {
    totals.written += thread.written_bytes;
    totals.read += thread.read_bytes;
    totals.cpu_ns += thread.cpu_ns;
  }
  totals.able = !threads.empty() && !waits_for_child(threads);
  return totals;
}

void ContestedEnds::see(const PipeScan& scan, const ScanIndex& index, SeenMoving& moving) {
  std::map<ProcessId, Totals> totals;
  std::map<PipeId, uint32_t> heads;
  for (const ScannedPipe& pipe : scan.pipes) {
    if (!pipe.ring || pipe.ends.size() < 3) continue;
    for (const bool writing : {true, false}) {
      const std::vector<PipeEnd> holders = holders_on(pipe, writing);
      const bool decided = std::ranges::any_of(holders, [&](const PipeEnd& end) {
        return moving.contains({pipe.id, end.process});
      });
      if (holders.size() < 2 || decided) continue;
      std::vector<PipeEnd> able;
      for (const PipeEnd& end : holders) {
        const auto [found, is_new] = totals.try_emplace(end.process);
        if (is_new) found->second = totals_of(index.threads(end.process));
        if (found->second.able) able.push_back(end);
      }
      heads[pipe.id] = pipe.ring->head;
      const auto head = heads_.find(pipe.id);
      if (head == heads_.end() || head->second == pipe.ring->head) continue;
      for (const PipeEnd& end : movers(able, writing, totals))
        moving.insert({pipe.id, end.process});
    }
  }
  totals_ = std::move(totals);
  heads_ = std::move(heads);
}

// Of several that could be, only those are meant whose standard input or output it is.
std::vector<PipeEnd> ContestedEnds::movers(std::span<const PipeEnd> holders, bool writing,
                                           const std::map<ProcessId, Totals>& now) const {
  for (uint64_t Totals::*counter : {writing ? &Totals::written : &Totals::read, &Totals::cpu_ns}) {
    std::vector<PipeEnd> found;
    for (const PipeEnd& end : holders) {
      const auto before = totals_.find(end.process);
      if (before != totals_.end() && now.at(end.process).*counter > before->second.*counter)
        found.push_back(end);
    }
    if (found.size() > 1)
      std::erase_if(found, [&](const PipeEnd& end) { return !is_standard(end, writing); });
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace pipetop

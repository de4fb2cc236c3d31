#include "engine/watch/byte_counts.h"

#include <algorithm>

namespace pipetop {

void ByteCounts::add(const std::vector<observe::EndBytes>& moved) {
  for (const observe::EndBytes& end : moved) {
    Counts& counts = pipes_[end.pipe];
    (end.writing ? counts.written : counts.read) += end.bytes;
    counts.ends[{end.process, end.fd, end.writing}].bytes += end.bytes;
  }
}

void ByteCounts::forget(const std::function<bool(PipeId)>& is_gone,
                        const std::function<bool(ProcessId)>& is_other) {
  std::erase_if(pipes_,
                [&](const auto& entry) { return !entry.second.is_new && is_gone(entry.first); });
  for (auto& entry : pipes_) {
    Counts& counts = entry.second;
    counts.is_new = false;
    std::erase_if(counts.ends, [&](const auto& end) {
      return !end.second.is_new && is_other(end.first.process);
    });
    for (auto& end : counts.ends) end.second.is_new = false;
  }
}

uint64_t ByteCounts::of(PipeId pipe) const {
  const auto found = pipes_.find(pipe);
  return found == pipes_.end() ? 0 : std::max(found->second.written, found->second.read);
}

uint64_t ByteCounts::of(PipeId pipe, ProcessId process, int fd, bool writing) const {
  const auto found = pipes_.find(pipe);
  if (found == pipes_.end()) return 0;
  const auto end = found->second.ends.find({process, fd, writing});
  return end == found->second.ends.end() ? 0 : end->second.bytes;
}

}  // namespace pipetop

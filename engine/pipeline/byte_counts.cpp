#include "engine/pipeline/byte_counts.h"

#include <algorithm>

namespace pipetop {

void ByteCounts::update(const std::vector<observe::EndBytes>& ends) {
  for (const observe::EndBytes& end : ends) {
    uint64_t& counted = ends_[{end.pipe, end.process, end.fd, end.writing}];
    const uint64_t more = end.bytes - std::min(end.bytes, counted);
    counted = end.bytes;
    Sums& sums = sums_[end.pipe];
    (end.writing ? sums.written : sums.read) += more;
  }
}

uint64_t ByteCounts::of(PipeId pipe) const {
  const auto found = sums_.find(pipe);
  if (found == sums_.end()) return 0;
  return std::max(found->second.written, found->second.read);
}

uint64_t ByteCounts::of(PipeId pipe, ProcessId process, int fd, bool writing) const {
  const auto found = ends_.find({pipe, process, fd, writing});
  return found == ends_.end() ? 0 : found->second;
}

}  // namespace pipetop

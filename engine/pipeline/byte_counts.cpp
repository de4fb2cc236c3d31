#include "engine/pipeline/byte_counts.h"

#include <algorithm>
#include <utility>

namespace pipetop {

void ByteCounts::update(const std::vector<observe::EndBytes>& ends) {
  const std::map<EndId, uint64_t> before = std::exchange(ends_, {});
  for (const observe::EndBytes& end : ends) {
    const EndId id{end.pipe, end.process, end.fd, end.writing};
    const auto counted = before.find(id);
    const uint64_t more =
        end.bytes - (counted == before.end() ? 0 : std::min(end.bytes, counted->second));
    ends_[id] = end.bytes;
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

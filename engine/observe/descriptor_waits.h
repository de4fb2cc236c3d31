// What a thread waits for in a read or a write of a descriptor that is no watched pipe: told by the
// descriptor's name in /proc, which opens nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/model/pipe_scan.h"
#include "engine/observe/held_ends.h"

namespace pipetop::observe {

struct DescriptorWait {
  WaitsFor wait = WaitsFor::other;  // of a pipe without a name: pipe_read
  uint64_t inode = 0;               // of a pipe without a name, or of a path, which may be a FIFO
  bool named = false;

  bool operator==(const DescriptorWait&) const = default;
};

// `name` is that of /proc/PID/fd/N, and `fdinfo` the text of /proc/PID/fdinfo/N.
DescriptorWait descriptor_wait(std::string_view name, std::string_view fdinfo);

class DescriptorWaits {
 public:
  DescriptorWait of(ProcessId process, int fd, uint64_t now_ns);

 private:
  DescriptorNames names_;
  uint64_t cleaned_ns_ = 0;
};

}  // namespace pipetop::observe

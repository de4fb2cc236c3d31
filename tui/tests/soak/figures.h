// What /proc tells of a running dashboard.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pipetop::tui {

struct ProcessFigures {
  pid_t pid = 0;
  std::string name;
  uint64_t rss_kib = 0, pss_kib = 0;
  int descriptors = 0, threads = 0;
};

// All zero if it has ended.
ProcessFigures figures_of(pid_t pid);

std::vector<ProcessFigures> figures_of_children(pid_t parent);

// The memory of the BPF maps and programs that the process holds.
uint64_t bpf_bytes_of(pid_t pid);

}  // namespace pipetop::tui

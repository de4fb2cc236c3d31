// What /proc tells of a process beyond a scan: its command line, its nice value, its CPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

struct ProcessFacts {
  std::string command;  // the command line, printable; "" if it has none
  int nice = 0;
  std::vector<int> cpus;  // that its first thread may use
};

// Nothing of what is gone.
ProcessFacts read_process_facts(pid_t pid);

// Makes the contents of /proc/PID/cmdline printable: words with blanks, quoted if needed.
std::string printable_command(std::string_view cmdline);

// Facts of many processes, read again now and then: a process may exec, or be reniced.
class KnownProcesses {
 public:
  using Read = std::function<ProcessFacts(pid_t pid)>;
  explicit KnownProcesses(Read read = read_process_facts) : read_(std::move(read)) {}

  // Read anew if they are older than about `most_ns`, or the process has another name since.
  const ProcessFacts& of(ProcessId process, std::string_view comm, uint64_t now_ns,
                         uint64_t most_ns);

  // What is not of a process in the scan.
  void forget(const ScanIndex& index);

 private:
  struct Known {
    ProcessFacts facts;
    std::string comm;
    uint64_t read_ns = 0;
  };

  Read read_;
  std::map<ProcessId, Known> known_;
};

}  // namespace pipetop

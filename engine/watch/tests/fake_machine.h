// A machine that a test plays: processes, pipes and time pass only when it says so.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

struct FakeProcess {
  ProcessId id;
  pid_t parent = 1;
  std::string comm, command;
  bool alive = true;
  bool leads_session = false;
  std::vector<pid_t> children = {};
  std::optional<ProcessIo> io = ProcessIo();
  std::map<int, std::string> links = {};  // of descriptors that are no pipes
  std::optional<std::vector<observe::Polled>> polls = {};
  uint64_t cpu_ticks = 0;
};

struct FakeThread {
  ScannedTask task;
  observe::ThreadTimes times;
};

struct MachinePipe {
  ScannedPipe pipe;
  double bytes_per_s = 0;  // that go through it
  double used_share = 0;   // of its slots, from now on
  double moved = 0;        // bytes, so far
  uint32_t slots = 16;
  observe::RingTally samples = {};
};

class FakeMachine {
 public:
  static constexpr uint32_t kPipeDevice = 15;

  // Its leader sleeps, and waits for something else.
  ProcessId add(pid_t pid, const std::string& comm, pid_t parent = 1);
  void exit(pid_t pid);

  // Between standard output and standard input of two processes. With a ring, half of it full.
  PipeId connect(uint64_t inode, pid_t writer, pid_t reader);
  void hold(uint64_t inode, pid_t pid, int fd, Access access);
  void release(uint64_t inode, pid_t pid);

  // What the first thread of a process does from now on.
  void runs(pid_t pid);
  void waits(pid_t pid, WaitsFor wait, int fd = -1);
  FakeThread& thread(pid_t pid, pid_t tid = 0);  // 0: the first one
  // The last samples of a pipe, also once it is closed; null if there are none.
  const observe::RingTally* samples_of(uint64_t inode) const;
  MachinePipe& pipe(uint64_t inode) { return pipes_.at(inode); }
  FakeProcess& process(pid_t pid) { return processes_.at(pid); }

  void pass(uint64_t ns);  // time does

  PipeScan scan(const std::set<ProcessId>* only = nullptr) const;

  // To be made once: they refer to this.
  WatchParts parts();

  // What a test sees and says.
  uint64_t now_ns = 1000 * kSecond;
  uint64_t cpu_ns = 0;         // that this thread used
  uint64_t scan_cost_ns = 0;   // of each scan of everything
  int scans = 0, samples = 0;  // of everything, of some processes
  ScanSource source = ScanSource::bpf;
  uint32_t unreadable = 0;  // processes
  std::string reason;       // why not by BPF
  std::string no_clock;     // why it cannot be made
  bool counts_bytes = false, counts_children = false, missed_bytes = false;
  std::vector<observe::EndBytes> bytes;       // that move until the next look
  std::vector<pid_t> watched;                 // by the observer: threads
  std::optional<ProcessId> blamed, selected;  // by the sampler
  int observers = 0;                          // that exist
  int scan_parts = 1;                         // that a scan of everything is made in, if it may be
  uint64_t question_ns = 0;                   // that each question for the time takes
  bool is_cut = false;                        // scans of some processes are
  int refuses = 0;                            // errno of all scans; 0: they succeed
  std::set<PipeId> open;                      // pipes, as the scanner was told
  bool lists_exits = true;                    // if it is asked
  std::vector<ExitedProcess> exited;          // since the last scan of everything

 private:
  PipeId id_of(uint64_t inode) const { return {kPipeDevice, inode}; }

  std::map<pid_t, FakeProcess> processes_;
  std::map<pid_t, std::vector<FakeThread>> threads_;
  std::map<uint64_t, MachinePipe> pipes_;
  std::map<uint64_t, observe::RingTally> closed_;  // their last samples
};

}  // namespace pipetop

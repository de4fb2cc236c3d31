// The face of `pipetop watch`: looks at all pipes, and closer at one pipeline.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/settings.h"
#include "engine/watch/pipeline.h"

namespace pipetop {

struct WatchOptions {
  BpfUse bpf = BpfUse::automatic;
  uint64_t table_ns = 500'000'000;     // between two passes over the whole machine
  uint64_t pipeline_ns = 50'000'000;   // between two looks at the open pipeline
  bool in_parts = false;               // passes, so that no tick takes long
  uint64_t window_ns = 5'000'000'000;  // that shares and the bottleneck are of
};

// What `watch` can be given: a process, one of its descriptors, the path of a FIFO.
struct WatchTarget {
  pid_t pid = 0;  // 0: by path
  int fd = -1;    // -1: whatever it holds
  std::string path;
};
WatchTarget parse_target(std::string_view text);  // throws Error

struct WatchParts;

class Watcher {
 public:
  explicit Watcher(const WatchOptions& options);           // throws Error
  Watcher(const WatchOptions& options, WatchParts parts);  // looks through these: for tests
  ~Watcher();

  // To be called about every `pipeline_ns`; passes over the machine are made when they are due.
  // Cheap between them.
  std::shared_ptr<const WatchSnapshot> tick(uint64_t now_ns);

  // Loads what open() and open_tree() need, which takes a tenth of a second or two, and which they
  // otherwise do meanwhile: to be called before a command is started that may be short.
  void prepare();
  // Counts the bytes that whatever this process starts moves, from its first system call on, as
  // count_bytes() does later: before the command is started, and before open_tree(). Throws Error.
  void count_children();

  // Looks closer at the pipeline of a pipe, of a process (and its descendants), or of a target;
  // throws Error if there is none.
  void open(PipeId pipe);
  void open(ProcessId process);
  void open(const WatchTarget& target);
  // Every pipe of this process, and of what it starts: for `watch -- COMMAND`. There may be none
  // yet: the snapshot has no pipeline until there is. It stays open when the processes have exited.
  void open_tree(pid_t root);
  void close();

  // For the notices of the next snapshot.
  void notify(std::string text);

  // At the open pipeline, whether or not it is due: what moved until now. Throws Error.
  void sample_again();

  // Of the open pipeline, all of the time since it was opened: shares, CPU and the bottleneck, with
  // the stages that are gone, as far as they are still known (all of them with open_tree()).
  // Nothing if none is open, or it never had a pipe.
  std::optional<Pipeline> overall() const;

  // Functions of this stage, too, beside those of the one to blame.
  void select(std::optional<ProcessId> stage);

  void count_bytes(bool on);  // throws Error

  // Changes in other people's processes: only when a user asks. Each returns what to say. Throws
  // Error, with why and remedy.
  std::string resize(PipeId pipe, bool larger);
  std::string renice(ProcessId stage, int nice);
  std::string pin(ProcessId stage, std::span<const int> cpus);
  // The last one, or all of them. What can't be put back now stays, and is tried again by tick().
  std::string undo();
  std::string undo_all();
  // At the end; looks at nothing. Returns what could not be put back, a line each, with the command
  // that would do it.
  std::vector<std::string> finish_changes();
  void keep_changes();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop

// The face of `pipetop watch`: looks at all pipes, and closer at one pipeline.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/watch/watch_source.h"

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

class Watcher final : public WatchSource {
 public:
  explicit Watcher(const WatchOptions& options);           // throws Error
  Watcher(const WatchOptions& options, WatchParts parts);  // looks through these: for tests
  ~Watcher() override;

  std::shared_ptr<const Snapshot> tick(uint64_t now_ns) override;

  // Loads what open() and open_tree() need, which takes a tenth of a second or two, and which they
  // otherwise do meanwhile: to be called before a command is started that may be short.
  void prepare();
  // Counts the bytes that whatever this process starts moves, from its first system call on, as
  // count_bytes() does later: before the command is started, and before open_tree(). Throws Error.
  void count_children();

  // Opens the pipeline of a pipe, of a process (and its descendants), or of a target.
  void open(PipeId pipe) override;
  void open(ProcessId process);
  void open(const WatchTarget& target);
  // Every pipe of this process, and of what it starts: for `watch -- COMMAND`. There may be none
  // yet: the snapshot has no pipeline until there is. It stays open when the processes have exited.
  void open_tree(pid_t root);
  void close() override;

  // For the notices of the next snapshot: those that are new have its time.
  void notify(std::string text);

  // At the open pipeline, whether or not it is due: what moved until now. Throws Error.
  void sample_again();

  // Sums up the open pipeline since it was opened: shares, CPU and the bottleneck, with
  // the stages that are gone, as far as they are still known (all of them with open_tree()).
  // Nothing if none is open, or it never had a pipe.
  std::optional<Pipeline> overall() const;

  void select(std::optional<ProcessId> stage) override;
  void count_bytes(bool on) override;

  std::string resize(PipeId pipe, bool larger) override;
  std::string renice(ProcessId stage, int nice) override;
  std::string pin(ProcessId stage, std::span<const int> cpus) override;
  std::string undo() override;
  std::string undo_all() override;
  std::vector<std::string> finish_changes() override;
  void keep_changes() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop

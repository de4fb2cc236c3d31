// The face of `pipetop watch`: looks at all pipes, and closer at one pipeline.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/process/watched_command.h"
#include "engine/watch/interventions.h"
#include "engine/watch/open_pipeline.h"
#include "engine/watch/pace.h"
#include "engine/watch/process_tree.h"
#include "engine/watch/target.h"
#include "engine/watch/watch_parts.h"
#include "engine/watch/watch_source.h"
#include "engine/watch/watch_table.h"

namespace pipetop {

class Watcher final : public WatchSource {
 public:
  explicit Watcher(const WatchOptions& options)  // throws Error
      : Watcher(options, real_watch_parts(options.bpf, options.sees_self)) {}
  // Looks through these: for tests.
  Watcher(const WatchOptions& options, WatchParts parts)
      : options_(options), parts_(std::move(parts)), table_(parts_, options.window_ns) {}

  std::shared_ptr<const Snapshot> tick(uint64_t now_ns) override;

  // With options.in_parts: a pass is being made, which the next tick goes on with.
  bool is_passing() const { return parts_cost_ns_.has_value(); }

  // At the next tick, though none is due.
  void want_pass();

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
  // `adopter`: the process that gets what the tree leaves behind; 0: we do.
  void open_tree(pid_t root, pid_t adopter = 0);
  // The same of one that runs, with what it has started so far. Throws Error if there is none.
  void open_tree(const WatchTarget& target);
  void close() override;

  // For the notices of the next snapshot: those that are new have its time.
  void notify(std::string text) { news_.push_back(std::move(text)); }

  // At the open pipeline, whether or not it is due: what moved until now. Throws Error.
  void sample_again() {
    if (open_) sample(parts_.now_ns());
  }

  // Sums up the open pipeline since it was opened: shares, CPU and the bottleneck, with
  // the stages that are gone, as far as they are still known (all of them with open_tree()).
  // Nothing if none is open, or it never had a pipe.
  std::optional<Pipeline> overall() const;
  // The same, each pipeline for itself: see runs_of().
  std::vector<PipelineRun> runs() const;
  // What open_tree() was given, and what it has started: as of now. Nothing without it.
  std::optional<ProcessTreeView> tree();
  // By SIGTERM, all that lives of it.
  void end_tree();
  // All stages of the open one have exited, and whoever could start more, as far as that can be
  // told.
  bool has_ended() const;
  // Whether there is anything to show.
  bool has_passed() const { return table_.has_passed(); }

  void select(std::optional<ProcessId> stage) override;
  void count_bytes(bool on) override;

  std::string resize(PipeId pipe, bool larger) override;
  std::string undo() override { return undo_changes(false); }
  std::string undo_all() override { return undo_changes(true); }
  std::vector<std::string> finish_changes() override { return interventions_.finish(); }
  void keep_changes() override { interventions_.keep(); }

 private:
  // When something is due again.
  struct Schedule {
    Pace pace{20};          // a twentieth of a CPU
    std::string why = {};   // it failed the last time; "": it did not
    uint64_t since_ns = 0;  // it does
  };

  template <class Work>
  bool attempt(Schedule& schedule, uint64_t now_ns, const Work& work);
  void give_up_pass();
  void tell_staleness();
  void notify_all(std::vector<std::string> texts);
  void pass(uint64_t now_ns);
  bool pass_in_parts(uint64_t now_ns);
  void end_pass(uint64_t now_ns, uint64_t cost_ns);
  void look_at_tree(uint64_t now_ns);
  void sample(uint64_t now_ns);
  void begin(PipelineMembers members);
  std::string name_of_part(const PipelineShape& shape) const;
  size_t moving_in(const PipelineShape& shape) const;
  size_t moved_in(const PipelineShape& shape, const PipeScan& before) const;
  bool is_for_its_children(ProcessId process, const PipelineShape& shape) const;
  const ScannedPipe& find(PipeId pipe) const;
  std::string changed(PipeId pipe, std::string key);
  void note_rates(const Throughput& throughput);
  void settle_undone(size_t in_place_before, std::optional<PipeId> measured, std::string key);
  std::string undo_changes(bool all);
  void retry_undo();
  std::shared_ptr<const Snapshot> snapshot(uint64_t now_ns);

  const WatchOptions options_;
  WatchParts parts_;
  WatchTable table_;
  Schedule passes_, samples_, trees_;
  std::optional<uint64_t> parts_cost_ns_;  // of those of a pass that is being made
  bool wants_another_ = false;             // pass after that one
  double scan_ms_ = 0;
  std::unique_ptr<PipelineInstruments> instruments_;  // made ahead
  std::optional<OpenPipeline> open_;
  std::optional<ProcessTree> tree_;
  std::shared_ptr<const ProcessTreeView> tree_view_;
  uint64_t tree_view_ns_ = 0;
  Interventions interventions_;
  std::vector<std::string> news_;  // since the last tick
  std::deque<Notice> notices_;
  std::shared_ptr<const Snapshot> last_;
  bool is_new_ = true;  // something is, since the last snapshot
};

// The pipeline that a scene of a talk shows, from when it is entered until it is left.
class ScenePipeline {
 public:
  // Starts the command, if it is not "", and watches what it does; else what `target` names. Throws
  // Error.
  ScenePipeline(const std::string& command, const std::string& target, const WatchOptions& options);

  Watcher& watcher() { return watcher_; }
  // Why there is no pipeline to look at any more; "" if there is. A command is over when all that
  // it started has ended; what it said on stderr may tell why.
  std::string why_over();

 private:
  Watcher watcher_;
  std::optional<SceneCommand> command_;  // ends before nobody watches it
};

// As far as it was seen, in any of its pipes.
bool has_moved(const Pipeline& pipeline);

}  // namespace pipetop

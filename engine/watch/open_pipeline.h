// The open pipeline: looked at more closely, and more often, than the table's passes do.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/judge/larger_ring.h"
#include "engine/judge/steady.h"
#include "engine/watch/byte_counts.h"
#include "engine/watch/exited_bytes.h"
#include "engine/watch/pipeline_instruments.h"
#include "engine/watch/pipeline_members.h"
#include "engine/watch/pipeline_runs.h"
#include "engine/watch/pipeline_spans.h"
#include "engine/watch/scanned_values.h"
#include "engine/watch/watch_parts.h"
#include "engine/watch/watch_table.h"

namespace pipetop {

class OpenPipeline {
 public:
  // Parts and table outlive it.
  OpenPipeline(WatchParts& parts, const WatchOptions& options, WatchTable& table,
               PipelineMembers members, std::unique_ptr<PipelineInstruments> instruments);
  ~OpenPipeline();

  // After a pass of the table: who belongs to it now.
  void pass(uint64_t now_ns);

  // A scan of its processes.
  void sample(uint64_t now_ns);

  // Since the last pass a stage forked, exited or opened a pipe: another one would tell more.
  bool wants_pass() const { return wants_pass_; }

  const std::optional<Pipeline>& view() const { return view_; }  // nothing: no pipe yet
  std::optional<Pipeline> overall() const;
  std::vector<PipelineRun> runs() const;
  // Of each pipeline, as of now: the stage to blame, if there is one; it may have ended.
  std::vector<ProcessId> blamed() const;
  bool has_ended() const;

  void select(std::optional<ProcessId> stage) { selected_ = stage; }
  void count_bytes(bool on);  // throws Error
  bool counts_bytes() const { return counts_.has_value(); }

  // Something was changed: ends the segment, since shares of before are no longer comparable.
  // `measured`: the pipe whose rate tells what it did.
  void begin_segment(uint64_t now_ns, std::optional<PipeId> measured, std::string label,
                     std::string key);
  // The pipeline, its throughput, and what the last change did.
  void describe(uint64_t now_ns, Snapshot& snapshot) const;

  std::vector<std::string> take_notices();

  // At the end: nothing else may be called.
  std::unique_ptr<PipelineInstruments> take_instruments() { return std::move(instruments_); }

 private:
  using Places = std::map<ProcessId, size_t>;  // of stages in the view

  // When the bytes of a pipe were known for the first and the last time.
  struct Seen {
    uint64_t from_ns = 0, until_ns = 0;
    uint64_t bytes = 0;      // that had moved at the first
    uint64_t uncounted = 0;  // before the exact count began
  };

  void take_bytes();
  void begin_to_count(uint64_t now_ns, PipeId id, PipeHistory& history);
  std::vector<ProcessId> processes() const;
  PipeScan scan_of(std::span<const ProcessId> processes);
  PipeScan part_of_pass(std::span<const ProcessId> processes) const;
  bool is_gone(ProcessId process) const;
  void forget_others();
  void notice_forks();
  void note_bytes(const Pipe& pipe, uint64_t at_ns);
  void sample_pipes(const PipeScan& scan, const ScanIndex& index);
  void sample_times(const PipeScan& scan, uint64_t now_ns);
  void note_flow(std::span<const ScannedPipe> pipes, const std::vector<observe::ThreadTimes>& times,
                 uint64_t at_ns);
  void sample_stages(const PipeScan& scan, const ScanIndex& index, uint64_t now_ns);
  void sample_rings(const PipeScan& scan);
  void measure_io(const PipeScan& scan);
  void make_view(const PipeScan& scan, const ScanIndex& index, uint64_t now_ns);
  void fill_pipe(Pipe& pipe, const ScannedPipe* scanned, const Families& families,
                 const Places& places);
  void keep_ends_of_gone(bool is_closed, const std::vector<StageEnd>& before, const Places& places,
                         std::vector<StageEnd>& ends);
  void note_sides(const Pipeline& view, const ScanIndex& index);
  void add_end(Pipe& pipe);
  void find_larger_ring(Pipeline& view, uint64_t window_ns) const;
  void ask_for_limits(uint64_t now_ns);
  void ask_for_quota(Stage& stage, uint64_t now_ns);
  Reading<double> overall_rate(const Pipe& pipe) const;
  std::vector<SegmentRole> stages_of_segment() const;
  void say_end();

  WatchParts& parts_;
  const WatchOptions options_;
  WatchTable& table_;
  PipelineMembers members_;
  std::unique_ptr<PipelineInstruments> instruments_;
  IoRates io_rates_;
  KnownQuotas quotas_;
  std::optional<ByteCounts> counts_;  // while they are counted
  // Of pipes whose bytes are estimated, when both sides were known last.
  struct Looks {
    PipeLooks sides;
    std::optional<EstimateRange> range;  // at the last one
  };
  std::map<PipeId, Looks> looks_;
  ExitedBytes exited_;
  const bool knows_exits_;
  SeenMoving unplaced_;              // that moved data, in pipes that no pass has seen yet
  std::set<PipeId> counted_wholly_;  // from their first byte on
  PipelineWindow window_, since_change_{PipelineWindow::kAllTime},
      all_time_{PipelineWindow::kAllTime};
  WatchSegments segments_;
  std::map<ProcessId, StageRecord> stages_;
  std::map<PipeId, Pipe> pipes_;
  std::map<PipeId, Seen> seen_;
  std::map<PipeId, std::vector<FlowPoint>> flows_;  // of a minute; oldest first
  std::optional<Pipeline> view_;
  std::optional<ProcessId> selected_;
  Steady<Verdict> verdict_;
  size_t next_frame_ = 0;
  std::map<pid_t, std::vector<pid_t>> children_;
  bool wants_pass_ = false, said_end_ = false, said_left_out_ = false;
  // Its processes hold too much to be looked at by themselves: only passes are, when they are made.
  bool is_cut_ = false, has_passed_ = false;
  std::vector<std::string> notices_;
};

}  // namespace pipetop

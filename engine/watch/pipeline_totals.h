// What the pipelines of a machine did since we began to look, by the names of their tools: totals
// that only grow, for an exporter. Looks at everything every few seconds, and closer at what moves.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/model/pipeline.h"
#include "engine/watch/bounded_series.h"
#include "engine/watch/exited_bytes.h"
#include "engine/watch/pipeline_instruments.h"
#include "engine/watch/pipeline_spans.h"
#include "engine/watch/watch_parts.h"
#include "engine/watch/watch_table.h"

namespace pipetop {

struct TotalsOptions {
  BpfUse bpf = BpfUse::automatic;
  size_t most_series = kUsualSeries;  // of pipes, of stages, and of bottlenecks
  std::vector<PipelineRule> rules = {};
};

// Of all pipes with the same labels.
struct PipeTotals {
  double bytes = 0;
  // Of the observed time; the rest is what nobody saw, or before a first look.
  double full_s = 0, empty_s = 0, observed_s = 0;
  // Now. NaN: that of one of them isn't known, as without BPF.
  double pipes = 0, locked = 0, capacity_bytes = 0, queued_bytes = 0;
};

struct StageTotals {
  enum Part { on_cpu, runnable, reading, writing, other };
  static constexpr size_t kParts = 5;
  std::array<double, kParts> seconds = {};  // of the thread that moves the data
  double unobserved_s = 0;                  // of its life, before a first look or without a clock
  double processes = 0;                     // now
};

// All of these are of the last pass.
struct BottleneckTotals {
  double pipelines = 0;
  // Of the periods of a CPU quota the largest share in which it stopped the stage; nothing: no
  // stage is to blame, or none has a quota.
  std::optional<double> throttled = {};
};

class PipelineTotals {
 public:
  // An hour: a nightly backup's series are gone before the next night.
  static constexpr uint64_t kPatience_ns = 3600 * kSecond;
  static constexpr size_t kMostStages = 8;  // that a name tells

  explicit PipelineTotals(const TotalsOptions& options)
      : PipelineTotals(options, real_watch_parts(options.bpf)) {}
  PipelineTotals(TotalsOptions options, WatchParts parts);

  // What happened since the pass before. Throws Error, or what the lack of memory throws: then the
  // totals are as before, and the next pass makes up for it.
  void pass(uint64_t now_ns);

  // Between two passes, again and again: connections of what moves, which no clock samples. Throws
  // as pass() does.
  void sample();
  bool wants_samples() const { return !sampled_.empty(); }

  // Labels: pipeline, cgroup, writer, reader.
  const BoundedSeries<PipeTotals>& pipes() const { return pipes_; }
  // Labels: pipeline, cgroup, stage.
  const BoundedSeries<StageTotals>& stages() const { return stages_; }
  // Labels: pipeline, cgroup, kind, stage.
  const BoundedSeries<BottleneckTotals>& bottlenecks() const { return bottlenecks_; }

  const PipeScan& scan() const { return table_.scan(); }
  double pass_s() const { return pass_s_; }  // CPU time of the last one
  size_t summed_pipelines() const { return summed_; }
  size_t own_pipes() const { return own_pipes_; }  // of one process, which are in no series
  size_t unwatched() const { return unwatched_; }  // pipes that move and had no room
  // Of pipes that no pass has seen; nothing: it isn't known here.
  const std::optional<ExitedBytes::Unseen>& unseen() const { return unseen_; }
  // Processes that exited, and for which there was no room in a list.
  uint64_t unlisted_exits() const { return scan().unlisted_exits; }
  // Pipes whose last bytes, after the last pass that saw them, are not known.
  size_t unknown_ends() const { return unknown_ends_; }
  bool has_clocks() const { return instruments_ && !instruments_->is_coarse(); }
  std::vector<std::string> take_notices();

 private:
  // A pipeline of the last pass.
  struct Part {
    Pipeline pipeline;
    std::string tools, name, cgroup;
    std::shared_ptr<const std::vector<ProcessId>> members;  // that `tools` names
    const PipelineRule* rule = nullptr;
    bool moves = false;

    bool preferred() const { return rule && rule->keep; }
  };
  // What was known of a pipe, and of a stage, at the pass before.
  struct LastPipe {
    std::optional<RingCounts> ring;
    uint64_t bytes = 0;
    std::vector<std::string> labels;
    bool preferred = false;
    std::optional<PipeLooks> looks = {};
  };
  struct LastStage {
    std::optional<uint64_t> cpu_ns;
    std::optional<bool> outside;
    bool polls_peer = false;
    double polls_nothing = 0;
    std::string tools;  // of its pipeline
    std::shared_ptr<const std::vector<ProcessId>> members = {};
    std::vector<std::string> labels;
    bool preferred = false;
  };

  std::vector<Part> parts() const;
  void name(Part& part) const;
  const LastStage* left_of(const Pipeline& pipeline) const;
  bool has_moved(const Pipe& pipe) const;
  void take_clocks(uint64_t now_ns);
  void set_shares(Part& part, double seconds) const;
  void ask_outside(Part& part) const;
  void set_level(Pipe& pipe, const ScannedPipe& scanned) const;
  void add_ended(const std::vector<Part>& parts, uint64_t before_ns);
  void add_unseen(const PipeScan& scan);
  void add(const Part& part, double seconds);
  bool add_pipe(const Part& part, const Pipe& pipe, double seconds);
  void add_bottleneck(Part& part, uint64_t now_ns);
  std::vector<std::string> labels_of(const Part& part, const Pipe& pipe) const;
  static std::vector<std::string> labels_of(const Part& part, const Stage& stage);
  void remember(const std::vector<Part>& parts);
  void watch(const std::vector<Part>& parts);

  const TotalsOptions options_;
  WatchParts parts_;
  WatchTable table_;
  std::unique_ptr<PipelineInstruments> instruments_;
  PipelineWindow window_{1};  // since the pass before
  BoundedSeries<PipeTotals> pipes_;
  BoundedSeries<StageTotals> stages_;
  BoundedSeries<BottleneckTotals> bottlenecks_;
  uint64_t last_ns_ = 0;
  std::map<PipeId, LastPipe> last_pipes_;
  std::map<ProcessId, LastStage> last_stages_;
  KnownQuotas quotas_;  // of who was to blame
  ExitedBytes exited_;
  std::optional<ExitedBytes::Unseen> unseen_;
  std::vector<ProcessId> sampled_;  // who holds these connections
  double pass_s_ = 0;
  size_t summed_ = 0, own_pipes_ = 0, unwatched_ = 0, unknown_ends_ = 0;
};

}  // namespace pipetop

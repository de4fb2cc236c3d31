#include "tui/print/metrics.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/base/version.h"

namespace pipetop::tui {
namespace {

constexpr std::string_view kOther = "other";  // the pipeline of what has no series of its own

enum class MetricType : uint8_t { counter, gauge, info };

// https://prometheus.io/docs/instrumenting/exposition_formats and the OpenMetrics specification.
class Exposition {
 public:
  explicit Exposition(MetricsFormat format) : open_(format == MetricsFormat::open_metrics) {}

  // The family of the samples that follow. `name` is without _total and _info.
  void begin(MetricType type, const std::string& name, std::string_view help) {
    constexpr std::string_view kTypes[] = {"counter", "gauge", "info"};
    constexpr std::string_view kSuffixes[] = {"_total", "", "_info"};
    sample_ = name + std::string(kSuffixes[size_t(type)]);
    const std::string& family = open_ ? name : sample_;
    const bool as_gauge = !open_ && type == MetricType::info;
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", family, help, family,
                   as_gauge ? kTypes[size_t(MetricType::gauge)] : kTypes[size_t(type)]);
    for (const std::string_view unit : {"seconds", "bytes"})
      if (open_ && name.ends_with(fmt::format("_{}", unit)))
        fmt::format_to(std::back_inserter(text_), "# UNIT {} {}\n", family, unit);
  }

  using Label = std::pair<std::string_view, std::string_view>;

  // What isn't known has no sample: no number would tell that.
  void sample(std::initializer_list<Label> labels, double value) {
    if (std::isnan(value)) return;
    text_ += sample_;
    char before = '{';
    for (const auto& [name, label] : labels) {
      fmt::format_to(std::back_inserter(text_), "{}{}=\"", before, name);
      for (const char c : label) {
        if (c == '\\' || c == '"') text_ += '\\';
        if (c == '\n')
          text_ += "\\n";
        else
          text_ += c;
      }
      text_ += '"';
      before = ',';
    }
    fmt::format_to(std::back_inserter(text_), "{} {}\n", labels.size() == 0 ? "" : "}", value);
  }

  void one(MetricType type, const std::string& name, std::string_view help, double value) {
    begin(type, name, help);
    sample({}, value);
  }

  std::string finish() {
    if (open_) text_ += "# EOF\n";
    return std::move(text_);
  }

 private:
  const bool open_;
  std::string sample_, text_;
};

// Calls `visit(labels, totals)` for all series, and for the rest: "other", with no other label.
template <class Totals>
void for_all(const BoundedSeries<Totals>& series, size_t labels,
             const std::function<void(const std::vector<std::string>&, const Totals&)>& visit) {
  series.for_each(visit);
  if (!series.has_other()) return;
  std::vector<std::string> rest(labels);
  rest[0] = kOther;
  visit(rest, series.other());
}

template <class Totals>
struct MetricColumn {
  MetricType type;
  const char* name;
  std::string_view help;
  double (*value)(const Totals& totals);
};

constexpr MetricColumn<PipeTotals> kPipeColumns[] = {
    {MetricType::counter, "pipetop_pipe_bytes", "Bytes put into these pipes.",
     [](const PipeTotals& t) { return t.bytes; }},
    {MetricType::counter, "pipetop_pipe_full_seconds",
     "Time in which the ring was full, of pipetop_pipe_observed_seconds_total.",
     [](const PipeTotals& t) { return t.full_s; }},
    {MetricType::counter, "pipetop_pipe_empty_seconds",
     "Time in which the ring was empty, of pipetop_pipe_observed_seconds_total.",
     [](const PipeTotals& t) { return t.empty_s; }},
    {MetricType::counter, "pipetop_pipe_observed_seconds",
     "Time in which it is known how full the ring was, summed over these pipes.",
     [](const PipeTotals& t) { return t.observed_s; }},
    {MetricType::gauge, "pipetop_pipes", "Pipes with these labels.",
     [](const PipeTotals& t) { return t.pipes; }},
    {MetricType::gauge, "pipetop_locked_pipes",
     "Of these pipes those that a sleeping splice has the lock of: nobody else reads or writes "
     "them.",
     [](const PipeTotals& t) { return t.locked; }},
    {MetricType::gauge, "pipetop_pipe_capacity_bytes", "What these pipes hold at most.",
     [](const PipeTotals& t) { return t.capacity_bytes; }},
    {MetricType::gauge, "pipetop_pipe_queued_bytes", "What is in these pipes.",
     [](const PipeTotals& t) { return t.queued_bytes; }}};

template <StageTotals::Part kPart>
double seconds_in(const StageTotals& totals) {
  return totals.seconds[kPart];
}

constexpr MetricColumn<StageTotals> kStageColumns[] = {
    {MetricType::counter, "pipetop_stage_on_cpu_seconds",
     "Time on a CPU of the thread that moves the data.", seconds_in<StageTotals::on_cpu>},
    {MetricType::counter, "pipetop_stage_runnable_seconds",
     "Time in which that thread waited for a CPU.", seconds_in<StageTotals::runnable>},
    {MetricType::counter, "pipetop_stage_reading_seconds",
     "Time blocked in reads of pipes: no data.", seconds_in<StageTotals::reading>},
    {MetricType::counter, "pipetop_stage_writing_seconds",
     "Time blocked in writes to pipes: no room.", seconds_in<StageTotals::writing>},
    {MetricType::counter, "pipetop_stage_other_seconds",
     "Time waiting for anything else: a disk, the network, a lock.",
     seconds_in<StageTotals::other>},
    {MetricType::counter, "pipetop_stage_unobserved_seconds",
     "Time of these processes before a first look at them, or without a clock.",
     [](const StageTotals& t) { return t.unobserved_s; }},
    {MetricType::gauge, "pipetop_stage_processes", "Processes with these labels.",
     [](const StageTotals& t) { return t.processes; }}};

void add_pipes(const BoundedSeries<PipeTotals>& series, Exposition& out) {
  for (const auto& column : kPipeColumns) {
    out.begin(column.type, column.name, column.help);
    for_all<PipeTotals>(series, 4, [&](const auto& labels, const PipeTotals& totals) {
      out.sample({{"pipeline", labels[0]},
                  {"cgroup", labels[1]},
                  {"writer", labels[2]},
                  {"reader", labels[3]}},
                 column.value(totals));
    });
  }
}

void add_stages(const BoundedSeries<StageTotals>& series, Exposition& out) {
  for (const auto& column : kStageColumns) {
    out.begin(column.type, column.name, column.help);
    for_all<StageTotals>(series, 3, [&](const auto& labels, const StageTotals& totals) {
      out.sample({{"pipeline", labels[0]}, {"cgroup", labels[1]}, {"stage", labels[2]}},
                 column.value(totals));
    });
  }
}

void add_bottlenecks(const BoundedSeries<BottleneckTotals>& series, Exposition& out) {
  const auto add = [&](const std::function<std::optional<double>(const BottleneckTotals&)>& value) {
    for_all<BottleneckTotals>(series, 4, [&](const auto& labels, const BottleneckTotals& totals) {
      if (const auto number = value(totals))
        out.sample({{"pipeline", labels[0]},
                    {"cgroup", labels[1]},
                    {"kind", labels[2]},
                    {"stage", labels[3]}},
                   *number);
    });
  };
  out.begin(MetricType::gauge, "pipetop_bottleneck",
            "Pipelines that this stage, if the kind names one, holds up in this way.");
  add([](const BottleneckTotals& t) { return std::optional(t.pipelines); });
  out.begin(MetricType::gauge, "pipetop_bottleneck_throttled_ratio",
            "Share of the periods of a CPU quota in which it stopped the bottleneck.");
  add([](const BottleneckTotals& t) { return t.throttled; });
}

void add_own(const PipelineTotals& totals, const ExporterState& state, Exposition& out) {
  using enum MetricType;
  const PipeScan& scan = totals.scan();
  uint64_t left_out = 0;
  for (const LeftOut& process : scan.left_out) left_out += process.ends;
  out.begin(info, "pipetop_build", "The version of pipetop.");
  out.sample({{"version", kVersion}}, 1);
  out.one(gauge, "pipetop_bpf", "1 if the kernel's BPF iterators list the pipes, 0 if /proc does.",
          scan.source == ScanSource::bpf);
  out.one(gauge, "pipetop_clocks", "1 if times are counted at every switch, 0 if they are samples.",
          totals.has_clocks());
  out.one(gauge, "pipetop_scan_seconds", "CPU time of the last pass over all pipes.",
          totals.pass_s());
  out.one(gauge, "pipetop_unreadable_processes", "Processes whose pipes pipetop may not list.",
          scan.unreadable);
  out.one(gauge, "pipetop_left_out_ends",
          "Ends of pipes of processes that hold too many, which were counted only.",
          double(left_out));
  out.one(gauge, "pipetop_unwatched_pipes", "Pipes that move and have no clock: too many do.",
          double(totals.unwatched()));
  const auto& unseen = totals.unseen();
  out.one(counter, "pipetop_unseen_pipes",
          "Pipes of programs that came and went between two passes: in no series.",
          unseen ? double(unseen->pipes) : std::nan(""));
  out.one(counter, "pipetop_unseen_bytes", "Bytes put into these, at least.",
          unseen ? double(unseen->least) : std::nan(""));
  out.one(counter, "pipetop_unseen_bytes_most", "Bytes put into these, at most.",
          unseen ? double(unseen->most) : std::nan(""));
  out.one(counter, "pipetop_unknown_ends",
          "Pipes that ended, and whose bytes after the last pass that saw them are not known.",
          unseen ? double(totals.unknown_ends()) : std::nan(""));
  out.one(counter, "pipetop_unlisted_exits",
          "Processes that exited while there were too many to list: neither of these counts them.",
          unseen ? double(totals.unlisted_exits()) : std::nan(""));
  out.one(gauge, "pipetop_own_pipes", "Pipes of which one process holds both ends: in no series.",
          double(totals.own_pipes()));
  out.one(gauge, "pipetop_summed_pipelines",
          "Pipelines in pipeline=\"other\", because there are too many series.",
          double(totals.summed_pipelines()));
  out.one(counter, "pipetop_scan_errors",
          "Passes that failed: until the next that doesn't, all else is as before.",
          double(state.failed_passes));
  out.one(counter, "pipetop_textfile_errors", "Writes of --textfile that failed.",
          double(state.failed_writes));
  out.one(counter, "process_cpu_seconds", "CPU time that this exporter used.", state.cpu_s);
  out.one(gauge, "process_resident_memory_bytes", "Memory that this exporter uses.",
          state.memory_bytes);
  out.one(gauge, "process_start_time_seconds", "When this exporter was started, since 1970.",
          state.start_s);
}

}  // namespace

std::string_view content_type(MetricsFormat format) {
  return format == MetricsFormat::open_metrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

MetricsFormat format_accepted(std::string_view accept) {
  double open = 0, plain = 0;
  for (std::string& range : split(accept, ',')) {
    std::erase(range, ' ');
    double weight = 1;
    const std::vector<std::string> parts = split(range, ';');
    for (const std::string& parameter : parts)
      if (const size_t q = parameter.find("q="); q != std::string::npos)
        weight = std::strtod(parameter.c_str() + q + 2, nullptr);
    const std::string& type = parts.front();
    if (type == "application/openmetrics-text") open = std::max(open, weight);
    if (type == "text/plain" || type == "text/*") plain = std::max(plain, weight);
  }
  return open > 0 && open >= plain ? MetricsFormat::open_metrics : MetricsFormat::prometheus;
}

std::string metrics_text(const PipelineTotals& totals, const ExporterState& state,
                         MetricsFormat format) {
  Exposition out(format);
  add_pipes(totals.pipes(), out);
  add_stages(totals.stages(), out);
  add_bottlenecks(totals.bottlenecks(), out);
  add_own(totals, state, out);
  return out.finish();
}

}  // namespace pipetop::tui

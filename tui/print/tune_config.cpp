#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/config/text_file.h"
#include "engine/meter/statistics.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/draw/numbers.h"
#include "tui/print/phrases.h"
#include "tui/print/tune_report.h"

namespace pipetop::tui {
namespace {

// The machine's names come from the kernel: they must not end the comment.
std::string comment(const std::string& text) { return "# " + one_line(text) + "\n"; }

std::string found_comment(const TuneReport& report) {
  const TuneResult& r = report.result;
  const PairedComparison& c = r.against_reference;
  std::string text =
      fmt::format("{} GiB/s, {:.2f} times {}", rate_text(median(r.winner->gib_per_s)), c.ratio,
                  report.reference_name);
  if (r.has_final)
    text += fmt::format(" ({2:.0f} % CI {0:.2f} to {1:.2f})", c.low, c.high, 100 * c.level);
  else
    text += ", in the trials that made it the leader: the search ended before its final";
  return text + ".";
}

std::string machine_comment(const HostInfo& host) {
  return fmt::format("On {}; fs.pipe-max-size {}.", machine_text(host), host.pipe_max_size);
}

std::string search_comment(const TuneReport& report) {
  const TuneResult& r = report.result;
  return fmt::format("By pipetop {} tune --budget {} --seed {}{}: {} candidates, {} trials.",
                     kVersion, format_duration(report.budget_ns), report.seed,
                     report.raised() ? " --allow-raise-pipe-max" : "", r.candidates, r.trials);
}

// The ring must be allowed to be this large next time.
std::string limit_comment(const TuneReport& report) {
  const uint64_t wanted = wanted_pipe_bytes(report.result.winner->settings.pipe);
  if (wanted <= report.host.pipe_max_size) return {};
  return comment(fmt::format("It needs: echo {} > /proc/sys/fs/pipe-max-size", wanted));
}

std::string preset_yaml(const TuneReport& report) {
  const TuneResult& r = report.result;
  std::string text = fmt::format("presets:\n  - name: {}\n    title: \"{:.2f} times {}\"\n",
                                 kTunedPreset, r.against_reference.ratio, report.reference_name);
  for (const auto& [knob, value] : changed_knob_values(r.winner->settings))
    text += fmt::format("    {}: {}\n", knob, value);
  return text;
}

}  // namespace

std::string tune_config_yaml(const TuneReport& report) {
  return comment(found_comment(report)) + comment(machine_comment(report.host)) +
         comment(search_comment(report)) + limit_comment(report) +
         fmt::format("preset: {}\n\n", kTunedPreset) + preset_yaml(report);
}

}  // namespace pipetop::tui

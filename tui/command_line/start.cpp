#include "tui/command_line/start.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/config/find_config.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/registry/knobs.h"

namespace pipetop::tui {

Config resolve(const CommandLine& line, Config base, const char* no_color) {
  if (!line.preset.empty()) {
    const Preset* preset = find_preset(base.presets, line.preset);
    if (!preset) throw Error("--preset: " + no_such_preset(base.presets, line.preset));
    base.preset = preset->name;
    base.settings = preset->settings;
  }
  for (const KnobFlag& knob : line.knobs) knob.apply(base.settings);
  validate(base.settings);
  if (line.frequency_hz) base.frequency_hz = *line.frequency_hz;
  if (line.bpf_counters) base.bpf_counters = *line.bpf_counters;
  if (line.no_bpf) base.bpf = BpfUse::off;
  if (line.no_unicode) base.unicode = Choice::never;
  // https://no-color.org: any non-empty value; `always` in a config file is more
  // specific.
  const bool unwanted = no_color && *no_color != '\0' && base.color == Choice::automatic;
  if (line.no_color || unwanted) base.color = Choice::never;
  return base;
}

Config read_config(const std::string& name) {
  return name.empty() ? default_config() : load_config(find_config(name, config_directories()));
}

Config read_start(const CommandLine& line) {
  return resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
}

EngineOptions engine_options(const Config& config) {
  EngineOptions options;
  options.settings = config.settings;
  options.bpf = config.bpf;
  options.frequency_hz = config.frequency_hz;
  options.bpf_counters = config.bpf_counters;
  return options;
}

std::string name_of(const Config& config) {
  const Preset* preset = find_preset(config.presets, config.preset);
  if (preset && preset->settings == config.settings) return preset->name;
  const auto same = std::ranges::find(config.presets, config.settings, &Preset::settings);
  return same == config.presets.end() ? "custom" : same->name;
}

void require_vmsplice(const Settings& settings, const std::string& instead) {
  const WriteWith how = settings.pipe.write_with;
  if (how != WriteWith::vmsplice && how != WriteWith::tee) return;
  const ZeroCopyProbe probe = probe_zero_copy();
  if (probe.vmsplice_errno == 0) return;
  throw Error(fmt::format("{}: {}, or see pipetop doctor", probe.reason, instead),
              probe.vmsplice_errno == ENOSYS ? Exit::unsupported : Exit::refused);
}

}  // namespace pipetop::tui

// A config file: it is refused with one line that says where, or it is a config that works.
#include "engine/config/config.h"

#include <optional>
#include <string>

#include "engine/config/yaml_document.h"
#include "engine/tests/fuzz/fuzz.h"
#include "engine/workload/table/workloads.h"

using namespace pipetop;
using fuzz::expect;

namespace {

void check_refusal(const std::string& words) {
  expect(words.starts_with("f.yaml:") && words.size() < 600, "a refusal says where");
  expect(words.find_first_of("123456789") == 7, "lines are counted from 1");
  expect(!find_text_fault(words) && words.find('\n') == words.npos, "a refusal is a line of text");
}

void check_settings(const Settings& settings) {
  expect(fuzz::accepted([&] { validate(settings); }), "settings work together");
}

void check_scenes(const Config& config) {
  for (const Scene& scene : config.scenes) {
    check_settings(scene.settings);
    expect(!scene.title.empty() && scene.title.size() <= 120 && !find_text_fault(scene.title),
           "a scene has a title");
    expect(!find_text_fault(scene.caption) && !find_text_fault(scene.notes), "texts are text");
    for (const Expectation& e : scene.expect)
      expect(e.compares() ? e.than > 0 && has_rate(scene.settings) : !e.name.empty(),
             "an expectation can hold");
    expect(!find_text_fault(scene.otherwise), "texts are text");
  }
}

void check_config(const Config& config) {
  check_scenes(config);
  check_settings(config.settings);
  for (const Preset& preset : config.presets) {
    check_settings(preset.settings);
    expect(preset.settings.workload == config.settings.workload, "there is one workload");
    expect(find_preset(config.presets, preset.name) == &preset, "a preset's name is its own");
  }
  expect(find_preset(config.presets, config.preset) != nullptr, "it starts from a preset");
  const uint32_t hz = config.frequency_hz;
  expect((hz == 0 || hz >= kMinFrequencyHz) && hz <= kMaxFrequencyHz &&
             config.frames_per_s >= kMinFramesPerS && config.frames_per_s <= kMaxFramesPerS,
         "numbers are in range");
}

}  // namespace

PIPETOP_FUZZ_TARGET(config) {
  std::optional<Config> config;
  try {
    config = parse_config("f.yaml", std::string(fuzz::text_of(data, size)));
  } catch (const Error& e) {
    check_refusal(e.what());
  }
  if (config) check_config(*config);
}

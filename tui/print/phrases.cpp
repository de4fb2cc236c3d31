#include "tui/print/phrases.h"

#include <fmt/core.h>

#include "engine/registry/knobs.h"

namespace pipetop::tui {
namespace {

// `wait` covers both roles if they agree, `writer.cpu` covers placement cpus.
bool is_said_by_another(const Knob& knob, const Settings& settings) {
  const bool waits_agree = settings.pipe.writer_wait == settings.pipe.reader_wait;
  if (knob.name == "writer.wait" || knob.name == "reader.wait") return waits_agree;
  if (knob.name == "placement") return settings.pipe.placement == Placement::cpus;
  if (knob.name == "writer.cpu" || knob.name == "reader.cpu")
    return settings.pipe.placement != Placement::cpus;
  return false;
}

}  // namespace

std::string counted(uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string machine_text(const HostInfo& host) {
  return fmt::format("{}, {}, {}{}Linux {}", host.cpu, counted(uint64_t(host.cpus), "CPU"),
                     host.hypervisor, host.hypervisor.empty() ? "" : ", ", host.kernel);
}

std::string mismatch_text(const Mismatch& m) {
  return fmt::format("{}: {} requested, {} effective: {}", m.knob, m.requested, m.effective,
                     m.reason);
}

std::vector<std::pair<std::string_view, std::string>> changed_knob_values(
    const Settings& settings) {
  const Settings defaults;
  std::vector<std::pair<std::string_view, std::string>> changed;
  for (const Knob& knob : knobs_of(settings)) {
    std::string value = knob.get(settings);
    if (!value.empty() && value != knob.get(defaults) && !is_said_by_another(knob, settings))
      changed.emplace_back(knob.name, std::move(value));
  }
  return changed;
}

std::string changed_knobs(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : changed_knob_values(settings))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text.empty() ? "all defaults" : text;
}

}  // namespace pipetop::tui

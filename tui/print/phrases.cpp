#include "tui/print/phrases.h"

#include <fmt/core.h>

namespace pipetop::tui {

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

}  // namespace pipetop::tui

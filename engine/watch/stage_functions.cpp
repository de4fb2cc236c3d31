// Functions of foreign processes, by the observers of our own workers: a role for each of the two.
#include <algorithm>
#include <array>

#include "engine/base/clock.h"
#include "engine/observe/observers.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {
namespace {

class SampledFunctions final : public StageFunctions {
 public:
  // The first poll waits for the kernel's symbols.
  SampledFunctions() { observers_.poll(monotonic_ns()); }

  void watch(std::optional<ProcessId> blamed, std::optional<ProcessId> selected) override {
    if (blamed == selected) selected.reset();
    const std::array wanted = {blamed, selected};
    // First who leaves: the sampler knows a process by one role.
    for (const Role role : kBothRoles)
      if (of(role) && std::ranges::find(wanted, of(role)) == wanted.end()) give(role, {});
    for (const auto& process : wanted)
      if (process && std::ranges::find(sampled_, process) == sampled_.end())
        give(of(Role::writer) ? Role::reader : Role::writer, process);
  }

  void poll(uint64_t now_ns) override { observers_.poll(now_ns); }

  Reading<FunctionTable> functions(ProcessId process) const override {
    for (const Role role : kBothRoles)
      if (of(role) == process) return observers_.functions(role);
    return Reading<FunctionTable>::warming("not sampled; select the stage");
  }

 private:
  const std::optional<ProcessId>& of(Role role) const {
    return sampled_[static_cast<size_t>(role)];
  }

  void give(Role role, std::optional<ProcessId> process) {
    sampled_[static_cast<size_t>(role)] = process;
    observers_.watch(role, process ? process->pid : 0);
    observers_.restart(role, monotonic_ns());
  }

  Observers observers_{{.whose = observe::Whose::anyones}};
  std::array<std::optional<ProcessId>, kRoles> sampled_;  // by Role
};

}  // namespace

std::unique_ptr<StageFunctions> make_stage_functions() {
  return std::make_unique<SampledFunctions>();
}

}  // namespace pipetop

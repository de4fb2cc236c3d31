#include "engine/watch/watch_parts.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/observe/observers.h"
#include "engine/observe/without_self.h"
#include "engine/process/cgroups.h"
#include "engine/process/foreign_end.h"
#include "engine/process/known_files.h"
#include "engine/process/proc_files.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

pid_t read_parent(pid_t pid) {
  const auto stat = read_known_stat(pid);
  return stat ? stat->parent : 0;
}

bool leads_session(pid_t pid) {
  const auto stat = read_known_stat(pid);
  return stat && stat->session == pid;
}

bool is_alive(ProcessId process) {
  const auto stat = read_known_stat(process.pid);
  return stat && stat->start_ticks == process.start_ticks && !stat->is_zombie();
}

// Also by one of its threads.
std::optional<ProcessId> read_identity(pid_t pid) {
  const auto leader = keyed_number(read_known(pid, "status"), "Tgid");
  if (!leader) return {};
  const auto process = static_cast<pid_t>(*leader);
  const auto start_ticks = start_ticks_of(process);
  return start_ticks ? std::optional(ProcessId{process, *start_ticks}) : std::nullopt;
}

}  // namespace

std::string printable_command(std::string_view cmdline) {
  while (cmdline.ends_with('\0')) cmdline.remove_suffix(1);
  if (cmdline.empty()) return {};
  // Who writes its own title there, as sshd does, leaves one word with blanks.
  return command_text(split(cmdline, '\0'));
}

ProcessFacts read_process_facts(pid_t pid) {
  ProcessFacts facts;
  facts.command = printable_command(read_known(pid, "cmdline"));
  facts.nice = nice_of(pid).value_or(0);
  facts.cpus = cpus_of(pid);
  facts.cgroup = unit_of(read_known(pid, "cgroup"));
  return facts;
}

const ProcessFacts& KnownProcesses::of(ProcessId process, std::string_view comm, uint64_t now_ns,
                                       uint64_t most_ns) {
  const auto [found, is_new] = known_.try_emplace(process);
  Known& known = found->second;
  // Those that came in one pass are not all read again in one pass.
  const uint64_t spread_ns = most_ns / 16 * (static_cast<uint64_t>(process.pid) % 16);
  if (is_new || known.comm != comm || now_ns - known.read_ns >= most_ns + spread_ns) {
    known.facts = read_(process.pid);
    known.comm = comm;
    known.read_ns = now_ns;
  }
  return known.facts;
}

void KnownProcesses::forget(const ScanIndex& index) {
  std::erase_if(known_, [&](const auto& entry) { return index.threads(entry.first).empty(); });
}

WatchParts real_watch_parts(BpfUse use, bool sees_self) {
  WatchParts parts;
  parts.scanner = observe::make_pipe_scanner(use);
  if (!sees_self) parts.scanner = observe::without_self(std::move(parts.scanner));
  parts.launch = std::launch::async | std::launch::deferred;
  parts.make_observer = observe::make_stage_observer;
  parts.make_rings = observe::make_foreign_rings;
  parts.make_functions = make_stage_functions;
  parts.read_facts = read_process_facts;
  parts.link_of = link_of;
  parts.poll_set_of = observe::poll_set_of;
  parts.children_of = children_of;
  parts.parent_of = read_parent;
  parts.leads_session = leads_session;
  parts.identify = read_identity;
  parts.lives = is_alive;
  parts.read_io = read_process_io;
  parts.read_thread_io = read_thread_io;
  parts.read_limits = read_limits;
  parts.read_stat = read_known_stat;
  parts.memberships_of = [](pid_t pid) { return read_proc_file(pid, "cgroup"); };
  parts.pid_inside = pid_inside;
  parts.read_quotas = [](const std::string& memberships) { return read_quotas(memberships); };
  parts.now_ns = monotonic_ns;
  parts.boot_ns = [] { return read_clock(CLOCK_BOOTTIME); };
  parts.cpu_ns = [] { return read_clock(CLOCK_THREAD_CPUTIME_ID); };
  parts.let_pass = [](uint64_t ns) { ::usleep(useconds_t(ns / 1000)); };
  parts.self = ::getpid();
  parts.pipe_device = device_of_nameless_pipes();
  return parts;
}

// Functions of foreign processes, by the observers of our own workers: a role for each of the two.

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

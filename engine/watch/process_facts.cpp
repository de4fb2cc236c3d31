#include "engine/watch/process_facts.h"

#include "engine/base/text.h"
#include "engine/process/proc_files.h"
#include "engine/process/threads.h"

namespace pipetop {

std::string printable_command(std::string_view cmdline) {
  while (cmdline.ends_with('\0')) cmdline.remove_suffix(1);
  if (cmdline.empty()) return {};
  // Who writes its own title there, as sshd does, leaves one word with blanks.
  return command_text(split(cmdline, '\0'));
}

ProcessFacts read_process_facts(pid_t pid) {
  ProcessFacts facts;
  facts.command = printable_command(read_proc_file(pid, "cmdline"));
  facts.nice = nice_of(pid).value_or(0);
  facts.cpus = cpus_of(pid);
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

}  // namespace pipetop

// A text of /proc or /sys. Each parser gets all of it, so a corpus file is such a text as it is;
// the three texts about one process are separated by form feeds.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/host/buffer.h"
#include "engine/host/host.h"
#include "engine/observe/refusals.h"
#include "engine/observe/symbols.h"
#include "engine/process/placement.h"
#include "engine/process/proc_files.h"
#include "engine/tests/fuzz/fuzz.h"
#include "engine/workload/percpu/memory_probe.h"

using namespace pipetop;
using fuzz::expect;

namespace {

void check_process(const std::string& text) {
  std::vector<std::string> texts = split(text, '\f');
  texts.resize(3);
  (void)parse_process_stats(texts[0], texts[1], texts[2]);
}

void check_lines(std::string_view text) {
  expect(first_line(text).find('\n') == std::string::npos, "the first line is one line");
  for (const char* key : {"model name", "flags", "Percpu", "read_bytes"})
    expect(keyed_value(text, key).find('\n') == std::string::npos, "a value is in one line");
  (void)has_cpu_flag(text, "hypervisor");
  (void)keyed_number(text, "MemAvailable");
  (void)percpu::parse_kernel_memory(text);
  (void)observe::verifiers_complaint(text);
  expect(bracketed(text).size() <= text.size(), "the chosen word is in the text");
  expect(hypervisor_name(text).size() <= text.size() + 16, "a name is known, or the text's");
}

void check_times(std::string_view text) {
  const CpuTimes times = parse_cpu_times(text), later{times.total + 10, times.steal + 1};
  const double share = steal_share(times, later);
  expect(share >= 0 && share <= 1, "a share is one");
}

void check_smaps(const std::string& text) {
  constexpr uint64_t kBegin = 0x7f0000000000, kBytes = 4 << 20;
  std::istringstream lines(text);
  (void)bytes_in_smaps(lines, kBegin, kBytes);
}

void check_symbols(const std::string& text) {
  const auto symbols = observe::Symbols::parse(std::istringstream(text));
  expect(symbols.address_of("?") == 0 || !symbols.empty(), "a known name is a symbol");
  for (const uint64_t address : {uint64_t{0}, uint64_t{0xffffffff81000110}, ~uint64_t{0}}) {
    const std::string_view name = symbols.name_at(address);
    expect(name == observe::kUnknown || symbols.address_of(name) != 0, "a name has an address");
  }
}

// Each line is the number of a CPU, of its core, and of its cluster.
void check_placement(const std::string& text) {
  std::vector<Cpu> cpus;
  std::istringstream lines(text);
  for (Cpu cpu; cpus.size() < 64 && lines >> cpu.number >> cpu.core >> cpu.cluster;)
    cpus.push_back(cpu);
  for (const Placement placement :
       {Placement::same_cpu, Placement::smt, Placement::near, Placement::far, Placement::cpus}) {
    PipeSettings settings;
    settings.placement = placement;
    settings.writer_cpu = 1;
    const PlacementChoice choice = choose_cpus(settings, cpus);
    for (const int cpu : {choice.writer_cpu, choice.reader_cpu})
      expect(cpu == kNoCpu || std::ranges::find(cpus, cpu, &Cpu::number) != cpus.end(),
             "a chosen CPU is allowed");
  }
}

}  // namespace

PIPETOP_FUZZ_TARGET(proc) {
  const std::string text(fuzz::text_of(data, size));
  check_process(text);
  check_lines(text);
  check_times(text);
  check_smaps(text);
  check_symbols(text);
  check_placement(text);
}

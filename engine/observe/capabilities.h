// Turns a refusal into words: why, and what to do about it.
#pragma once

#include <string>

namespace pipetop::observe {

// What decides whether the kernel lets us observe.
struct Circumstances {
  bool can_load_bpf = false;    // CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN
  bool has_kernel_btf = false;  // /sys/kernel/btf/vmlinux
  int perf_event_paranoid = 2;  // sysctl kernel.perf_event_paranoid
  int kptr_restrict = 0;        // sysctl kernel.kptr_restrict
};

Circumstances read_circumstances();

struct Refusal {
  std::string step;      // what was being done: "perf_event_open"
  int error_number = 0;  // errno
  std::string log;       // libbpf's last words, if any
};

// "why; remedy"
std::string why_and_remedy(const Refusal& refusal, const Circumstances& circumstances);

// Why /proc/kallsyms shows no addresses; remedy.
std::string why_no_addresses(const Circumstances& circumstances);

inline constexpr const char* kBpfSwitchedOff = "BPF is switched off; run without --no-bpf";
inline constexpr const char* kBuiltWithoutBpf =
    "built without clang and bpftool; install them and rebuild";

}  // namespace pipetop::observe

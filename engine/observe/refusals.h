// Explains a refusal: why, and what to do about it.
#pragma once

#include <string>
#include <string_view>

namespace pipetop::observe {

// What determines whether the kernel lets us observe.
struct Circumstances {
  bool can_load_bpf = false;       // CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN
  bool may_see_addresses = false;  // of kernel symbols: CAP_SYSLOG
  bool has_kernel_btf = false;     // /sys/kernel/btf/vmlinux
  bool is_old_kernel = false;      // older than Linux 6.1
  int perf_event_paranoid = 2;     // sysctl kernel.perf_event_paranoid
  int kptr_restrict = 0;           // sysctl kernel.kptr_restrict
};

Circumstances read_circumstances();

struct Refusal {
  std::string step;      // what was being done: "perf_event_open"
  int error_number = 0;  // errno
  std::string log;       // libbpf's message, if any
};

// "why; remedy"
std::string why_and_remedy(const Refusal& refusal, const Circumstances& circumstances);

// What a user without root misses, and the remedy, in one line, derived from the
// reason why there are no functions; "" if the reason is another one.
std::string lost_without_root(std::string_view reason);

// The last meaningful line of a verifier's log.
std::string verifiers_complaint(std::string_view log);

// Why /proc/kallsyms shows no addresses; remedy.
std::string why_no_addresses(const Circumstances& circumstances);

// What most users lack, and as much of the remedy as fits on a line.
inline constexpr const char* kNeedsRoot = "needs root";
inline constexpr const char* kAsRoot = "sudo pipetop, or see pipetop help privileges";

inline constexpr const char* kBpfSwitchedOff = "BPF is switched off; run without --no-bpf";

}  // namespace pipetop::observe

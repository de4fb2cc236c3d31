// The capabilities of the main process, and what each is for.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/model/tables.h"

namespace pipetop {

// What main does that takes capabilities; a set of them, one bit each.
enum MainUse : unsigned {
  kNoUse = 0,
  kObserve = 1,          // the kernel, by BPF and perf events
  kRunWorkers = 2,       // start, signal, pin and read them
  kLargeRings = 4,       // above fs.pipe-max-size
  kOtherProcesses = 8,   // see them, and resize their pipes
  kNeighbours = 16,      // name the processes up- and downstream
  kCallersFiles = 32,    // open and make files as the user who called sudo
  kSignalCommand = 64,   // pass signals on to the one that was started, whoever it has become
  kTryEverything = 128,  // that a machine may refuse
  kSeeProcesses = 256,   // of others, and no more
  kEveryUse = 511,
};

// The capabilities in effect, and those that are put into effect for a moment or passed on to
// workers. All are permitted, no others are.
struct MainCapabilities {
  uint64_t in_effect = 0, on_demand = 0, passed_on = 0;

  uint64_t permitted() const { return in_effect | on_demand | passed_on; }
};

// While main drives one of these workloads, as root itself or for the user who called sudo; without
// CAP_SYS_ADMIN, which some kernels want for perf events.
MainCapabilities main_capabilities(unsigned uses, std::span<const WorkloadEntry> possible,
                                   bool for_caller);

// In this order, and each before main goes on to what it names. Threads that are started later
// inherit them. Throw Error.

// Before it reads anything: none is in effect.
void suspend_main_capabilities();

// Before it reads a file: it gives up what these uses don't take, for any workload, nor reading
// that file as the user who called sudo; none is in effect. If they take nothing it gives up all,
// and becomes that user.
void narrow_main_capabilities(unsigned uses);

// Before it starts a command that has to get all that our caller has: nothing is given up.
void resume_main_capabilities(unsigned uses);

// Before it drives one of these workloads.
void keep_main_capabilities(unsigned uses, std::span<const WorkloadEntry> possible);

// "bpf, perfmon, syslog to observe the kernel; ..."; "none" for an ordinary user.
std::string describe_capabilities();

}  // namespace pipetop

// pipetop: an oscilloscope for Linux pipes.
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/process/child.h"
#include "engine/process/worker_process.h"
#include "engine/workload/table/main_capabilities.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/callers_variables.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/flags/command_line.h"

namespace {

// If stdout was closed, none of our descriptors must take its place. What is opened
// instead has the wrong direction, so that writing still fails.
void fill_standard_descriptors() {
  for (const int fd : {0, 1, 2}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

// Our memory holds kernel addresses then, which our caller may not see: no core dumps. Not all
// kernels see to it (Linux 6.18 does not).
void hide_memory() {
  if (getauxval(AT_SECURE) != 0) prctl(PR_SET_DUMPABLE, 0);
}

// Loading BPF takes libbpf's log and the kernel's BTF, 16 and 5 MiB, for a moment. When the first
// is freed, glibc would raise its thresholds, and keep what is as large from then on.
void keep_thresholds() { mallopt(M_MMAP_THRESHOLD, 128 << 10); }

}  // namespace

int main(int argc, char** argv) {
  using namespace pipetop;
  if (argc > 1 && std::strcmp(argv[1], kWorkerProcess) == 0) return worker_main(argc, argv);
  keep_thresholds();
  hide_memory();
  fill_standard_descriptors();
  tui::hide_callers_variables();
  set_own_signals();  // a closed pipe and a file that may not grow are errors of write()
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    suspend_main_capabilities();
    return tui::run(tui::parse_command_line(arguments));
  } catch (const tui::ClosedStdout&) {
    return end_by(SIGPIPE);
  } catch (const Error& e) {
    tui::say(e.what());
    return static_cast<int>(e.exit());
  } catch (const std::exception& e) {
    tui::say(words_of(e));
    return static_cast<int>(Exit::refused);
  }
}

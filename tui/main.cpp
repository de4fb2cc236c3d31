// pipetop: an oscilloscope for Linux pipes.
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/process/worker.h"
#include "engine/registry/main_capabilities.h"
#include "engine/registry/worker_main.h"
#include "engine/registry/workloads.h"
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

// With file capabilities we may do more than our caller, so curses must not read the caller's own
// terminal descriptions. HOME is still used otherwise.
void forget_callers_terminals() {
  if (getauxval(AT_SECURE) == 0) return;
  if (const char* home = getenv("HOME"))
    setenv("XDG_CONFIG_HOME", (std::string(home) + "/.config").c_str(), 0);
  for (const char* name : {"TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH", "HOME"})
    unsetenv(name);
}

// Our memory holds kernel addresses then, which our caller may not see: no core dumps. Not all
// kernels see to it (Linux 6.18 does not).
void hide_memory() {
  if (getauxval(AT_SECURE) != 0) prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pipetop;
  if (argc > 1 && std::strcmp(argv[1], kWorkerProcess) == 0) return worker_main(argc, argv);
  hide_memory();
  fill_standard_descriptors();
  forget_callers_terminals();
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  signal(SIGXFSZ, SIG_IGN);  // as is a file that may not grow
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    keep_main_capabilities(workloads());  // before it reads anything
    return tui::run(tui::parse_command_line(arguments));
  } catch (const Error& e) {
    tui::say(e.what());
    return static_cast<int>(e.exit());
  } catch (const std::bad_alloc&) {
    tui::say("out of memory: free some, or see ulimit -v and the memory limit of the cgroup");
    return static_cast<int>(Exit::refused);
  } catch (const std::exception& e) {
    tui::say(std::string("unexpected: ") + e.what());
    return static_cast<int>(Exit::refused);
  }
}

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/doctor/doctor_checks.h"
#include "engine/host/host_files.h"
#include "engine/host/zero_copy_probe.h"

namespace pipetop {
namespace {

constexpr const char* kSandbox =
    "leave the container or sandbox, or allow it: docker run --security-opt seccomp=unconfined";

struct ScratchPipe {
  UniqueFd read_end, write_end;
  int error_number = 0;

  ScratchPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
      error_number = errno;
      return;
    }
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
};

Check check_pipe_size() {
  const std::string name = "pipe";
  const ScratchPipe pipe;
  if (pipe.error_number != 0)
    return {name, CheckResult::missing, "no pipe", errno_text(pipe.error_number), "ulimit -n 1024"};
  const int usual = fcntl(pipe.read_end.get(), F_GETPIPE_SZ);
  const long long most = read_number("/proc/sys/fs/pipe-max-size", 1 << 20);
  if (fcntl(pipe.read_end.get(), F_SETPIPE_SZ, int(most)) >= 0)
    return works(name, fmt::format("{}, up to {} (raise it: sudo sysctl fs.pipe-max-size=4194304)",
                                   format_size(uint64_t(usual)), format_size(uint64_t(most))));
  const int error = errno;
  return {name, CheckResult::limited, fmt::format("{}", format_size(uint64_t(usual))),
          fmt::format("{} was refused: {}; this user's pipes hold too many pages",
                      format_size(uint64_t(most)), errno_text(error)),
          "sudo sysctl fs.pipe-user-pages-soft=0"};
}

Check check_vmsplice(const ZeroCopyProbe& probe) {
  const std::string name = "vmsplice";
  if (probe.vmsplice_errno != 0)
    return {name, CheckResult::missing, "refused", errno_text(probe.vmsplice_errno), kSandbox};
  return works(name, "lends pages to a pipe");
}

Check check_zero_copy(const ZeroCopyProbe& probe) {
  const std::string name = "zero copy";
  switch (probe.result) {
    case ZeroCopy::zero_copy:
      return works(name, probe.reason);
    case ZeroCopy::copied:
      return {name, CheckResult::limited, "vmsplice copies", probe.reason,
              "boot a kernel whose vmsplice does not copy"};
    default:
      return {name, CheckResult::missing, "unverifiable", probe.reason, ""};
  }
}

Check check_splice() {
  const std::string name = "splice to /dev/null";
  const ScratchPipe pipe;
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!null)
    return {name, CheckResult::missing, "no /dev/null", errno_text(errno),
            "sudo mknod -m 666 /dev/null c 1 3"};
  if (write(pipe.write_end.get(), "x", 1) != 1)
    return {name, CheckResult::missing, "no pipe to splice from", errno_text(errno), ""};
  if (splice(pipe.read_end.get(), nullptr, null.get(), nullptr, 1, SPLICE_F_NONBLOCK) == 1)
    return works(name, "drains a pipe without a copy");
  return {name, CheckResult::missing, "refused", errno_text(errno), kSandbox};
}

}  // namespace

Checks check_pipes() {
  const ZeroCopyProbe probe = probe_zero_copy();
  return {check_pipe_size(), check_vmsplice(probe), check_zero_copy(probe), check_splice()};
}

}  // namespace pipetop

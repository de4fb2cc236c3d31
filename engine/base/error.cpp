#include "engine/base/error.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace pipetop {
namespace {

constexpr std::string_view kThread = "starting a thread";

// Calls that ask for no file: whoever refuses one is a filter, a limit, or a kernel that lacks it.
struct Call {
  std::string_view name;
  std::string_view since = {};  // of Linux; none: all that we run on have it
};
constexpr Call kCalls[] = {
    {"fork"},
    {kThread},
    {"pipe2"},
    {"socketpair"},
    {"epoll_create1"},
    {"epoll_ctl"},
    {"epoll_wait"},
    {"timerfd_create"},
    {"timerfd_settime"},
    {"signalfd"},
    {"memfd_create", "3.17"},
    {"F_ADD_SEALS", "3.17"},
    {"pidfd_open", "5.3"},
};

std::string remedy_of(const Call& call, int error_number) {
  switch (error_number) {
    case EAGAIN:
      return "; raise the limit of processes (ulimit -u, pids.max of the cgroup)";
    case EPERM:
    case EACCES:
      return "; a seccomp filter, such as a container's, forbids it: allow it there";
    case ENOSYS:
      return call.since.empty()
                 ? "; a seccomp filter hides it, or the kernel was built without it"
                 : "; a seccomp filter hides it, or the kernel is older than Linux " +
                       std::string(call.since);
    default:
      return {};
  }
}

}  // namespace

std::string remedy_of(std::string_view operation, int error_number) {
  switch (error_number) {
    case EMFILE:
      return "; raise the limit of open files (ulimit -n)";
    case ENFILE:
      return "; too many files are open on this machine: raise fs.file-max (sysctl)";
    case ENOMEM:
      return "; free memory, or see ulimit -v and the memory limit of the cgroup";
    default:
      break;
  }
  const auto* const call = std::ranges::find(kCalls, operation, &Call::name);
  return call == std::end(kCalls) ? std::string() : remedy_of(*call, error_number);
}

std::string words_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error)) return error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return "out of memory: free some, or see ulimit -v and the memory limit of the cgroup";
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  if (system && system->code() == std::errc::resource_unavailable_try_again)
    return SystemError(std::string(kThread), EAGAIN).what();
  return std::string("unexpected: ") + error.what();
}

}  // namespace pipetop

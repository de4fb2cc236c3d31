#include "engine/observe/call_kinds.h"

#include <sys/syscall.h>

namespace pipetop::observe {
namespace {

struct Named {
  int number;
  CallKind kind;
};

constexpr std::array kNamed = {
    Named{SYS_read, CallKind::read}, Named{SYS_readv, CallKind::read},
    Named{SYS_pread64, CallKind::read}, Named{SYS_preadv, CallKind::read},
    Named{SYS_preadv2, CallKind::read}, Named{SYS_recvfrom, CallKind::read},
    Named{SYS_recvmsg, CallKind::read}, Named{SYS_recvmmsg, CallKind::read},
    Named{SYS_write, CallKind::write}, Named{SYS_writev, CallKind::write},
    Named{SYS_pwrite64, CallKind::write}, Named{SYS_pwritev, CallKind::write},
    Named{SYS_pwritev2, CallKind::write}, Named{SYS_sendto, CallKind::write},
    Named{SYS_sendmsg, CallKind::write}, Named{SYS_sendmmsg, CallKind::write},
    Named{SYS_splice, CallKind::splice}, Named{SYS_copy_file_range, CallKind::copy_file_range},
    Named{SYS_tee, CallKind::tee}, Named{SYS_sendfile, CallKind::sendfile},
    Named{SYS_vmsplice, CallKind::vmsplice}, Named{SYS_accept, CallKind::network},
    Named{SYS_accept4, CallKind::network}, Named{SYS_connect, CallKind::network},
    Named{SYS_nanosleep, CallKind::sleep}, Named{SYS_clock_nanosleep, CallKind::sleep},
    Named{SYS_futex, CallKind::lock}, Named{SYS_flock, CallKind::lock},
    Named{SYS_semop, CallKind::lock}, Named{SYS_semtimedop, CallKind::lock},
    Named{SYS_fcntl, CallKind::fcntl}, Named{SYS_wait4, CallKind::child},
    Named{SYS_waitid, CallKind::child}, Named{SYS_clone, CallKind::child},
    Named{SYS_clone3, CallKind::child}, Named{SYS_ppoll, CallKind::poll},
    Named{SYS_pselect6, CallKind::poll}, Named{SYS_epoll_pwait, CallKind::poll},
    Named{SYS_io_uring_enter, CallKind::poll}, Named{SYS_rt_sigsuspend, CallKind::signal},
    Named{SYS_rt_sigtimedwait, CallKind::signal},
// On x86 only:
#ifdef SYS_vfork
    Named{SYS_vfork, CallKind::child},
#endif
#ifdef SYS_poll
    Named{SYS_poll, CallKind::poll},
#endif
#ifdef SYS_select
    Named{SYS_select, CallKind::poll},
#endif
#ifdef SYS_epoll_wait
    Named{SYS_epoll_wait, CallKind::poll},
#endif
#ifdef SYS_pause
    Named{SYS_pause, CallKind::signal},
#endif
    // The same on all, and later than some headers:
    Named{441, CallKind::poll},  // epoll_pwait2
    Named{449, CallKind::lock},  // futex_waitv
    Named{455, CallKind::lock},  // futex_wait
};

constexpr size_t kNumbers = 512;

constexpr auto kKinds = [] {
  std::array<CallKind, kNumbers> kinds{};
  for (const Named& named : kNamed) kinds.at(static_cast<size_t>(named.number)) = named.kind;
  return kinds;
}();

}  // namespace

CallKind kind_of_call(int64_t number) {
  const bool known = number >= 0 && number < static_cast<int64_t>(kNumbers);
  return known ? kKinds[static_cast<size_t>(number)] : CallKind::other;
}

}  // namespace pipetop::observe

#include "engine/observe/waits.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>

#include "engine/base/system_files.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

struct Named {
  int number;
  stage_wait kind;
};

constexpr std::array kNamed = {
    Named{SYS_read, STAGE_READ}, Named{SYS_readv, STAGE_READ}, Named{SYS_pread64, STAGE_READ},
    Named{SYS_preadv, STAGE_READ}, Named{SYS_preadv2, STAGE_READ}, Named{SYS_recvfrom, STAGE_READ},
    Named{SYS_recvmsg, STAGE_READ}, Named{SYS_recvmmsg, STAGE_READ}, Named{SYS_write, STAGE_WRITE},
    Named{SYS_writev, STAGE_WRITE}, Named{SYS_pwrite64, STAGE_WRITE},
    Named{SYS_pwritev, STAGE_WRITE}, Named{SYS_pwritev2, STAGE_WRITE},
    Named{SYS_sendto, STAGE_WRITE}, Named{SYS_sendmsg, STAGE_WRITE},
    Named{SYS_sendmmsg, STAGE_WRITE}, Named{SYS_splice, STAGE_SPLICE},
    Named{SYS_copy_file_range, STAGE_SPLICE}, Named{SYS_tee, STAGE_TEE},
    Named{SYS_sendfile, STAGE_SENDFILE}, Named{SYS_vmsplice, STAGE_VMSPLICE},
    Named{SYS_accept, STAGE_NETWORK}, Named{SYS_accept4, STAGE_NETWORK},
    Named{SYS_connect, STAGE_NETWORK}, Named{SYS_nanosleep, STAGE_SLEEP},
    Named{SYS_clock_nanosleep, STAGE_SLEEP}, Named{SYS_futex, STAGE_LOCK},
    Named{SYS_flock, STAGE_LOCK}, Named{SYS_semop, STAGE_LOCK}, Named{SYS_semtimedop, STAGE_LOCK},
    Named{SYS_fcntl, STAGE_FCNTL}, Named{SYS_wait4, STAGE_CHILD}, Named{SYS_waitid, STAGE_CHILD},
    Named{SYS_clone, STAGE_CHILD}, Named{SYS_clone3, STAGE_CHILD}, Named{SYS_ppoll, STAGE_POLL},
    Named{SYS_pselect6, STAGE_POLL}, Named{SYS_epoll_pwait, STAGE_POLL},
    Named{SYS_io_uring_enter, STAGE_POLL}, Named{SYS_rt_sigsuspend, STAGE_SIGNAL},
    Named{SYS_rt_sigtimedwait, STAGE_SIGNAL},
// On x86 only:
#ifdef SYS_vfork
    Named{SYS_vfork, STAGE_CHILD},
#endif
#ifdef SYS_poll
    Named{SYS_poll, STAGE_POLL},
#endif
#ifdef SYS_select
    Named{SYS_select, STAGE_POLL},
#endif
#ifdef SYS_epoll_wait
    Named{SYS_epoll_wait, STAGE_POLL},
#endif
#ifdef SYS_pause
    Named{SYS_pause, STAGE_SIGNAL},
#endif
    // The same on all, and later than some headers:
    Named{441, STAGE_POLL},  // epoll_pwait2
    Named{449, STAGE_LOCK},  // futex_waitv
    Named{455, STAGE_LOCK},  // futex_wait
};

constexpr auto kKinds = [] {
  std::array<stage_wait, STAGE_CALLS> kinds{};
  kinds.fill(STAGE_OTHER);
  for (const Named& named : kNamed) kinds.at(static_cast<size_t>(named.number)) = named.kind;
  return kinds;
}();

constexpr bool is(stage_wait wait, WaitsFor same) { return wait == static_cast<int>(same); }

static_assert(is(STAGE_PIPE_READ, WaitsFor::pipe_read) && is(STAGE_POLL, WaitsFor::poll));
static_assert(is(STAGE_PIPE_WRITE, WaitsFor::pipe_write) && is(STAGE_DISK, WaitsFor::disk));
static_assert(is(STAGE_NETWORK, WaitsFor::network) && is(STAGE_TERMINAL, WaitsFor::terminal));
static_assert(is(STAGE_SLEEP, WaitsFor::sleep) && is(STAGE_LOCK, WaitsFor::lock));
static_assert(is(STAGE_CHILD, WaitsFor::child) && is(STAGE_SIGNAL, WaitsFor::signal));
static_assert(is(STAGE_STOPPED, WaitsFor::stopped) && is(STAGE_OTHER, WaitsFor::other));

// fcntl's command may be one of a 32-bit interface, too; these are those of 64-bit ones.
bool waits_for_lock(const SystemCall& call) {
  const int command = call.fd(1);
  return command == F_SETLKW || command == F_OFD_SETLKW;
}

std::optional<bool> is_empty(const ScannedPipe& pipe) {
  if (pipe.ring) return pipe.ring->used() == 0;
  if (pipe.socket) return pipe.socket->empty;
  if (pipe.queued) return *pipe.queued == 0;
  return {};
}

// From the bytes alone it can't be told in between: a slot need not hold a page.
std::optional<bool> is_full(const ScannedPipe& pipe) {
  if (pipe.ring) return pipe.ring->used() >= pipe.ring->slots;
  if (pipe.socket) return !pipe.socket->writable;
  if (pipe.queued && *pipe.queued == 0) return false;
  if (pipe.queued && pipe.capacity && *pipe.queued >= *pipe.capacity) return true;
  return {};
}

// Others that move data of a pipe are waited for with its mutex, without interruption.
WaitsFor in_pipe(WaitsFor wait, Sleep sleep) {
  return sleep == Sleep::uninterruptible ? WaitsFor::lock : wait;
}

TaskWait wait_at(int fd, WaitsFor in_a_pipe, Sleep sleep, const DescriptorOf& descriptor_of) {
  const Descriptor descriptor = descriptor_of(fd, in_a_pipe == WaitsFor::pipe_write);
  if (descriptor.pipe) return {in_pipe(in_a_pipe, sleep), fd};
  return {wait_on(descriptor.name, sleep == Sleep::uninterruptible), fd};
}

bool is_slow(WaitsFor wait) { return wait == WaitsFor::network || wait == WaitsFor::terminal; }

// Data goes from one descriptor to another, and the thread waits at one of them.
TaskWait wait_between(int from, int to, Sleep sleep, const DescriptorOf& descriptor_of,
                      bool has_lock) {
  const Descriptor in = descriptor_of(from, false), out = descriptor_of(to, true);
  const bool uninterruptible = sleep == Sleep::uninterruptible;
  const WaitsFor at_in = wait_on(in.name, uninterruptible);
  const WaitsFor at_out = wait_on(out.name, uninterruptible);
  if (in.pipe && out.pipe) {
    const auto nothing_to_read = is_empty(*in.pipe);
    if (!nothing_to_read) return {};
    return *nothing_to_read ? TaskWait{in_pipe(WaitsFor::pipe_read, sleep), from}
                            : TaskWait{in_pipe(WaitsFor::pipe_write, sleep), to};
  }
  if (in.pipe) {
    const bool has_data = is_empty(*in.pipe) == false;
    if (has_lock || at_out == WaitsFor::disk || (has_data && is_slow(at_out))) return {at_out, to};
    return {in_pipe(WaitsFor::pipe_read, sleep), from};
  }
  if (out.pipe) {
    const bool has_room = is_full(*out.pipe) == false;
    if (has_lock || at_in == WaitsFor::disk || (has_room && is_slow(at_in))) return {at_in, from};
    return {in_pipe(WaitsFor::pipe_write, sleep), to};
  }
  return is_slow(at_out) ? TaskWait{at_out, to} : TaskWait{at_in, from};
}

TaskWait wait_in(const SystemCall& call, Sleep sleep, const DescriptorOf& descriptor_of,
                 bool has_lock) {
  switch (call.kind()) {
    case STAGE_READ:
      return wait_at(call.fd(0), WaitsFor::pipe_read, sleep, descriptor_of);
    case STAGE_WRITE:
      return wait_at(call.fd(0), WaitsFor::pipe_write, sleep, descriptor_of);
    case STAGE_VMSPLICE: {
      const bool reads = descriptor_of(call.fd(0), true).access == Access::read;
      return wait_at(call.fd(0), reads ? WaitsFor::pipe_read : WaitsFor::pipe_write, sleep,
                     descriptor_of);
    }
    case STAGE_SPLICE:
      return wait_between(call.fd(0), call.fd(2), sleep, descriptor_of, has_lock);
    case STAGE_TEE:
      return wait_between(call.fd(0), call.fd(1), sleep, descriptor_of, has_lock);
    case STAGE_SENDFILE:
      return wait_between(call.fd(1), call.fd(0), sleep, descriptor_of, has_lock);
    case STAGE_CHILD:
      return {WaitsFor::child};
    default:
      break;
  }
  if (sleep == Sleep::uninterruptible) return {WaitsFor::disk};
  if (call.kind() == STAGE_FCNTL) return {waits_for_lock(call) ? WaitsFor::lock : WaitsFor::other};
  return {waits_for(call.kind())};
}

bool begins_with(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings)
    if (text.starts_with(beginning)) return true;
  return false;
}

constexpr std::string_view kPipeName = "pipe:[", kSocketName = "socket:[";

uint64_t inode_in(std::string_view name, std::string_view beginning) {
  name.remove_prefix(beginning.size());
  uint64_t inode = 0;
  std::from_chars(name.data(), name.data() + name.size(), inode);
  return inode;
}

}  // namespace

stage_wait kind_of_call(int64_t number) {
  const bool known = number >= 0 && number < STAGE_CALLS;
  return known ? kKinds[static_cast<size_t>(number)] : STAGE_OTHER;
}

void fill_calls(std::span<uint8_t> kinds) {
  for (size_t number = 0; number < kinds.size(); ++number)
    kinds[number] = static_cast<uint8_t>(kind_of_call(static_cast<int64_t>(number)));
  kinds[SYS_fcntl] = STAGE_LOCK;  // no other command of it sleeps
  kinds[SYS_restart_syscall] = STAGE_RESTART;
}

WaitsFor waits_for(uint32_t wait) {
  return wait <= STAGE_OTHER ? static_cast<WaitsFor>(wait) : WaitsFor::other;
}

std::optional<SystemCall> parse_system_call(const std::string& text) {
  SystemCall call;
  if (text.starts_with("running")) return call;
  const int parsed =
      std::sscanf(text.c_str(), "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &call.number,
                  &call.argument[0], &call.argument[1], &call.argument[2]);
  if (parsed < 3) return {};
  if (call.number < 0) return SystemCall{};  // what follows is the stack and the instruction
  return parsed == 4 ? std::optional(call) : std::nullopt;
}

Sleep sleep_of(char state) {
  switch (state) {
    case 'D':
      return Sleep::uninterruptible;
    case 'T':
    case 't':
      return Sleep::stopped;
    default:
      return Sleep::interruptible;
  }
}

TaskWait wait_of(const SystemCall& call, Sleep sleep, const DescriptorOf& descriptor_of,
                 bool has_lock) {
  switch (sleep) {
    case Sleep::stopped:
      return {WaitsFor::stopped};
    case Sleep::device:
      return {WaitsFor::disk};
    case Sleep::interruptible:
    case Sleep::uninterruptible:
      return wait_in(call, sleep, descriptor_of, has_lock);
  }
  return {};
}

const ScannedPipe* locked_by(const SystemCall& call, Sleep sleep,
                             const std::function<const ScannedPipe*(int fd, bool writing)>& pipe_at,
                             const std::function<std::string()>& wchan) {
  const bool is_splice = call.kind() == STAGE_SPLICE;
  if (sleep != Sleep::interruptible || (!is_splice && call.kind() != STAGE_SENDFILE))
    return nullptr;
  const ScannedPipe* in = pipe_at(call.fd(is_splice ? 0 : 1), false);
  const ScannedPipe* out = pipe_at(call.fd(is_splice ? 2 : 0), true);
  const bool from_pipe = in && !in->socket, to_pipe = out && !out->socket;
  if (from_pipe == to_pipe) return nullptr;
  // Who waits for the pipe itself leaves the lock to others.
  const std::string function = wchan();
  const bool is_unknown = function.empty() || function == "0";
  if (is_unknown || begins_with(function, {"pipe_wait", "wait_for_space", "splice_from_pipe"}))
    return nullptr;
  return from_pipe ? in : out;
}

WaitsFor wait_on(std::string_view name, bool uninterruptible) {
  if (name.starts_with("socket:")) return WaitsFor::network;
  if (begins_with(name, {"/dev/pts/", "/dev/tty", "/dev/console"})) return WaitsFor::terminal;
  if (name == "anon_inode:[timerfd]") return WaitsFor::sleep;
  if (name == "anon_inode:[signalfd]") return WaitsFor::signal;
  return uninterruptible ? WaitsFor::disk : WaitsFor::other;
}

const std::string& DescriptorNames::name_of(ProcessId process, int fd, uint64_t now_ns) {
  Name& name = names_[{process, fd}];
  if (name.asked_ns != 0 && now_ns < name.asked_ns + kValid_ns) return name.text;
  name.text = link_of(process.pid, fd);
  name.asked_ns = now_ns;
  return name.text;
}

void DescriptorNames::forget_old(uint64_t now_ns) {
  std::erase_if(names_,
                [&](const auto& entry) { return now_ns >= entry.second.asked_ns + 2 * kValid_ns; });
}

// A FIFO's name is a path. Its inode is in fdinfo; stat may wait for a file server.
DescriptorWait descriptor_wait(std::string_view name, std::string_view fdinfo) {
  if (name.starts_with(kPipeName)) return {WaitsFor::pipe_read, inode_in(name, kPipeName)};
  if (name.starts_with(kSocketName)) return {WaitsFor::network, inode_in(name, kSocketName)};
  const DescriptorWait wait = {wait_on(name, false)};
  if (!name.starts_with('/') || wait.wait != WaitsFor::other) return wait;
  return {wait.wait, keyed_number(fdinfo, "ino").value_or(0), true};
}

DescriptorWait DescriptorWaits::of(ProcessId process, int fd, uint64_t now_ns) {
  if (now_ns >= cleaned_ns_ + DescriptorNames::kValid_ns) {
    names_.forget_old(now_ns);
    cleaned_ns_ = now_ns;
  }
  const std::string& name = names_.name_of(process, fd, now_ns);
  std::string fdinfo;
  if (name.starts_with('/'))
    fdinfo = read_proc_file(process.pid, fmt::format("fdinfo/{}", fd), 256);
  return descriptor_wait(name, fdinfo);
}

}  // namespace pipetop::observe

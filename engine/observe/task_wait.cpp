#include "engine/observe/task_wait.h"

#include <fcntl.h>

#include <cinttypes>
#include <cstdio>

#include "engine/observe/pipe_scanner.h"

namespace pipetop::observe {
namespace {

using DescriptorOf = std::function<Descriptor(int)>;

// fcntl's command may be one of a 32-bit interface, too; these are those of 64-bit ones.
bool waits_for_lock(const SystemCall& call) {
  const int command = call.fd(1);
  return command == F_SETLKW || command == F_OFD_SETLKW;
}

std::optional<bool> is_empty(const ScannedPipe& pipe) {
  if (pipe.ring) return pipe.ring->used() == 0;
  if (pipe.queued) return *pipe.queued == 0;
  return {};
}

// From the bytes alone it can't be told in between: a slot need not hold a page.
std::optional<bool> is_full(const ScannedPipe& pipe) {
  if (pipe.ring) return pipe.ring->used() >= pipe.ring->slots;
  if (pipe.queued && *pipe.queued == 0) return false;
  if (pipe.queued && pipe.capacity && *pipe.queued >= *pipe.capacity) return true;
  return {};
}

// Others that move data of a pipe are waited for with its mutex, without interruption.
WaitsFor in_pipe(WaitsFor wait, Sleep sleep) {
  return sleep == Sleep::uninterruptible ? WaitsFor::lock : wait;
}

TaskWait wait_at(int fd, WaitsFor in_a_pipe, Sleep sleep, const DescriptorOf& descriptor_of) {
  const Descriptor descriptor = descriptor_of(fd);
  if (descriptor.pipe) return {in_pipe(in_a_pipe, sleep), fd};
  return {wait_on(descriptor.name, sleep == Sleep::uninterruptible), fd};
}

bool is_slow(WaitsFor wait) { return wait == WaitsFor::network || wait == WaitsFor::terminal; }

// Data goes from one descriptor to another, and the thread waits at one of them.
TaskWait wait_between(int from, int to, Sleep sleep, const DescriptorOf& descriptor_of) {
  const Descriptor in = descriptor_of(from), out = descriptor_of(to);
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
    if (at_out == WaitsFor::disk || (has_data && is_slow(at_out))) return {at_out, to};
    return {in_pipe(WaitsFor::pipe_read, sleep), from};
  }
  if (out.pipe) {
    const bool has_room = is_full(*out.pipe) == false;
    if (at_in == WaitsFor::disk || (has_room && is_slow(at_in))) return {at_in, from};
    return {in_pipe(WaitsFor::pipe_write, sleep), to};
  }
  return is_slow(at_out) ? TaskWait{at_out, to} : TaskWait{at_in, from};
}

TaskWait wait_in(const SystemCall& call, Sleep sleep, const DescriptorOf& descriptor_of) {
  const bool uninterruptible = sleep == Sleep::uninterruptible;
  switch (call.kind()) {
    case CallKind::read:
      return wait_at(call.fd(0), WaitsFor::pipe_read, sleep, descriptor_of);
    case CallKind::write:
      return wait_at(call.fd(0), WaitsFor::pipe_write, sleep, descriptor_of);
    case CallKind::vmsplice: {
      const bool reads = descriptor_of(call.fd(0)).access == Access::read;
      return wait_at(call.fd(0), reads ? WaitsFor::pipe_read : WaitsFor::pipe_write, sleep,
                     descriptor_of);
    }
    case CallKind::splice:
    case CallKind::copy_file_range:
      return wait_between(call.fd(0), call.fd(2), sleep, descriptor_of);
    case CallKind::tee:
      return wait_between(call.fd(0), call.fd(1), sleep, descriptor_of);
    case CallKind::sendfile:
      return wait_between(call.fd(1), call.fd(0), sleep, descriptor_of);
    case CallKind::child:
      return {WaitsFor::child};
    default:
      break;
  }
  if (uninterruptible) return {WaitsFor::disk};
  switch (call.kind()) {
    case CallKind::network:
      return {WaitsFor::network};
    case CallKind::sleep:
      return {WaitsFor::sleep};
    case CallKind::lock:
      return {WaitsFor::lock};
    case CallKind::fcntl:
      return {waits_for_lock(call) ? WaitsFor::lock : WaitsFor::other};
    case CallKind::poll:
      return {WaitsFor::poll};
    case CallKind::signal:
      return {WaitsFor::signal};
    default:
      return {};
  }
}

bool begins_with(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings)
    if (text.starts_with(beginning)) return true;
  return false;
}

}  // namespace

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

TaskWait wait_of(const SystemCall& call, Sleep sleep, const DescriptorOf& descriptor_of) {
  switch (sleep) {
    case Sleep::stopped:
      return {WaitsFor::stopped};
    case Sleep::device:
      return {WaitsFor::disk};
    case Sleep::interruptible:
    case Sleep::uninterruptible:
      return wait_in(call, sleep, descriptor_of);
  }
  return {};
}

WaitsFor wait_on(std::string_view name, bool uninterruptible) {
  if (name.starts_with("socket:")) return WaitsFor::network;
  if (begins_with(name, {"/dev/pts/", "/dev/tty", "/dev/console"})) return WaitsFor::terminal;
  if (name == "anon_inode:[timerfd]") return WaitsFor::sleep;
  if (name == "anon_inode:[signalfd]") return WaitsFor::signal;
  return uninterruptible ? WaitsFor::disk : WaitsFor::other;
}

}  // namespace pipetop::observe

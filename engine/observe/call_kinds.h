// What system calls do with descriptors, and what else they wait for, by their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pipetop::observe {

enum class CallKind : uint8_t {
  other,
  read,             // from the descriptor in argument 0
  write,            // to it
  splice,           // from argument 0 to argument 2
  copy_file_range,  // the same
  tee,              // from argument 0 to argument 1
  sendfile,         // from argument 1 to argument 0
  vmsplice,         // to or from argument 0
  network,          // a connection
  sleep,            // a time
  lock,             // futex, flock
  fcntl,            // a lock, by the command in argument 1
  child,            // its end, or its start with vfork
  poll,             // any of several descriptors
  signal,
};

// Of this architecture, 64-bit. -1 and numbers of later kernels are `other`.
CallKind kind_of_call(int64_t number);

// A system call that a thread is in.
struct SystemCall {
  int64_t number = -1;  // -1: none
  std::array<uint64_t, 3> argument{};

  CallKind kind() const { return kind_of_call(number); }
  int fd(size_t i) const { return static_cast<int>(argument[i]); }
};

}  // namespace pipetop::observe

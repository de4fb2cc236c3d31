// What a sleeping thread waits for: from the system call that it is in and the descriptors that it
// gave to it. What cannot be told is `other`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "bpf/stages.h"
#include "engine/model/pipe_scan.h"

namespace pipetop::observe {

// ---- system calls ----

// What a call waits for, or how it moves data, by its number on this architecture, 64-bit. -1 and
// numbers of later kernels are STAGE_OTHER.
stage_wait kind_of_call(int64_t number);

// The same for all numbers, as bpf/stage_calls.bpf.h needs it.
void fill_calls(std::span<uint8_t> kinds);

// `other` for what a descriptor decides.
WaitsFor waits_for(uint32_t wait);

// A system call that a thread is in.
struct SystemCall {
  int64_t number = -1;  // -1: none
  std::array<uint64_t, 3> argument{};

  stage_wait kind() const { return kind_of_call(number); }
  int fd(size_t i) const { return static_cast<int>(argument[i]); }
};

// /proc/PID/task/TID/syscall: "0 0x3 0x7ffd... 0x1000 ...", "-1 0x7ffd... 0x7f2f..." in none,
// "running". Nothing if it is anything else, such as "" because it may not be read.
std::optional<SystemCall> parse_system_call(const std::string& text);

// ---- tasks ----

// How it sleeps.
enum class Sleep : uint8_t {
  interruptible,
  uninterruptible,
  device,   // the kernel counts it as a wait for input or output
  stopped,  // by a signal, a debugger or its control group
};

Sleep sleep_of(char state);  // TaskStat::state

// What a descriptor of its process refers to.
struct Descriptor {
  const ScannedPipe* pipe = nullptr;  // null: no pipe
  Access access = Access::both;       // to the pipe
  std::string name;                   // of what is no pipe: "socket:[1]"; "" if it is not known
};

struct TaskWait {
  WaitsFor wait = WaitsFor::other;
  int fd = -1;  // that it reads, writes or moves data at

  bool operator==(const TaskWait&) const = default;
};

// Asked for the descriptors of calls that read, write or move data.
using DescriptorOf = std::function<Descriptor(int fd, bool writing)>;

// `has_lock`: it is the one that locked_by() tells of.
TaskWait wait_of(const SystemCall& call, Sleep sleep, const DescriptorOf& descriptor_of,
                 bool has_lock = false);

// The pipe whose lock a thread has while it sleeps: it moves data between the pipe and something
// else, and waits for that. Null: none, or it can't be told. `wchan`: what /proc/PID/task/TID/wchan
// says, asked for if the rest is so.
const ScannedPipe* locked_by(const SystemCall& call, Sleep sleep,
                             const std::function<const ScannedPipe*(int fd, bool writing)>& pipe_at,
                             const std::function<std::string()>& wchan);

// Whether a descriptor of a process is a socket, a terminal, ... for WaitsFor; from its name in
// /proc/PID/fd, "socket:[1]" or "/dev/pts/3".
WaitsFor wait_on(std::string_view name, bool uninterruptible);

// ---- descriptors that are no watched pipes, told by their names in /proc, which opens nothing
// ----

// What /proc/PID/fd/N refers to. A name is asked for again after some time, because a number is
// soon given to another file.
class DescriptorNames {
 public:
  static constexpr uint64_t kValid_ns = 2'000'000'000;

  const std::string& name_of(ProcessId process, int fd, uint64_t now_ns);
  // To be called now and then.
  void forget_old(uint64_t now_ns);
  size_t size() const { return names_.size(); }

 private:
  struct Name {
    std::string text;
    uint64_t asked_ns = 0;
  };
  std::map<std::tuple<ProcessId, int>, Name> names_;
};

struct DescriptorWait {
  WaitsFor wait = WaitsFor::other;  // of a pipe without a name: pipe_read
  uint64_t inode = 0;               // of a pipe without a name, of a socket, or of a path: a FIFO?
  bool named = false;

  bool operator==(const DescriptorWait&) const = default;
};

// `name` is that of /proc/PID/fd/N, and `fdinfo` the text of /proc/PID/fdinfo/N.
DescriptorWait descriptor_wait(std::string_view name, std::string_view fdinfo);

class DescriptorWaits {
 public:
  DescriptorWait of(ProcessId process, int fd, uint64_t now_ns);

 private:
  DescriptorNames names_;
  uint64_t cleaned_ns_ = 0;
};

}  // namespace pipetop::observe

#include "engine/pipeline/interventions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/host/host_files.h"
#include "engine/host/pipe_max_size.h"
#include "engine/pipeline/size_text.h"
#include "engine/process/foreign_end.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

std::string process_text(ProcessId process) { return fmt::format("process {}", process.pid); }

// There is nothing left of what was to be changed.
struct Gone : Error {
  using Error::Error;
};

[[noreturn]] void throw_gone(ProcessId process) {
  throw Gone(process_text(process) + " has exited; there is nothing to change", Exit::refused);
}

[[noreturn]] void throw_why_not_reached(const PipeEnd& end, const SystemError& error) {
  const std::string name = process_text(end.process);
  switch (error.error_number()) {
    case ESRCH:
      throw_gone(end.process);
    case EBADF:
      throw Gone(
          fmt::format("{} has closed descriptor {}; choose another end of the pipe", name, end.fd),
          Exit::refused);
    case EPERM:
      throw Error(name +
                      " may not be touched by this user; run pipetop as root, or with "
                      "kernel.yama.ptrace_scope = 0 on a process of your own",
                  Exit::refused);
    case ENOSYS:
      throw Error("this kernel has no pidfd_getfd; use Linux 5.6 or later", Exit::unsupported);
    default:
      throw Error(std::string(error.what()) + "; run pipetop as root", Exit::refused);
  }
}

// What became of a resize.
struct Resized {
  uint64_t before = 0, now = 0;  // bytes
  int error_number = 0;
  uint64_t queued = 0;  // after an error
};

// The copy is closed when this returns or throws.
Resized resize_once(PipeId pipe, const PipeEnd& end, uint64_t bytes) {
  ForeignEnd copy(pipe, end);
  Resized resized{copy.capacity()};
  try {
    resized.now = copy.resize(bytes);
  } catch (const SystemError& error) {
    resized.error_number = error.error_number();
    resized.queued = copy.queued();
  }
  return resized;
}

[[noreturn]] void throw_why_not_resized(const Resized& resized, uint64_t bytes) {
  const auto limit = static_cast<uint64_t>(read_number(kPipeMaxSizeFile, 0));
  const std::string size = size_text(bytes);
  switch (resized.error_number) {
    case EBUSY:
      throw Error(fmt::format("{} bytes are in the pipe, and {} would not hold their slots; wait "
                              "until it has drained",
                              resized.queued, size),
                  Exit::refused);
    case EPERM:
      if (bytes > limit)
        throw Error(fmt::format("{} is more than the {} of {}; raise that as root", size,
                                size_text(limit), kPipeMaxSizeFile),
                    Exit::refused);
      throw Error(
          "all pipes of this user together would be too large; raise "
          "/proc/sys/fs/pipe-user-pages-soft as root",
          Exit::refused);
    case EINVAL:
      throw Error(fmt::format("a pipe can't have {} bytes; give a size of up to {}", bytes,
                              size_text(limit)));
    case ENOMEM:
      throw Error(fmt::format("the kernel has no memory for {}; choose less", size), Exit::refused);
    default:
      throw SystemError("F_SETPIPE_SZ", resized.error_number);
  }
}

Resized resize_through(PipeId pipe, const PipeEnd& end, uint64_t bytes) {
  Resized resized;
  try {
    resized = resize_once(pipe, end, bytes);
  } catch (const SystemError& error) {
    throw_why_not_reached(end, error);
  }
  if (resized.error_number != 0) throw_why_not_resized(resized, bytes);
  return resized;
}

// Whoever still holds the pipe, and may be reached, will do.
Resized resize_by_any(PipeId pipe, std::span<const PipeEnd> ends, uint64_t bytes) {
  std::optional<Error> refused;  // the first one
  std::optional<Gone> gone;
  for (const PipeEnd& end : ends) {
    try {
      return resize_through(pipe, end, bytes);
    } catch (const Gone& error) {
      if (!gone) gone = error;
    } catch (const Error& error) {
      if (!refused) refused = error;
    }
  }
  if (refused) throw *refused;
  if (gone) throw *gone;
  throw Gone(fmt::format("nobody holds pipe {} open", pipe.inode));
}

// What a change needs to know of a property of threads.
template <class Value>
struct Property {
  std::optional<Value> (*read)(pid_t tid);
  int (*write)(pid_t tid, const Value& value);  // 0 or errno
};

constexpr Property<int> kNice = {nice_of,
                                 [](pid_t tid, const int& nice) { return set_nice(tid, nice); }};
constexpr Property<std::vector<int>> kCpus = {
    [](pid_t tid) -> std::optional<std::vector<int>> {
      auto cpus = cpus_of(tid);
      if (cpus.empty()) return {};
      return cpus;
    },
    [](pid_t tid, const std::vector<int>& cpus) { return set_cpus(tid, mask_of(cpus)); }};

template <class Value>
using Before = std::map<pid_t, Value>;  // by thread

// Changes what `value_for` gives for each thread, also for those that start meanwhile. Returns 0 or
// errno, and what the changed ones had.
template <class Value, class ValueFor>
int change_threads(ProcessId process, const Property<Value>& property, const ValueFor& value_for,
                   Before<Value>& before) {
  std::set<pid_t> seen;
  for (bool again = true; again;) {
    again = false;
    for (const pid_t tid : threads_of(process.pid)) {
      if (!seen.insert(tid).second) continue;
      again = true;
      // Close to the change: the number may be given to another process at any time.
      if (!exists(process)) return 0;
      const auto had = property.read(tid);
      if (!had) continue;
      const int error = property.write(tid, value_for(tid));
      if (error == ESRCH) continue;
      if (error != 0) return error;
      before.emplace(tid, *had);
    }
  }
  return 0;
}

// Threads that are new since then get what the first one had.
template <class Value>
int restore_threads(ProcessId process, const Property<Value>& property,
                    const Before<Value>& before) {
  Before<Value> ignored;
  const auto value_for = [&](pid_t tid) -> const Value& {
    const auto found = before.find(tid);
    return found == before.end() ? before.begin()->second : found->second;
  };
  return change_threads(process, property, value_for, ignored);
}

// All threads or none. Returns what they had.
template <class Value>
Before<Value> change_all(ProcessId process, const Property<Value>& property, const Value& value,
                         const std::function<Error(int)>& explain) {
  Before<Value> before;
  const int error = change_threads(
      process, property, [&](pid_t) -> const Value& { return value; }, before);
  if (error != 0) {
    // Only those that were changed: the others have what they had.
    for (const auto& [tid, had] : before)
      if (exists(process)) property.write(tid, had);
    throw explain(error);
  }
  if (before.empty()) throw_gone(process);
  return before;
}

Error why_not_reniced(ProcessId process, int nice, int error_number) {
  if (error_number == EACCES)
    return Error(fmt::format("nice {} for {}: only root may lower a nice value; run pipetop as "
                             "root",
                             nice, process_text(process)),
                 Exit::refused);
  if (error_number == EPERM)
    return Error(process_text(process) + " is another user's; run pipetop as root", Exit::refused);
  return SystemError(fmt::format("nice {} for {}", nice, process_text(process)), error_number);
}

Error why_not_pinned(ProcessId process, const std::vector<int>& cpus, int error_number) {
  if (error_number == EINVAL)
    return Error(fmt::format("{} may use none of the CPUs {}; choose some that are online and in "
                             "its cpuset",
                             process_text(process), cpu_list(cpus)),
                 Exit::refused);
  if (error_number == EPERM)
    return Error(process_text(process) + " is another user's; run pipetop as root", Exit::refused);
  return SystemError(fmt::format("CPUs {} for {}", cpu_list(cpus), process_text(process)),
                     error_number);
}

// What the process was known to have: its first thread's.
template <class Value>
const Value& first_of(ProcessId process, const Before<Value>& before) {
  const auto main = before.find(process.pid);
  return main == before.end() ? before.begin()->second : main->second;
}

// False if those ends are gone.
bool put_back_size(PipeId pipe, std::span<const PipeEnd> ends, uint64_t bytes) {
  try {
    resize_by_any(pipe, ends, bytes);
    return true;
  } catch (const Gone&) {
    return false;
  }
}

}  // namespace

uint64_t Interventions::resize(PipeId pipe, std::vector<PipeEnd> ends, uint64_t bytes) {
  const Resized resized = resize_by_any(pipe, ends, bytes);
  const uint64_t before = resized.before;
  if (resized.now == before) return before;
  remember({fmt::format("pipe {}: {} -> {}", pipe.inode, size_text(before), size_text(resized.now)),
            monotonic_ns()},
           [pipe, ends = std::move(ends), before] { return put_back_size(pipe, ends, before); });
  return resized.now;
}

void Interventions::renice(ProcessId process, int nice) {
  if (nice < kLeastNice || nice > kMostNice)
    throw Error(fmt::format("nice {}: give a value from {} to {}", nice, kLeastNice, kMostNice));
  if (!exists(process)) throw_gone(process);
  auto before = change_all(process, kNice, nice,
                           [&](int error) { return why_not_reniced(process, nice, error); });
  const int was = first_of(process, before);
  remember({fmt::format("{}: nice {} -> {}", process_text(process), was, nice), monotonic_ns()},
           [=] {
             if (!exists(process)) return false;
             const int error = restore_threads(process, kNice, before);
             if (error != 0) throw why_not_reniced(process, was, error);
             return true;
           });
}

void Interventions::pin(ProcessId process, std::span<const int> cpus) {
  if (cpus.empty()) throw Error("no CPUs; give at least one");
  if (!exists(process)) throw_gone(process);
  std::vector<int> wanted(cpus.begin(), cpus.end());
  std::ranges::sort(wanted);
  auto before = change_all(process, kCpus, wanted,
                           [&](int error) { return why_not_pinned(process, wanted, error); });
  const std::vector<int> was = first_of(process, before);
  remember(
      {fmt::format("{}: CPUs {} -> {}", process_text(process), cpu_list(was), cpu_list(wanted)),
       monotonic_ns()},
      [=] {
        if (!exists(process)) return false;
        const int error = restore_threads(process, kCpus, before);
        if (error != 0) throw why_not_pinned(process, was, error);
        return true;
      });
}

void Interventions::remember(Done done, Restore restore) {
  done_.push_back(std::move(done));
  restore_.push_back(std::move(restore));
}

void Interventions::forget_last() {
  done_.pop_back();
  restore_.pop_back();
}

std::string Interventions::put_back_last() {
  const bool was_there = restore_.back()();
  std::string words = (was_there ? "undone: " : "has ended since: ") + done_.back().text;
  forget_last();
  return words;
}

std::string Interventions::undo() {
  return done_.empty() ? "nothing to put back" : put_back_last();
}

std::string Interventions::undo_all() {
  if (done_.empty()) return "nothing to put back";
  std::string words, errors;
  while (!done_.empty()) {
    const std::string what = done_.back().text;
    try {
      words += (words.empty() ? "" : ", ") + put_back_last();
    } catch (const Error& error) {
      errors +=
          fmt::format("{}not put back: {}: {}", errors.empty() ? "" : ", ", what, error.what());
      forget_last();
    }
  }
  if (!errors.empty()) throw Error(errors, Exit::refused);
  return words;
}

}  // namespace pipetop

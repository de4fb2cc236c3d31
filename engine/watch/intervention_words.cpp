#include "engine/watch/intervention_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/base/reading.h"
#include "engine/base/system_files.h"
#include "engine/host/pipe_max_size.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

std::string process_text(ProcessId process) { return fmt::format("process {}", process.pid); }

// What a process was known to have is what its first thread had.
const ForeignChange& first_of(std::span<const ForeignChange> changes) {
  const auto leads = [](const ForeignChange& change) { return change.tid == change.process.pid; };
  const auto found = std::ranges::find_if(changes, leads);
  return found == changes.end() ? changes.front() : *found;
}

std::string value_text(const ChangeList& list, ChangeKind kind, int64_t value) {
  switch (kind) {
    case ChangeKind::nice:
      return std::to_string(value);
    case ChangeKind::cpus:
      return cpu_list(cpus_in(list.mask[size_t(value)]));
    case ChangeKind::pipe_size:
      return bytes_text(double(value));
  }
  return {};
}

Error why_not_put_back(const ChangeList& list, const ForeignChange& change) {
  const auto bytes = uint64_t(change.before);
  switch (change.kind) {
    case ChangeKind::nice:
      return why_not_reniced(change.process, int(change.before), change.error);
    case ChangeKind::cpus:
      return why_not_pinned(change.process, list.mask[size_t(change.before)], change.error);
    case ChangeKind::pipe_size:
      break;
  }
  // Only what becomes larger again can be too large.
  const bool is_of_size = change.error == EBUSY || change.error == ETIMEDOUT ||
                          change.error == ETIME || change.before > change.set;
  return is_of_size ? why_not_resized(bytes, change.queued, change.error)
                    : why_not_reached({change.process, change.fd}, change.error);
}

// Whoever became root for this has to again.
bool is_by_sudo() { return ::geteuid() == 0 && user_to_become().uid != 0; }

// By what its threads had. `sudo`: before each command.
std::string thread_commands(const ChangeList& list, std::span<const ForeignChange> changes,
                            const char* sudo) {
  std::map<int64_t, std::vector<pid_t>> threads;
  for (const ForeignChange& change : changes)
    if (change.is_in_place != 0) threads[change.before].push_back(change.tid);
  const ForeignChange& first = first_of(changes);
  const bool nice = first.kind == ChangeKind::nice;
  const pid_t pid = first.process.pid;
  std::vector<std::string> commands;
  for (const auto& [before, tids] : threads) {
    const std::string value = value_text(list, first.kind, before);
    const bool all = threads.size() == 1;
    if (nice && all && changes.size() > 1)
      commands.push_back(fmt::format("{}renice -n {} -p $(ls /proc/{}/task)", sudo, value, pid));
    else if (nice)
      commands.push_back(fmt::format("{}renice -n {} -p {}", sudo, value, fmt::join(tids, " ")));
    else if (all)
      commands.push_back(fmt::format("{}taskset -acp {} {}", sudo, value, pid));
    else
      for (const pid_t tid : tids)
        commands.push_back(fmt::format("{}taskset -cp {} {}", sudo, value, tid));
  }
  return fmt::format("{}", fmt::join(commands, "; "));
}

}  // namespace

Gone why_gone(ProcessId process) {
  return Gone(process_text(process) + " has exited; there is nothing to change", Exit::refused);
}

Error why_not_reached(const PipeEnd& end, int error_number) {
  const std::string name = process_text(end.process);
  switch (error_number) {
    case EPERM:
      return Error(name +
                       ": no permission to change it; run pipetop as root, or with "
                       "kernel.yama.ptrace_scope = 0 on a process of your own",
                   Exit::refused);
    case ENOSYS:
      return Error("this kernel has no pidfd_getfd; use Linux 5.6 or later", Exit::unsupported);
    default:
      return SystemError(fmt::format("descriptor {} of {}", end.fd, name), error_number);
  }
}

Error why_not_resized(uint64_t bytes, uint64_t queued, int error_number) {
  const auto limit = static_cast<uint64_t>(read_number(kPipeMaxSizeFile, 0));
  const std::string size = bytes_text(double(bytes));
  switch (error_number) {
    case EBUSY:
      return Error(fmt::format("{} bytes are in the pipe, and {} would not hold their slots; wait "
                               "until it has drained",
                               queued, size),
                   Exit::refused);
    case ETIMEDOUT:
      return Error(
          "the pipe is locked: somebody sleeps in a splice from or to it; try it again when that "
          "goes on",
          Exit::refused);
    case ETIME:
      return Error("this machine is too busy to ask the pipe; try it again", Exit::refused);
    case EPERM:
      if (bytes > limit)
        return Error(fmt::format("{} is more than the {} of {}; raise that as root", size,
                                 bytes_text(double(limit)), kPipeMaxSizeFile),
                     Exit::refused);
      return Error(
          "all pipes of this user together would be too large; raise "
          "/proc/sys/fs/pipe-user-pages-soft as root",
          Exit::refused);
    case EINVAL:
      return Error(fmt::format("a pipe can't have {} bytes; give a size of up to {}", bytes,
                               bytes_text(double(limit))));
    case ENOMEM:
      return Error(fmt::format("the kernel has no memory for {}; choose less", size),
                   Exit::refused);
    default:
      return SystemError("F_SETPIPE_SZ", error_number);
  }
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

Error why_not_pinned(ProcessId process, const CpuMask& cpus, int error_number) {
  const std::string list = cpu_list(cpus_in(cpus));
  if (error_number == EINVAL)
    return Error(fmt::format("{} may use none of the CPUs {}; choose some that are online and in "
                             "its cpuset",
                             process_text(process), list),
                 Exit::refused);
  if (error_number == EPERM)
    return Error(process_text(process) + " is another user's; run pipetop as root", Exit::refused);
  return SystemError(fmt::format("CPUs {} for {}", list, process_text(process)), error_number);
}

std::string text_of(const ChangeList& list, uint32_t step) {
  const auto changes = list.of(step);
  if (changes.empty()) return {};
  const ForeignChange& first = first_of(changes);
  const std::string before = value_text(list, first.kind, first.before);
  const std::string set = value_text(list, first.kind, first.set);
  if (first.kind == ChangeKind::pipe_size)
    return fmt::format("pipe {}: {} -> {}", first.pipe.inode, before, set);
  return fmt::format("{}: {} {} -> {}", process_text(first.process),
                     first.kind == ChangeKind::nice ? "nice" : "CPUs", before, set);
}

std::string text_of(const PutBack& result) {
  if (result.restored) return "undone: ";
  return result.altered ? "somebody else has changed it since: " : "has ended since: ";
}

bool is_in_place(const ChangeList& list, uint32_t step) {
  return std::ranges::any_of(list.of(step), &ForeignChange::is_in_place);
}

std::string why_in_place(const ChangeList& list, uint32_t step) {
  for (const ForeignChange& change : list.of(step))
    if (change.is_in_place != 0 && change.error != 0)
      return std::string(why_of(why_not_put_back(list, change).what()));
  return "nobody has put it back";
}

std::string put_back_command() {
  return is_by_sudo() ? "sudo pipetop watch --put-back" : "pipetop watch --put-back";
}

std::string remedy_of(const ChangeList& list, uint32_t step, bool is_recorded) {
  const auto changes = list.of(step);
  const auto left = std::ranges::find_if(changes, &ForeignChange::is_in_place);
  if (left == changes.end()) return {};
  const ForeignChange& change = *left;
  const bool is_denied = change.error == EACCES || change.error == EPERM;
  const char* sudo = (is_denied && ::geteuid() != 0) || is_by_sudo() ? "sudo " : "";
  if (change.kind != ChangeKind::pipe_size) return thread_commands(list, changes, sudo);
  if (is_recorded && !is_denied) return put_back_command();
  return fmt::format("{}pipetop watch {}:{}, and {} until it has {}", sudo, change.process.pid,
                     change.fd, change.before < change.set ? '{' : '}',
                     bytes_text(double(change.before)));
}

namespace {

// The newest first: as they have to be put back.
std::vector<uint32_t> steps_of(const ChangeList& list) {
  std::vector<uint32_t> steps;
  for (const ForeignChange& change : list.changes())
    if (change.is_in_place != 0 && (steps.empty() || steps.back() != change.step))
      steps.push_back(change.step);
  std::ranges::reverse(steps);
  return steps;
}

void forget_what_has_ended(ChangeList& list) {
  for (ForeignChange& change : list.changes())
    if (look_for(change.process) == ESRCH) change.is_in_place = 0;
}

void remove(const ChangeRecord& record) { ::unlink(record.path.c_str()); }

std::string damage_text(const ChangeRecord& record) {
  return fmt::format("{} is damaged, or of another version of pipetop: it is ignored; rm {}",
                     record.path, record.path);
}

void put_back(FoundRecord& found, PutBackReport& report) {
  ChangeList& list = *found.list;
  for (const uint32_t step : steps_of(list)) {
    const std::string text = text_of(list, step);
    const PutBack result = put_back_step(list, step);
    if (result.error != 0)
      report.left.push_back(fmt::format("not put back: {}: {}; {}", text, why_in_place(list, step),
                                        remedy_of(list, step, true)));
    else
      report.done.push_back(text_of(result) + text);
  }
  write_record(found.record.file.get(), list);
  if (list.is_empty()) remove(found.record);
}

}  // namespace

Leftovers find_leftovers(const std::string& records) {
  FoundRecords found = find_records(records);
  Leftovers leftovers{.changes = {}, .damaged = {}, .in_use = found.in_use};
  for (const FoundRecord& one : found.left) {
    if (!one.list) {
      leftovers.damaged.push_back(damage_text(one.record));
      continue;
    }
    forget_what_has_ended(*one.list);
    for (const uint32_t step : steps_of(*one.list))
      leftovers.changes.push_back(text_of(*one.list, step));
    if (one.list->is_empty()) remove(one.record);
  }
  return leftovers;
}

std::string leftovers_text(const Leftovers& leftovers) {
  std::string text;
  if (!leftovers.changes.empty())
    text = fmt::format("a pipetop that has ended has left in place: {}; {}",
                       fmt::join(leftovers.changes, ", "), put_back_command());
  for (const std::string& damaged : leftovers.damaged) text += (text.empty() ? "" : ". ") + damaged;
  return text;
}

PutBackReport put_back_leftovers(const std::string& records) {
  FoundRecords found = find_records(records);
  PutBackReport report{.done = {}, .left = {}, .in_use = found.in_use};
  for (FoundRecord& one : found.left) {
    if (one.list)
      put_back(one, report);
    else
      report.left.push_back(damage_text(one.record));
  }
  return report;
}

}  // namespace pipetop

#include "engine/watch/intervention_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/base/reading.h"
#include "engine/base/system_files.h"
#include "engine/host/pipe_max_size.h"
#include "engine/process/privileges.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

std::string process_text(ProcessId process) { return fmt::format("process {}", process.pid); }

Error why_not_put_back(const ForeignChange& change) {
  // Only what becomes larger again can be too large.
  const bool is_of_size = change.error == EBUSY || change.error == ETIMEDOUT ||
                          change.error == ETIME || change.before > change.set;
  return is_of_size ? why_not_resized(change.before, change.queued, change.error)
                    : why_not_reached({change.process, change.fd}, change.error);
}

// Whoever became root for this has to again.
bool is_by_sudo() { return ::geteuid() == 0 && user_to_become().uid != 0; }

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

std::string text_of(const ChangeList& list, uint32_t step) {
  const auto changes = list.of(step);
  if (changes.empty()) return {};
  const ForeignChange& first = changes.front();
  return fmt::format("pipe {}: {} -> {}", first.pipe.inode, bytes_text(double(first.before)),
                     bytes_text(double(first.set)));
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
      return std::string(why_of(why_not_put_back(change).what()));
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

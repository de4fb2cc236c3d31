#include "engine/process/foreign_change.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "engine/process/foreign_end.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

using Changes = std::span<ForeignChange>;

void forget(Changes changes) {
  for (ForeignChange& change : changes) change.is_in_place = 0;
}

// A later change of the same that is still in place; null: there is none.
const ForeignChange* change_above(const ChangeList& list, const ForeignChange& change) {
  for (uint32_t i = list.count; i > 0 && list.change[i - 1].step > change.step; --i) {
    const ForeignChange& later = list.change[i - 1];
    if (later.is_in_place != 0 && is_of_the_same(change, later)) return &later;
  }
  return nullptr;
}

// ---- nice values and CPUs ----

enum class Has { before, set, other };

// What this thread has now. Returns 0 or errno.
int read_value(const ChangeList& list, const ForeignChange& change, pid_t tid, Has& has) {
  const auto compare = [&](const auto& now, const auto& before, const auto& set) {
    has = now == before ? Has::before : now == set ? Has::set : Has::other;
  };
  if (change.kind == ChangeKind::nice) {
    int nice = 0;
    if (const int error = read_nice(tid, nice)) return error;
    compare(int64_t{nice}, change.before, change.set);
    return 0;
  }
  CpuMask cpus;
  if (const int error = read_cpus(tid, cpus)) return error;
  compare(cpus, list.mask[size_t(change.before)], list.mask[size_t(change.set)]);
  return 0;
}

int write_before(const ChangeList& list, const ForeignChange& change, pid_t tid) {
  return change.kind == ChangeKind::nice ? set_nice(tid, static_cast<int>(change.before))
                                         : set_cpus(tid, list.mask[size_t(change.before)]);
}

void put_back_thread(const ChangeList& list, ForeignChange& change, PutBack& result) {
  Has has = Has::other;
  int error = look_for_thread(change.process.pid, change.tid);
  if (error == 0) error = read_value(list, change, change.tid, has);
  if (error == 0 && has == Has::set) error = write_before(list, change, change.tid);
  result.restored |= error == 0 && has != Has::other;
  result.altered |= error == 0 && has == Has::other;
  change.error = error == ESRCH ? 0 : error;
  change.is_in_place = change.error != 0;
  if (change.error != 0) result.error = change.error;
}

// Threads that are new since then have what the one that started them had; they get what the first
// one had before.
struct NewThreads {
  const ChangeList& list;
  Changes known;
  int error = 0;

  static void visit(void* context, pid_t tid) {
    auto& threads = *static_cast<NewThreads*>(context);
    const ForeignChange& first = threads.known.front();
    Has has = Has::other;
    if (read_value(threads.list, first, tid, has) != 0 || has != Has::set) return;
    for (const ForeignChange& change : threads.known)
      if (change.tid == tid) return;
    const int error = write_before(threads.list, first, tid);
    if (error != 0 && error != ESRCH) threads.error = error;
  }
};

PutBack put_back_threads(const ChangeList& list, Changes changes) {
  PutBack result;
  const ProcessId process = changes.front().process;
  int error = look_for(process);
  if (error == ESRCH) {
    forget(changes);
    return result;
  }
  NewThreads others{list, changes};
  if (error == 0) {
    for (ForeignChange& change : changes)
      if (change.is_in_place != 0) put_back_thread(list, change, result);
    error = each_thread(process.pid, NewThreads::visit, &others);
    if (error == 0) error = others.error;
  }
  if (error == 0 || error == ESRCH) return result;
  changes.front().is_in_place = 1;
  changes.front().error = result.error = error;
  return result;
}

// ---- sizes of pipes ----

// Through one of its ends. Returns 0 or errno.
int put_back_size(ForeignChange& change, PutBack& result) {
  UniqueFd copy;
  if (const int error = copy_end(change.pipe, {change.process, change.fd}, copy)) return error;
  const auto before = static_cast<uint64_t>(change.before), set = static_cast<uint64_t>(change.set);
  PipeSizes sizes;
  const int error = resize_pipe(change.pipe, std::move(copy), before, set, sizes);
  if (error != 0) {
    change.queued = sizes.queued;
    return error;
  }
  result.altered = sizes.before != set && sizes.before != before;
  result.restored = !result.altered;
  return 0;
}

// Whoever still holds the pipe, and may be reached, will do.
PutBack put_back_pipe(Changes holders) {
  PutBack result;
  for (ForeignChange& change : holders) {
    if (change.is_in_place == 0) continue;
    const int error = put_back_size(change, result);
    if (error == 0) {
      forget(holders);
      return {.restored = result.restored, .altered = result.altered};
    }
    const bool has_closed_it = error == ESRCH || error == EBADF;
    change.is_in_place = !has_closed_it;
    change.error = has_closed_it ? 0 : error;
    if (!has_closed_it && result.error != EBUSY) result.error = error;
  }
  return result;
}

}  // namespace

PutBack put_back_step(ChangeList& list, uint32_t step) {
  const Changes changes = list.of(step);
  if (std::ranges::none_of(changes, &ForeignChange::is_in_place)) return {};
  if (const ForeignChange* above = change_above(list, changes.front())) {
    for (ForeignChange& change : changes) {
      change.error = above->error != 0 ? above->error : EBUSY;
      change.queued = above->queued;
    }
    return {.error = changes.front().error};
  }
  return changes.front().kind == ChangeKind::pipe_size ? put_back_pipe(changes)
                                                       : put_back_threads(list, changes);
}

bool put_back_all(ChangeList& list) {
  bool again = false;
  for (uint32_t i = list.count; i > 0; --i) {
    const ForeignChange& change = list.change[i - 1];
    const bool is_last = i == list.count || list.change[i].step != change.step;
    if (is_last) again |= may_pass(put_back_step(list, change.step).error);
  }
  return again;
}

bool may_pass(int error_number) {
  switch (error_number) {
    case EBUSY:
    case ETIMEDOUT:
    case ETIME:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EINTR:
      return true;
    default:
      return false;
  }
}

}  // namespace pipetop

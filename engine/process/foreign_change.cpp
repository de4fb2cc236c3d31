#include "engine/process/foreign_change.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "engine/process/foreign_end.h"

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
    if (later.is_in_place != 0 && later.pipe == change.pipe) return &later;
  }
  return nullptr;
}

// Through one of its ends. Returns 0 or errno.
int put_back_size(ForeignChange& change, PutBack& result) {
  UniqueFd copy;
  if (const int error = copy_end(change.pipe, {change.process, change.fd}, copy)) return error;
  PipeSizes sizes;
  const int error = resize_pipe(change.pipe, std::move(copy), change.before, change.set, sizes);
  if (error != 0) {
    change.queued = sizes.queued;
    return error;
  }
  result.altered = sizes.before != change.set && sizes.before != change.before;
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
  return put_back_pipe(changes);
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

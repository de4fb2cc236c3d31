#include "engine/watch/interventions.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/process/foreign_end.h"
#include "engine/process/pipe_owner.h"
#include "engine/watch/intervention_words.h"

namespace pipetop {
namespace {

// Whoever holds a pipe beyond these is not needed to reach it.
constexpr size_t kMostHolders = 64;

// Without `bytes` it is only asked. Throws Error.
PipeSizes resize_through(PipeId pipe, const PipeEnd& end, std::optional<uint64_t> bytes) {
  UniqueFd copy;
  const int unreached = copy_end(pipe, end, copy);
  if (unreached == ESRCH) throw why_gone(end.process);
  if (unreached == EBADF)
    throw Gone(fmt::format("process {} has closed descriptor {}; choose another end of the pipe",
                           end.process.pid, end.fd),
               Exit::refused);
  if (unreached != 0) throw why_not_reached(end, unreached);
  PipeSizes sizes;
  const int error = bytes ? resize_pipe(pipe, std::move(copy), *bytes, 0, sizes)
                          : ask_pipe(pipe, std::move(copy), sizes);
  if (error != 0) throw why_not_resized(bytes.value_or(0), sizes.queued, error);
  return sizes;
}

// Whoever still holds the pipe, and may be reached, will do. Without `bytes` it is only asked.
PipeSizes resize_by_any(PipeId pipe, std::span<const PipeEnd> ends, std::optional<uint64_t> bytes) {
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
  throw Gone(fmt::format("pipe {} is no longer open", pipe.inode));
}

// As the kernel rounds it, as far as it takes it.
uint64_t rounded(uint64_t bytes) { return ring_bytes_for(std::min<uint64_t>(bytes, INT_MAX / 2)); }

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

uint64_t Interventions::resize(PipeId pipe, std::vector<PipeEnd> ends, uint64_t bytes) {
  ends.resize(std::min(ends.size(), kMostHolders));
  const uint64_t before = resize_by_any(pipe, ends, {}).now;
  if (rounded(bytes) == before) return before;
  const uint32_t step = ledger_.begin();
  PipeSizes resized;
  try {
    for (const PipeEnd& end : ends)
      ledger_.add({.fd = end.fd,
                   .process = end.process,
                   .pipe = pipe,
                   .before = before,
                   .set = rounded(bytes)});
    ledger_.write();
    resized = resize_by_any(pipe, ends, bytes);
  } catch (const Error&) {
    ledger_.forget(step);
    throw;
  }
  ledger_.correct(step, resized.before, resized.now);
  if (resized.now == resized.before)
    ledger_.forget(step);
  else
    remember(step);
  return resized.now;
}

// A newer change of the same is wanted: those before it need not be put back any more.
void Interventions::remember(uint32_t step) {
  const ChangeList& list = ledger_.list();
  for (Intervention& done : done_)
    if (const auto old = list.of(done.step); !old.empty())
      if (old.front().pipe == list.of(step).front().pipe) done.waits.clear();
  Intervention& done = done_.emplace_back();
  done.text = text_of(list, step);
  done.at_ns = monotonic_ns();
  done.step = step;
}

// False: it stays.
bool Interventions::put_back(size_t at, std::string& said) {
  Intervention& done = done_[at];
  const PutBack result = ledger_.put_back(done.step);
  if (result.error != 0) {
    const std::string why = why_in_place(ledger_.list(), done.step);
    const bool again = may_pass(result.error);
    done.waits = fmt::format(
        "{}; {}", why,
        again ? "it is tried again" : remedy_of(ledger_.list(), done.step, has_record()));
    done.error = result.error;
    said = fmt::format("not put back: {}: {}", done.text, done.waits);
    return false;
  }
  said = text_of(result) + done.text;
  done_.erase(done_.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

// Undoes the last one that was not asked for yet; else the last one that waits.
std::string Interventions::undo() {
  if (done_.empty()) return "nothing to put back";
  size_t last = done_.size() - 1;
  for (size_t i = 0; i < done_.size(); ++i)
    if (done_[i].waits.empty()) last = i;
  std::string said;
  if (!put_back(last, said)) throw Error(said, Exit::refused);
  return said;
}

std::string Interventions::undo_all() {
  if (done_.empty()) return "nothing to put back";
  std::vector<std::string> words, errors;
  for (size_t at = done_.size(); at > 0; --at) {
    std::string said;
    (put_back(at - 1, said) ? words : errors).push_back(std::move(said));
  }
  if (!errors.empty()) throw Error(joined(errors), Exit::refused);
  return joined(words);
}

std::vector<std::string> Interventions::retry(const MayFit& may_fit) {
  std::vector<std::string> news;
  for (size_t at = done_.size(); at > 0; --at) {
    const Intervention& done = done_[at - 1];
    if (done.waits.empty() || !may_pass(done.error)) continue;
    const ForeignChange& change = ledger_.list().of(done.step).front();
    if (!may_fit(change.pipe, change.before)) continue;
    if (std::string said; put_back(at - 1, said)) news.push_back(std::move(said));
  }
  return news;
}

std::vector<std::string> Interventions::finish() {
  const bool goes_on = ledger_.finish();
  std::vector<std::string> left;
  for (auto done = done_.rbegin(); done != done_.rend(); ++done) {
    const ChangeList& list = ledger_.list();
    if (!is_in_place(list, done->step)) continue;
    const std::string remedy = remedy_of(list, done->step, has_record());
    left.push_back(fmt::format("not put back: {}: {}; {}", done->text,
                               why_in_place(list, done->step),
                               goes_on ? fmt::format("it is tried for {} s more, then: {}",
                                                     Guardian::kTries_ns / kSecond, remedy)
                                       : remedy));
  }
  done_.clear();
  return left;
}

void Interventions::keep() {
  ledger_.forget_all();
  done_.clear();
}

}  // namespace pipetop

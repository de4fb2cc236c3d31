#include "engine/process/change_ledger.h"

#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "engine/base/error.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

constexpr size_t kLongestPath = 255;

[[noreturn]] void throw_full(const char* of_what) {
  throw Error(std::string("no more ") + of_what + " can be remembered: put back some changes first",
              Exit::refused);
}

}  // namespace

struct ChangeLedger::Shared {
  std::array<char, kLongestPath + 1> path;  // of the record; "": there is none
  ChangeList list;
};

ChangeLedger::ChangeLedger(std::string directory) : directory_(std::move(directory)) {}

ChangeLedger::Shared& ChangeLedger::shared() const { return *static_cast<Shared*>(memory_.data()); }

const ChangeList& ChangeLedger::list() const { return shared().list; }

// In the guardian: only async-signal-safe calls.
bool ChangeLedger::attempt(void* memory, const int* fds) {
  auto& shared = *static_cast<Shared*>(memory);
  const bool again = put_back_all(shared.list);
  if (fds[0] < 0) return again;
  write_record(fds[0], shared.list);
  if (shared.list.is_empty()) ::unlink(shared.path.data());
  return again;
}

// The guardian puts back what it can without one.
void ChangeLedger::open_record() {
  if (record_.file || directory_.empty() || directory_.size() > kLongestPath / 2) return;
  if (!succeeds([&] { record_ = make_record(directory_); })) return;
  std::ranges::copy(record_.path, shared().path.data());
}

void ChangeLedger::start() {
  if (!memory_) memory_ = map_shared_memory(sizeof(Shared));
  if (!memory_) throw SystemError("mmap", errno);
  open_record();
  guardian_.emplace(GuardianDuty{
      .attempt = attempt,
      .memory = memory_.data(),
      .fds = {record_.file.get(), -1},
      // Nice values and CPUs of others, ends of their pipes, rings that were made smaller.
      .capabilities = capabilities({CAP_SYS_NICE, CAP_SYS_PTRACE, CAP_SYS_RESOURCE})});
}

uint32_t ChangeLedger::begin() {
  try {
    if (!guardian_ || !guardian_->is_there()) start();
  } catch (const SystemError& error) {
    throw Error(
        std::string("refused: no guardian process can be started to put the change back: ") +
            error.what(),
        Exit::refused);
  }
  ChangeList& list = shared().list;
  while (list.count > 0 && list.change[list.count - 1].is_in_place == 0) --list.count;
  if (list.count == 0) list.masks = 0;
  return ++step_;
}

ForeignChange& ChangeLedger::add(ForeignChange change) {
  ChangeList& list = shared().list;
  if (list.count == ChangeList::kMost) throw_full("threads and ends of pipes");
  change.step = step_;
  change.is_in_place = 1;
  ForeignChange& added = list.change[list.count];
  added = change;
  std::atomic_ref(list.count).store(list.count + 1, std::memory_order_release);
  return added;
}

int64_t ChangeLedger::number_of(const CpuMask& mask) {
  ChangeList& list = shared().list;
  const auto end = list.mask.begin() + list.masks;
  const auto found = std::find(list.mask.begin(), end, mask);
  if (found == end) {
    if (end == list.mask.end()) throw_full("sets of CPUs");
    *found = mask;
    ++list.masks;
  }
  return found - list.mask.begin();
}

void ChangeLedger::write() const {
  if (record_.file) write_record(record_.file.get(), list());
}

void ChangeLedger::correct(uint32_t step, int64_t before, int64_t set) {
  for (ForeignChange& change : shared().list.of(step)) {
    change.before = before;
    change.set = set;
  }
  write();
}

PutBack ChangeLedger::put_back(uint32_t step) {
  const PutBack result = put_back_step(shared().list, step);
  write();
  return result;
}

void ChangeLedger::forget(uint32_t step) {
  for (ForeignChange& change : shared().list.of(step)) change.is_in_place = 0;
  write();
}

void ChangeLedger::forget_all() {
  if (!memory_) return;
  for (ForeignChange& change : shared().list.changes()) change.is_in_place = 0;
  write();
}

// The guardian may have descriptors where we have none.
bool ChangeLedger::finish() {
  if (!memory_) return false;
  put_back_all(shared().list);
  write();
  const bool goes_on = guardian_ && guardian_->finish();
  guardian_.reset();
  if (record_.file && list().is_empty()) ::unlink(record_.path.c_str());
  record_.file.reset();
  return goes_on;
}

}  // namespace pipetop

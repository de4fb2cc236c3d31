// Sizes of pipes that are not ours: changed, and put back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/process/change_ledger.h"

namespace pipetop {

class Interventions {
 public:
  // Whether the bytes in a pipe may have room in a ring of this size.
  using MayFit = std::function<bool(PipeId pipe, uint64_t bytes)>;

  // `records`: the folder of the record; "" for none.
  explicit Interventions(std::string records = record_directory()) : ledger_(std::move(records)) {}

  // By pidfd_getfd and F_SETPIPE_SZ, through the first of its ends that can be reached; the copy of
  // the end lives for microseconds, because while we hold it nobody gets end of file or SIGPIPE.
  // Returns the size that the kernel granted, in bytes. Throws Error, "why; remedy": EBUSY, EPERM
  // above the limit, the processes are gone, ...
  uint64_t resize(PipeId pipe, std::vector<PipeEnd> ends, uint64_t bytes);

  // What is in place, oldest first: what was done and how it went, not what it did.
  const std::vector<Intervention>& done() const { return done_; }
  Intervention* newest() { return done_.empty() ? nullptr : &done_.back(); }
  bool has_record() const { return ledger_.has_record(); }

  // Puts back the last one, or all, the last one first; what has ended since is skipped. Returns
  // what to say. Throws Error if something could not be put back: it stays, and waits for retry().
  std::string undo();
  std::string undo_all();
  // Tries again what may succeed now. Returns what to say.
  std::vector<std::string> retry(const MayFit& may_fit);

  // At the end: all that can be is put back, also where we are out of descriptors. Returns what is
  // left, a line each, with the command that would put it back.
  std::vector<std::string> finish();
  void keep();  // all as it is

 private:
  void remember(uint32_t step);
  bool put_back(size_t at, std::string& said);

  ChangeLedger ledger_;
  std::vector<Intervention> done_;
};

}  // namespace pipetop

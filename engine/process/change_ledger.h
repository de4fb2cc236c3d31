// What we changed in processes that aren't ours, written down outside of our memory before it is
// done, so that it is put back however we end: by us, else by a guardian, else by whoever finds the
// record.
#pragma once

#include <optional>
#include <string>

#include "engine/base/handles.h"
#include "engine/process/change_record.h"
#include "engine/process/foreign_change.h"
#include "engine/process/guardian.h"

namespace pipetop {

class ChangeLedger {
 public:
  // `directory`: of the record; "" for none.
  explicit ChangeLedger(std::string directory = record_directory());
  ~ChangeLedger() { finish(); }
  ChangeLedger(const ChangeLedger&) = delete;
  ChangeLedger& operator=(const ChangeLedger&) = delete;

  // A new step; what is added belongs to it. Starts the guardian if there is none. Throws Error if
  // nothing may be changed because nobody could put it back.
  uint32_t begin();
  ForeignChange& add(ForeignChange change);
  int64_t number_of(const CpuMask& mask);
  // To be called before something is changed as it was added, and after.
  void write() const;

  // Once it is known what a step has changed, and to what.
  void correct(uint32_t step, int64_t before, int64_t set);

  PutBack put_back(uint32_t step);
  void forget(uint32_t step);
  void forget_all();

  // Puts back what it can; for the rest the guardian tries on. Returns whether it does.
  bool finish();

  const ChangeList& list() const;  // once there was a step
  bool has_record() const { return !record_.path.empty(); }

 private:
  struct Shared;  // with the guardian
  Shared& shared() const;
  static bool attempt(void* memory, const int* fds);
  void start();
  void open_record();

  std::string directory_;
  Mapping memory_;
  ChangeRecord record_;
  std::optional<Guardian> guardian_;
  uint32_t step_ = 0;
};

}  // namespace pipetop

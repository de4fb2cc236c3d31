// What we changed of pipes that aren't ours, written down outside of our memory before it is
// done, so that it is put back however we end: by us, else by a guardian, else by whoever finds the
// record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/process/foreign_change.h"
#include "engine/process/guardian.h"

namespace pipetop {

// ---- the record: a file, for the case that both pipetop and its guardian are killed ----
//
// One for each pipetop, locked by whoever will put the changes back. It is read as if a stranger
// had written it: only a file of our own that nobody else may touch, of our version, with numbers
// that make sense. Whether its processes are still those, and have what was set, is asked before
// anything is touched.

// /run for root, else $XDG_RUNTIME_DIR or /run/user/UID. "" if there is none that is ours alone.
std::string record_directory();

struct ChangeRecord {
  std::string path;
  UniqueFd file;  // locked
};

// An empty one. Throws SystemError.
ChangeRecord make_record(const std::string& directory);

void write_record(int file, const ChangeList& list);  // async-signal-safe

// What is found of other pipetops.
struct FoundRecord {
  ChangeRecord record;
  std::unique_ptr<ChangeList> list;  // null: it is damaged
};
struct FoundRecords {
  std::vector<FoundRecord> left;  // by those that were killed
  int in_use = 0;                 // of those that live, or whose guardian does
};
FoundRecords find_records(const std::string& directory);

// ---- the ledger ----

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
  // To be called before something is changed as it was added, and after.
  void write() const;

  // Once it is known what a step has changed, and to what.
  void correct(uint32_t step, uint64_t before, uint64_t set);

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

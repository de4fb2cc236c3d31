// A file that says what is changed in processes that aren't ours, for the case that both pipetop
// and its guardian are killed: one for each pipetop, locked by whoever will put the changes back.
//
// It is read as if a stranger had written it: only a file of our own that nobody else may touch, of
// our version, with numbers that make sense. Whether its processes are still those, and have what
// was set, is asked before anything is touched (change_ledger.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/process/foreign_change.h"

namespace pipetop {

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

}  // namespace pipetop

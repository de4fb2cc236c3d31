// The file of --folded: opened before anything starts, written at the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/command_line/output.h"

namespace pipetop::tui {

class FoldedFile {
 public:
  // "" for none: nothing is written. Throws Error.
  explicit FoldedFile(const std::string& path);

  // Throws Error if there will never be a sample to write.
  void check(const Snapshot& snapshot) const;

  // Reports roles without samples. Throws Error if not everything could be written.
  void write(const Segment& segment);

 private:
  void write_role(std::string_view role, const Reading<FunctionTable>& functions);

  std::optional<Output> output_;
};

}  // namespace pipetop::tui

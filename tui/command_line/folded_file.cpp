#include "tui/command_line/folded_file.h"

#include <fmt/format.h>

#include "engine/error.h"
#include "engine/knobs.h"
#include "tui/command_line/words.h"
#include "tui/print/print_folded.h"

namespace pipetop::tui {

FoldedFile::FoldedFile(const std::string& path) {
  if (!path.empty()) output_.emplace(path);
}

void FoldedFile::check(const Snapshot& snapshot) const {
  if (!output_) return;
  for (const WorkerView& worker : snapshot.workers)
    if (worker.functions.status == ReadingStatus::unavailable)
      throw Error("--folded: " + worker.functions.reason, Exit::refused);
}

void FoldedFile::write(Role role, const Reading<FunctionTable>& functions) {
  if (functions.has_value() && functions->tree)
    output_->write(print_folded(to_text(role), *functions->tree));
  else
    say(fmt::format("--folded: the {}: {}", to_text(role), functions.reason));
}

void FoldedFile::write(const Reading<FunctionTable>& writer, const Reading<FunctionTable>& reader) {
  if (!output_) return;
  write(Role::writer, writer);
  write(Role::reader, reader);
  output_->finish();
}

}  // namespace pipetop::tui

#include "tui/command_line/folded_file.h"

#include <fmt/core.h>

#include "engine/base/error.h"
#include "engine/registry/terms.h"
#include "tui/command_line/messages.h"
#include "tui/print/document.h"

namespace pipetop::tui {

FoldedFile::FoldedFile(const std::string& path) {
  if (!path.empty()) output_.emplace(path);
}

void FoldedFile::check(const Snapshot& snapshot) const {
  if (!output_) return;
  for (const Role role : roles_of(snapshot.requested))
    if (const WorkerView& worker = snapshot.worker(role);
        worker.functions.status == ReadingStatus::unavailable)
      throw Error("--folded: " + worker.functions.reason, Exit::refused);
}

void FoldedFile::write_role(std::string_view role, const Reading<FunctionTable>& functions) {
  if (functions.has_value())
    output_->write(folded_text(role, *functions->tree));
  else
    say(fmt::format("--folded: the {}: {}", role, functions.reason));
}

void FoldedFile::write(const Segment& segment) {
  if (!output_) return;
  for (const Role role : roles_of(segment.requested))
    write_role(role_name(segment.requested, role), segment.role(role).functions);
  output_->finish();
}

}  // namespace pipetop::tui

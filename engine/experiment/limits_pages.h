// What it costs to lend pages to a pipe, and to let go of them.
#pragma once

#include <memory>
#include <string>

#include "engine/experiment/limits_step.h"
#include "engine/model/settings.h"

namespace pipetop {

enum class Touched : uint8_t {
  never,  // each call meets pages that nobody has looked at: the kernel maps them in
  again,  // untouched still, but met before: the zero page, behind every address
  yes,    // written to once
};

struct LentPagesKind {
  Pages pages = Pages::k4;
  Touched touched = Touched::yes;
};

// "4k untouched", "thp".
std::string to_text(const LentPagesKind& kind);

// The figures of a slice, in ns a page.
inline constexpr size_t kVmsplice = 0, kRelease = 1;

// vmsplice of a whole ring of them and splice of it to /dev/null, by turns. Throws
// Error when there are no such pages or no such ring.
std::unique_ptr<LimitsStep> lent_pages_step(const LentPagesKind& kind, uint64_t ring_bytes);

}  // namespace pipetop

// What the reader finds of stamped pages, as a part of a panel's title.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/widgets/panel.h"

namespace pipetop::tui {

// Damage a second, if there is any; else what there was; else how many pages
// were good. Why nobody can know; empty while none are stamped.
TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload);

}  // namespace pipetop::tui

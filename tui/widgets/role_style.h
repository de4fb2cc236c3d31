// The colour of a role wherever it appears.
#pragma once

#include "engine/model/settings.h"
#include "tui/draw/style.h"

namespace pipetop::tui {

constexpr Style style_of(Role role) { return role == Role::writer ? Style::writer : Style::reader; }

}  // namespace pipetop::tui

// What a pipe's steps cost and the roof that follows, as tables or as JSON.
#pragma once

#include <string>

#include "engine/experiment/limits.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

std::string print_limits_human(const HostInfo& host, const Limits& limits);
std::string print_limits_json(const HostInfo& host, const Limits& limits);

}  // namespace pipetop::tui

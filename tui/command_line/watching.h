// What the modes of `pipetop watch` share: the screen, the results for scripts, and a command that
// is started.
#pragma once

#include <cstdint>

#include "engine/base/clock.h"
#include "engine/config/config.h"
#include "engine/watch/watcher.h"
#include "tui/flags/command_line.h"
#include "tui/print/watch.h"

namespace pipetop::tui {

// Without a screen the open pipeline is looked at this often, and all pipes.
inline constexpr uint64_t kSample_ns = 50 * kMs, kTableSample_ns = kSecond;
// Of one pipeline, long enough to tell what holds it up.
inline constexpr uint64_t kPipelineResult_ns = 3 * kSecond;

// JSON lines come again and again, the other formats once.
inline bool is_stream(const CommandLine& line) { return line.format == &find_format("jsonl"); }

// Says what is new in it, unless nobody wants to hear it.
void say_notices_of(const WatchSnapshot& now, const WatchRequest& request);

// Of pipetops that were killed, for the watcher's notices.
void tell_leftovers(Watcher& watcher);

// Runs the command, watches what it starts, and ends as it does. Throws Error if it could not be
// started.
int watch_started(const CommandLine& line, const Config& config);

}  // namespace pipetop::tui

// The pipeline that a scene of a talk shows, from when it is entered until it is left.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/process/watched_command.h"
#include "engine/watch/watcher.h"

namespace pipetop {

class ScenePipeline {
 public:
  // Starts the command, if it is not "", and watches what it does; else what `target` names. Throws
  // Error.
  ScenePipeline(const std::string& command, const std::string& target, const WatchOptions& options);

  Watcher& watcher() { return watcher_; }
  // Why there is no pipeline to look at any more; "" if there is. A command is over when all that
  // it started has ended.
  std::string why_over();

 private:
  Watcher watcher_;
  std::optional<SceneCommand> command_;  // ends before nobody watches it
};

}  // namespace pipetop

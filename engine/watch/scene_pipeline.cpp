#include "engine/watch/scene_pipeline.h"

#include <fmt/core.h>

namespace pipetop {

ScenePipeline::ScenePipeline(const std::string& command, const std::string& target,
                             const WatchOptions& options)
    : watcher_(options) {
  if (command.empty()) {
    watcher_.open(parse_target(target));
    return;
  }
  watcher_.prepare();
  command_.emplace(command);
  watcher_.open_tree(command_->keeper(), command_->keeper());
}

std::string ScenePipeline::why_over() {
  const std::optional<int> code = command_ ? command_->exit_code() : std::nullopt;
  return code ? fmt::format("the command has ended with status {}", *code) : "";
}

}  // namespace pipetop

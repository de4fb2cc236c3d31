#include "tui/watch/chain.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr int kDeepestItem = 8;

using Kind = ChainItem::Kind;

class ChainMaker {
 public:
  explicit ChainMaker(const Pipeline& pipeline) : pipeline_(pipeline) {
    inputs_.resize(pipeline.stages.size());
    outputs_.resize(pipeline.stages.size());
    drawn_stages_.resize(pipeline.stages.size());
    drawn_pipes_.resize(pipeline.pipes.size());
    for (size_t pipe = 0; pipe < pipeline.pipes.size(); ++pipe) {
      writers_.push_back(active_stages(pipeline.pipes[pipe].writers));
      readers_.push_back(active_stages(pipeline.pipes[pipe].readers));
      for (const size_t stage : writers_[pipe]) outputs_[stage].push_back(pipe);
      // What a stage sends to itself follows it, and doesn't lead to it.
      for (const size_t stage : readers_[pipe])
        if (std::ranges::find(writers_[pipe], stage) == writers_[pipe].end())
          inputs_[stage].push_back(pipe);
    }
  }

  Chain make() {
    size_t stage = 0;
    for (; stage < stages() && has_left(stage); ++stage) visit_stage(stage, 0);
    for (size_t pipe = 0; pipe < writers_.size(); ++pipe)
      if (writers_[pipe].empty() && !readers_[pipe].empty()) visit_pipe(pipe, 0);
    for (stage = 0; stage < stages(); ++stage)
      if (!drawn_stages_[stage] && inputs_[stage].empty() && is_part(stage)) visit_stage(stage, 0);
    // What is left hangs together in circles.
    for (stage = 0; stage < stages(); ++stage)
      if (!drawn_stages_[stage] && is_part(stage)) circle_ = true, visit_stage(stage, 0);
    add_holders();
    chain_.straight = !circle_ && is_straight();
    return std::move(chain_);
  }

 private:
  size_t stages() const { return inputs_.size(); }
  bool moves(size_t stage) const { return !inputs_[stage].empty() || !outputs_[stage].empty(); }
  // With its ends closed, nothing but its number tells its place.
  bool has_left(size_t stage) const { return pipeline_.stages[stage].gone && !holds(stage); }
  // A process that never had a pipe is a pipeline of one.
  bool is_part(size_t stage) const { return moves(stage) || !holds(stage); }

  bool holds(size_t stage) const {
    return std::ranges::any_of(pipeline_.pipes, [&](const Pipe& pipe) {
      const auto same = [&](const StageEnd& end) { return end.stage == stage; };
      return std::ranges::any_of(pipe.writers, same) || std::ranges::any_of(pipe.readers, same);
    });
  }

  // At most one ring before and behind each, and nothing else beside them.
  bool is_straight() const {
    const auto one = [](const std::vector<size_t>& list) { return list.size() <= 1; };
    const auto all = [&](const auto& lists) { return std::ranges::all_of(lists, one); };
    if (!all(writers_) || !all(readers_) || !all(inputs_) || !all(outputs_)) return false;
    // Several chains side by side: a ring has its writer before it, unless nobody is known.
    for (size_t i = 1; i < chain_.items.size(); ++i) {
      const ChainItem& before = chain_.items[i - 1];
      const ChainItem& item = chain_.items[i];
      if (item.kind == Kind::holder) break;
      const bool both_stages = item.kind == Kind::stage && before.kind == Kind::stage;
      const bool follows = both_stages ? has_left(before.index) || has_left(item.index)
                           : item.kind == Kind::ring
                               ? before.kind == Kind::stage &&
                                     (!writers_[item.index].empty() || has_left(before.index))
                               : true;
      if (!follows) return false;
    }
    return true;
  }

  void visit_stage(size_t stage, int depth) {
    drawn_stages_[stage] = true;
    chain_.items.push_back({Kind::stage, stage, depth});
    const bool forks = outputs_[stage].size() > 1;
    const int below = std::min(depth + (forks ? 1 : 0), kDeepestItem);
    for (const size_t pipe : outputs_[stage]) {
      const auto is_drawn = [&](size_t writer) { return bool(drawn_stages_[writer]); };
      const bool all_there = std::ranges::all_of(writers_[pipe], is_drawn);
      if (all_there && !drawn_pipes_[pipe]) visit_pipe(pipe, below);
    }
  }

  void visit_pipe(size_t pipe, int depth) {
    drawn_pipes_[pipe] = true;
    chain_.items.push_back({Kind::ring, pipe, depth});
    const bool forks = readers_[pipe].size() > 1;
    for (const size_t reader : readers_[pipe]) {
      if (drawn_stages_[reader] || !all_inputs_drawn(reader)) continue;
      visit_stage(reader, std::min(depth + (forks ? 1 : 0), kDeepestItem));
    }
  }

  // What joins comes behind all that leads to it.
  bool all_inputs_drawn(size_t stage) const {
    return circle_ || std::ranges::all_of(inputs_[stage],
                                          [&](size_t pipe) { return bool(drawn_pipes_[pipe]); });
  }

  void add_holders() {
    for (size_t pipe = 0; pipe < pipeline_.pipes.size(); ++pipe) {
      std::vector<size_t> said;
      for (const auto* ends : {&pipeline_.pipes[pipe].writers, &pipeline_.pipes[pipe].readers}) {
        for (const StageEnd& end : *ends) {
          if (end.active || std::ranges::find(said, end.stage) != said.end()) continue;
          said.push_back(end.stage);
          chain_.items.push_back({Kind::holder, end.stage, 0, pipe});
        }
      }
    }
  }

  const Pipeline& pipeline_;
  std::vector<std::vector<size_t>> inputs_, outputs_;   // pipes, by stage
  std::vector<std::vector<size_t>> writers_, readers_;  // stages, by pipe
  std::vector<bool> drawn_stages_, drawn_pipes_;
  bool circle_ = false;
  Chain chain_;
};

}  // namespace

size_t Chain::nodes() const {
  return static_cast<size_t>(std::ranges::find(items, Kind::holder, &ChainItem::kind) -
                             items.begin());
}

Chain make_chain(const Pipeline& pipeline) { return ChainMaker(pipeline).make(); }

Node node_of(const Pipeline& pipeline, const ChainItem& item) {
  if (item.kind == Kind::ring) return pipeline.pipes[item.index].id;
  return pipeline.stages[item.index].id;
}

}  // namespace pipetop::tui

#include "tui/watch/chain.h"

#include <algorithm>
#include <array>

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
    holds_.resize(pipeline.stages.size());
    // A script's pipelines that have ended would fill the screen of the one that runs.
    const bool some_open = !std::ranges::all_of(pipeline.pipes, &Pipe::closed);
    for (size_t pipe = 0; pipe < pipeline.pipes.size(); ++pipe) {
      if (some_open && pipeline.pipes[pipe].closed) {
        leave_out(pipe);
        continue;
      }
      writers_.push_back(active_stages(pipeline.pipes[pipe].writers));
      readers_.push_back(active_stages(pipeline.pipes[pipe].readers));
      for (const auto* ends : {&pipeline.pipes[pipe].writers, &pipeline.pipes[pipe].readers})
        for (const StageEnd& end : *ends) holds_[end.stage] = true;
      for (const size_t stage : writers_[pipe]) outputs_[stage].push_back(pipe);
      // What a stage sends to itself follows it, and doesn't lead to it.
      for (const size_t stage : readers_[pipe])
        if (std::ranges::find(writers_[pipe], stage) == writers_[pipe].end())
          inputs_[stage].push_back(pipe);
    }
  }

  Chain make() {
    size_t stage = 0;
    for (; stage < stages() && has_left(stage); ++stage) visit({Kind::stage, stage});
    for (size_t pipe = 0; pipe < writers_.size(); ++pipe)
      if (writers_[pipe].empty() && !readers_[pipe].empty()) visit({Kind::ring, pipe});
    for (stage = 0; stage < stages(); ++stage)
      if (!drawn_stages_[stage] && inputs_[stage].empty() && is_part(stage))
        visit({Kind::stage, stage});
    // What is left hangs together in circles.
    for (stage = 0; stage < stages(); ++stage)
      if (!drawn_stages_[stage] && is_part(stage)) circle_ = true, visit({Kind::stage, stage});
    add_ended();
    add_holders();
    chain_.straight = !circle_ && is_straight();
    return std::move(chain_);
  }

 private:
  size_t stages() const { return inputs_.size(); }
  bool moves(size_t stage) const { return !inputs_[stage].empty() || !outputs_[stage].empty(); }
  // With its ends closed, nothing but its number tells its place.
  bool has_left(size_t stage) const { return pipeline_.stages[stage].gone && !holds_[stage]; }
  // A process that never had a pipe is a pipeline of one.
  bool is_part(size_t stage) const { return moves(stage) || !holds_[stage]; }

  void leave_out(size_t pipe) {
    drawn_pipes_[pipe] = true;
    writers_.emplace_back();
    readers_.emplace_back();
    for (const auto* ends : {&pipeline_.pipes[pipe].writers, &pipeline_.pipes[pipe].readers})
      for (const StageEnd& end : *ends) holds_[end.stage] = true;
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
      if (item.kind == Kind::holder || item.kind == Kind::ended) break;
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

  // It, and what follows it. Not recursive: strangers choose how long a pipeline is.
  void visit(const ChainItem& first) {
    draw(first);
    while (!next_.empty()) {
      const ChainItem item = next_.back();
      next_.pop_back();
      if (is_next(item)) draw(item);
    }
  }

  void draw(const ChainItem& item) {
    const bool stage = item.kind == Kind::stage;
    (stage ? drawn_stages_ : drawn_pipes_)[item.index] = true;
    chain_.items.push_back(item);
    const std::vector<size_t>& behind = stage ? outputs_[item.index] : readers_[item.index];
    const int depth = std::min(item.depth + (behind.size() > 1 ? 1 : 0), kDeepestItem);
    for (auto at = behind.rbegin(); at != behind.rend(); ++at)
      next_.push_back({stage ? Kind::ring : Kind::stage, *at, depth});
  }

  bool is_next(const ChainItem& item) const {
    if (item.kind == Kind::stage) return !drawn_stages_[item.index] && all_inputs_drawn(item.index);
    return !drawn_pipes_[item.index] &&
           std::ranges::all_of(writers_[item.index],
                               [&](size_t stage) { return bool(drawn_stages_[stage]); });
  }

  // What joins comes behind all that leads to it.
  bool all_inputs_drawn(size_t stage) const {
    return circle_ || std::ranges::all_of(inputs_[stage],
                                          [&](size_t pipe) { return bool(drawn_pipes_[pipe]); });
  }

  void add_ended() {
    size_t ended = 0;
    for (size_t stage = 0; stage < stages(); ++stage)
      ended += pipeline_.stages[stage].gone && !drawn_stages_[stage];
    if (ended > 0) chain_.items.push_back({Kind::ended, ended});
  }

  void add_holders() {
    for (size_t pipe = 0; pipe < pipeline_.pipes.size(); ++pipe) {
      if (writers_[pipe].empty() && readers_[pipe].empty() && drawn_pipes_[pipe]) continue;
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
  std::vector<bool> holds_;                             // an end, by stage
  std::vector<bool> drawn_stages_, drawn_pipes_;
  std::vector<ChainItem> next_;  // the last one first
  bool circle_ = false;
  Chain chain_;
};

using Form = ChainLayout::Form;

constexpr int kLeastBox = 18, kMostBox = 34;  // columns
constexpr int kLeastBetween = 13, kMostBetween = 42;
constexpr int kLeastAcross = 8, kMostAcross = 13;  // rows
constexpr int kIndent = 2;
constexpr int kMostHolders = 3;

struct Density {
  int stage_rows, ring_rows;
};
// From roomy to tight.
constexpr std::array<Density, 6> kDensities = {{{6, 4}, {5, 3}, {4, 2}, {3, 2}, {3, 1}, {1, 1}}};

struct Counts {
  int stages = 0, rings = 0, holders = 0;
};

Counts count(const Chain& chain) {
  Counts counts;
  for (const ChainItem& item : chain.items)
    ++(item.kind == Kind::stage  ? counts.stages
       : item.kind == Kind::ring ? counts.rings
                                 : counts.holders);
  return counts;
}

// The last one says how many more there are.
int holder_rows(const Counts& counts) { return std::min(counts.holders, kMostHolders); }

int rows_of(const Counts& counts, const Density& density) {
  return counts.stages * density.stage_rows + counts.rings * density.ring_rows +
         holder_rows(counts);
}

bool fits_across(const Chain& chain, const Counts& counts, int rows, int cols) {
  return chain.straight && counts.stages > 0 && rows >= kLeastAcross + holder_rows(counts) &&
         counts.stages * kLeastBox + counts.rings * kLeastBetween <= cols;
}

void place_holders(ChainLayout& layout, const Chain& chain, int row, int rows, int cols) {
  int left = std::min(kMostHolders, rows - row);
  size_t i = chain.nodes();
  for (; i < chain.items.size() && left-- > 0; ++i)
    layout.items.push_back({i, {row++, 0, 1, cols}});
  if (i > chain.nodes() && i < chain.items.size()) layout.holders_left = chain.items.size() - i + 1;
  layout.rows = row;
}

// Boxes get what names need, rings the rest.
ChainLayout across(const Chain& chain, const Counts& counts, int rows, int cols) {
  ChainLayout layout;
  layout.form = Form::across;
  const int height = std::min(rows - holder_rows(counts), kMostAcross);
  const int shared = cols / std::max(1, counts.stages * 3 + counts.rings * 2);
  const int most_box = (cols - counts.rings * kLeastBetween) / counts.stages;
  const int box = std::clamp(std::clamp(shared * 3, kLeastBox, kMostBox), kLeastBox, most_box);
  const int between =
      counts.rings == 0 ? 0 : std::min((cols - counts.stages * box) / counts.rings, kMostBetween);
  int col = 0;
  for (size_t i = 0; i < chain.nodes(); ++i) {
    const bool stage = chain.items[i].kind == Kind::stage;
    const int width = stage ? box : between;
    // One column of air between a box and a ring.
    layout.items.push_back({i, {0, stage ? col : col + 1, height, stage ? width : width - 2}});
    col += width;
  }
  place_holders(layout, chain, height, rows, cols);
  return layout;
}

int height_of(const ChainItem& item, const Density& density) {
  return item.kind == Kind::stage ? density.stage_rows : density.ring_rows;
}

// The last items that can be seen together, if all of `first` to `last` cannot.
size_t first_to_see(const Chain& chain, const Density& density, int rows, size_t last) {
  size_t first = last + 1;
  for (int used = 0; first > 0; --first) {
    used += height_of(chain.items[first - 1], density);
    if (used > rows) break;
  }
  return std::min(first, last);
}

ChainLayout below_each_other(const Chain& chain, const Density& density, int rows, int cols,
                             size_t selected, size_t scroll) {
  ChainLayout layout;
  layout.form = density.stage_rows == 1 ? Form::lines : Form::boxes;
  const size_t nodes = chain.nodes();
  if (nodes > 0) {
    selected = std::min(selected, nodes - 1);
    scroll = std::min({scroll, selected, first_to_see(chain, density, rows, nodes - 1)});
    scroll = std::max(scroll, first_to_see(chain, density, rows, selected));
  }
  layout.scroll = layout.above = std::min(scroll, nodes);
  int row = 0;
  size_t i = layout.scroll;
  for (; i < nodes; ++i) {
    const int height = height_of(chain.items[i], density);
    if (row + height > rows) break;
    const int indent = std::min(chain.items[i].depth * kIndent, cols / 3);
    layout.items.push_back({i, {row, indent, height, cols - indent}});
    row += height;
  }
  layout.below = nodes - i;
  layout.rows = row;
  if (layout.below == 0) place_holders(layout, chain, row, rows, cols);
  return layout;
}

}  // namespace

size_t Chain::nodes() const {
  const auto last = std::ranges::find_if(items, [](const ChainItem& item) {
    return item.kind == Kind::holder || item.kind == Kind::ended;
  });
  return static_cast<size_t>(last - items.begin());
}

Chain make_chain(const Pipeline& pipeline) { return ChainMaker(pipeline).make(); }

Node node_of(const Pipeline& pipeline, const ChainItem& item) {
  if (item.kind == Kind::ring) return pipeline.pipes[item.index].id;
  return pipeline.stages[item.index].id;
}

ChainLayout chain_layout(const Chain& chain, int rows, int cols, size_t selected, size_t scroll) {
  const Counts counts = count(chain);
  if (fits_across(chain, counts, rows, cols)) return across(chain, counts, rows, cols);
  const auto fits = [&](const Density& d) { return rows_of(counts, d) <= rows; };
  const auto density = std::ranges::find_if(kDensities, fits);
  return below_each_other(chain, density == kDensities.end() ? kDensities.back() : *density, rows,
                          cols, selected, scroll);
}

int least_chain_rows(const Chain& chain, int cols) {
  const Counts counts = count(chain);
  if (fits_across(chain, counts, 1 << 20, cols)) return 11 + holder_rows(counts);
  return rows_of(counts, {3, 1});
}

}  // namespace pipetop::tui

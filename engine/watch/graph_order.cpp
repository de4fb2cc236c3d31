#include "engine/watch/graph_order.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

namespace pipetop {
namespace {

using Arrows = std::span<const std::vector<size_t>>;
constexpr size_t kNoCircle = SIZE_MAX;

// Calls `visit` for each node that is reached from `first` and was not before, when all that it
// leads to have been visited. Without recursion: chains can be long.
template <class Visit>
void visit_after(Arrows arrows, size_t first, std::vector<bool>& reached, Visit visit) {
  if (reached[first]) return;
  reached[first] = true;
  std::vector<std::pair<size_t, size_t>> path = {{first, 0}};  // a node, and its next arrow
  while (!path.empty()) {
    const auto [node, next] = path.back();
    if (next == arrows[node].size()) {
      visit(node);
      path.pop_back();
      continue;
    }
    ++path.back().second;
    const size_t to = arrows[node][next];
    if (reached[to]) continue;
    reached[to] = true;
    path.emplace_back(to, 0);
  }
}

std::vector<std::vector<size_t>> reversed(Arrows arrows) {
  std::vector<std::vector<size_t>> back(arrows.size());
  for (size_t node = 0; node < arrows.size(); ++node)
    for (const size_t to : arrows[node]) back[to].push_back(node);
  return back;
}

// A circle, or a node that is in none.
struct Part {
  std::vector<size_t> stages;  // by number
  std::vector<size_t> next;    // parts that its arrows lead to
  size_t arriving = 0;         // arrows from parts that are not placed yet
  size_t rank = 0;             // its first stage; links come at once
};

std::vector<Part> parts_of(Arrows arrows, size_t stages) {
  const std::vector<size_t> circle = circles(arrows);
  std::vector<Part> parts(arrows.size());
  for (size_t node = 0; node < arrows.size(); ++node) {
    Part& part = parts[circle[node]];
    if (node < stages) {
      if (part.stages.empty()) part.rank = node;
      part.stages.push_back(node);
    }
    for (const size_t to : arrows[node]) {
      if (circle[to] == circle[node]) continue;
      part.next.push_back(circle[to]);
      ++parts[circle[to]].arriving;
    }
  }
  return parts;
}

}  // namespace

std::vector<size_t> circles(Arrows arrows) {
  // Kosaraju's way: in the order in which a search leaves them, last first, nodes that reach a node
  // backwards reach it forwards, too.
  std::vector<size_t> left;
  std::vector<bool> reached(arrows.size());
  for (size_t node = 0; node < arrows.size(); ++node)
    visit_after(arrows, node, reached, [&](size_t done) { left.push_back(done); });
  const std::vector<std::vector<size_t>> back = reversed(arrows);
  std::vector<size_t> circle(arrows.size(), kNoCircle);
  reached.assign(arrows.size(), false);
  for (auto node = left.rbegin(); node != left.rend(); ++node)
    visit_after(back, *node, reached, [&](size_t found) { circle[found] = *node; });
  return circle;
}

std::vector<size_t> graph_order(Arrows arrows, size_t stages) {
  std::vector<Part> parts = parts_of(arrows, stages);
  using Ready = std::pair<size_t, size_t>;  // rank, part
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (size_t part = 0; part < parts.size(); ++part)
    if (parts[part].arriving == 0) ready.emplace(parts[part].rank, part);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const Part& part = parts[ready.top().second];
    ready.pop();
    order.insert(order.end(), part.stages.begin(), part.stages.end());
    for (const size_t next : part.next)
      if (--parts[next].arriving == 0) ready.emplace(parts[next].rank, next);
  }
  return order;
}

namespace {

using Numbers = std::vector<uint32_t>;
using Side = std::span<const uint32_t>;

void sort_unique(Numbers& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

size_t place_in(const Numbers& sorted, uint32_t number) {
  return size_t(std::ranges::lower_bound(sorted, number) - sorted.begin());
}

Numbers stages_of(const ShapeSource& source, std::span<const size_t> pipes) {
  Numbers stages;
  for (const size_t pipe : pipes)
    for (const Side side : {source.movers[pipe].writers, source.movers[pipe].readers})
      stages.insert(stages.end(), side.begin(), side.end());
  if (stages.empty())
    for (const size_t pipe : pipes)
      for (const PipeEnd& end : source.scan.pipes[pipe].ends)
        stages.push_back(uint32_t(std::ranges::lower_bound(source.processes, end.process) -
                                  source.processes.begin()));
  sort_unique(stages);
  return stages;
}

// From writers to readers, through a link for each pipe: shorter than all pairs of them.
std::vector<std::vector<size_t>> arrows_of(const ShapeSource& source, std::span<const size_t> pipes,
                                           const Numbers& stages) {
  std::vector<std::vector<size_t>> arrows(stages.size() + pipes.size());
  for (size_t i = 0; i < pipes.size(); ++i) {
    const size_t link = stages.size() + i;
    for (const uint32_t writer : source.movers[pipes[i]].writers)
      arrows[place_in(stages, writer)].push_back(link);
    for (const uint32_t reader : source.movers[pipes[i]].readers)
      arrows[link].push_back(place_in(stages, reader));
  }
  return arrows;
}

struct PlacedPipe {
  size_t writer, reader, pipe;

  auto operator<=>(const PlacedPipe&) const = default;
};

// A pipe that nobody writes comes before those that its reader writes.
PlacedPipe placed(const Movers& movers, size_t pipe, const Numbers& stages,
                  const std::vector<size_t>& position) {
  const auto first = [&](Side side) {
    size_t found = SIZE_MAX;
    for (const uint32_t process : side)
      found = std::min(found, position[place_in(stages, process)]);
    return found;
  };
  const size_t reader = first(movers.readers);
  if (movers.writers.empty()) return {reader, 0, pipe};
  return {first(movers.writers), reader, pipe};
}

// True for a single pipe that is not part of a circle; most are.
bool in_a_row(const Movers& movers) {
  auto reader = movers.readers.begin();  // both are in order
  return movers.connect() && std::ranges::none_of(movers.writers, [&](uint32_t writer) {
           reader = std::lower_bound(reader, movers.readers.end(), writer);
           return reader != movers.readers.end() && *reader == writer;
         });
}

}  // namespace

PipelineShape shape_of(const ShapeSource& source, std::span<const size_t> pipes) {
  PipelineShape shape;
  if (pipes.size() == 1 && in_a_row(source.movers[pipes[0]])) {
    for (const Side side : {source.movers[pipes[0]].writers, source.movers[pipes[0]].readers})
      for (const uint32_t process : side) shape.stages.push_back(source.processes[process]);
    shape.pipes = {pipes[0]};
    return shape;
  }
  const Numbers stages = stages_of(source, pipes);
  const std::vector<size_t> order = graph_order(arrows_of(source, pipes, stages), stages.size());
  std::vector<size_t> position(stages.size());
  for (size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    shape.stages.push_back(source.processes[stages[order[i]]]);
  }
  std::vector<PlacedPipe> places;
  for (const size_t pipe : pipes)
    places.push_back(placed(source.movers[pipe], pipe, stages, position));
  std::ranges::sort(places);
  for (const PlacedPipe& place : places) shape.pipes.push_back(place.pipe);
  return shape;
}

}  // namespace pipetop

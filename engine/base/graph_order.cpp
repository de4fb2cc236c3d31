#include "engine/base/graph_order.h"

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
  std::vector<size_t> nodes;  // without links, by number
  std::vector<size_t> next;   // parts that its arrows lead to
  size_t arriving = 0;        // arrows from parts that are not placed yet
  size_t rank = 0;            // its first node; links come at once
};

std::vector<Part> parts_of(Arrows arrows, size_t count) {
  const std::vector<size_t> circle = circles(arrows);
  std::vector<Part> parts(arrows.size());
  for (size_t node = 0; node < arrows.size(); ++node) {
    Part& part = parts[circle[node]];
    if (node < count) {
      if (part.nodes.empty()) part.rank = node;
      part.nodes.push_back(node);
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

std::vector<size_t> graph_order(Arrows arrows, size_t count) {
  std::vector<Part> parts = parts_of(arrows, count);
  using Ready = std::pair<size_t, size_t>;  // rank, part
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (size_t part = 0; part < parts.size(); ++part)
    if (parts[part].arriving == 0) ready.emplace(parts[part].rank, part);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const Part& part = parts[ready.top().second];
    ready.pop();
    order.insert(order.end(), part.nodes.begin(), part.nodes.end());
    for (const size_t next : part.next)
      if (--parts[next].arriving == 0) ready.emplace(parts[next].rank, next);
  }
  return order;
}

}  // namespace pipetop

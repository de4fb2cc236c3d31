#include <gtest/gtest.h>

#include "engine/observe/call_trees.h"

namespace pipetop::observe {
namespace {

using Stack = std::vector<Function>;

const Function kOuter("outer"), kMiddle("middle"), kLeaf("leaf");

// "outer;middle;leaf"
std::string chain_of(const CallTree& tree, uint32_t node) {
  const CallNode& n = tree.nodes[node];
  const std::string name(n.function.name());
  return n.parent == CallNode::kNone ? name : chain_of(tree, n.parent) + ";" + name;
}

TEST(CallTrie, EqualStacksHaveOnePlace) {
  CallTrie trie;
  const CallTrie::Place place = trie.place_of(Stack{kLeaf, kMiddle, kOuter});
  EXPECT_EQ(trie.places(), 3u);
  EXPECT_EQ(trie.place_of(Stack{kLeaf, kMiddle, kOuter}), place);
  EXPECT_NE(trie.place_of(Stack{kLeaf, kOuter}), place);
  EXPECT_NE(trie.place_of(Stack{kMiddle, kOuter}), place);
  EXPECT_EQ(trie.places(), 4u);
  trie.clear();
  EXPECT_EQ(trie.places(), 0u);
}

TEST(CallTrie, TheTreeGoesFromCallersToCallees) {
  CallTrie trie;
  std::vector<uint64_t> self(8);
  self[trie.place_of(Stack{kLeaf, kMiddle, kOuter})] = 3;
  self[trie.place_of(Stack{kMiddle, kOuter})] = 5;
  self[trie.place_of({})] = 7;
  const CallTree tree = trie.tree(self);
  EXPECT_EQ(tree.total, 15u);
  ASSERT_EQ(tree.nodes.size(), 4u);
  EXPECT_EQ(chain_of(tree, 0), "outer");
  EXPECT_EQ(tree.nodes[0].self, 0u);
  EXPECT_EQ(tree.nodes[0].total, 8u);
  EXPECT_EQ(chain_of(tree, 1), "outer;middle");
  EXPECT_EQ(tree.nodes[1].self, 5u);
  EXPECT_EQ(tree.nodes[1].total, 8u);
  EXPECT_EQ(chain_of(tree, 2), "outer;middle;leaf");
  EXPECT_EQ(tree.nodes[2].total, 3u);
  EXPECT_EQ(chain_of(tree, 3), "[user]");
  EXPECT_EQ(tree.nodes[3].self, 7u);
}

TEST(CallTrie, WhatWeighsNothingIsNotInTheTree) {
  CallTrie trie;
  trie.place_of(Stack{kLeaf});
  std::vector<uint64_t> self(3);
  self[trie.place_of(Stack{kMiddle, kOuter})] = 1;
  const CallTree tree = trie.tree(self);
  EXPECT_EQ(tree.nodes.size(), 2u);
  EXPECT_EQ(chain_of(tree, 1), "outer;middle");
  EXPECT_TRUE(trie.tree({}).nodes.empty());
}

TEST(CallTrie, ItsSizeIsBoundedAndWhatIsTooMuchIsCounted) {
  CallTrie trie;
  std::vector<uint64_t> self(CallTrie::kMaxPlaces + 2);
  const CallTrie::Place known = trie.place_of(Stack{kLeaf, kOuter});
  uint64_t stacks = 0;
  for (; stacks < 2 * CallTrie::kMaxPlaces; ++stacks) {
    const Function other("other" + std::to_string(stacks));
    ++self[trie.place_of(Stack{other, other, kOuter})];
  }
  EXPECT_LE(trie.places(), CallTrie::kMaxPlaces + 1);
  EXPECT_EQ(trie.place_of(Stack{kLeaf, kOuter}), known);
  self[trie.place_of({})] += 1;
  const CallTree tree = trie.tree(self);
  EXPECT_EQ(tree.total, stacks + 1);
  uint64_t of_others = 0;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i)
    if (chain_of(tree, i) == "[other]") of_others = tree.nodes[i].self;
  EXPECT_GT(of_others, CallTrie::kMaxPlaces);
}

}  // namespace
}  // namespace pipetop::observe

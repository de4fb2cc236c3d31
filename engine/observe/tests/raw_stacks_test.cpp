#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "engine/observe/call_trees.h"

namespace pipetop::observe {
namespace {

using Addresses = std::vector<uint64_t>;

const Symbols kStackSymbols =
    Symbols::parse(std::istringstream("ffffffff81000000 T entry\n"
                                      "ffffffff81000100 T never_returns\n"
                                      "ffffffff81000200 t helper\n"
                                      "ffffffff81000300 T leaf\n"
                                      "ffffffff81000400 t helper\n"));

class RawStacksTest : public testing::Test {
 protected:
  CallCounter::Place place_of(const Addresses& addresses) {
    return counter_.place_of(addresses, kStackSymbols);
  }

  // "entry;leaf 1\n" for every place where a sample ended, sorted.
  std::string folded() {
    const FunctionTable table = counter_.table(Span::segment);
    std::vector<std::string> chains;
    std::set<std::string> lines;
    for (const CallNode& node : table.tree->nodes) {
      const std::string name(node.function.name());
      chains.push_back(node.parent == CallNode::kNone ? name : chains[node.parent] + ";" + name);
      if (node.self > 0) lines.insert(chains.back() + " " + std::to_string(node.self) + "\n");
    }
    return std::accumulate(lines.begin(), lines.end(), std::string());
  }

  CallCounter counter_{0};
};

TEST_F(RawStacksTest, AddressesOfOneFunctionAreOnePlace) {
  const auto place = place_of({0xffffffff81000304, 0xffffffff81000020});
  EXPECT_EQ(place_of({0xffffffff81000304, 0xffffffff81000020}), place);
  EXPECT_EQ(place_of({0xffffffff81000308, 0xffffffff81000040}), place);
  counter_.add(1, place, 1'000'000);
  EXPECT_EQ(folded(), "entry;leaf 1\n");
}

TEST_F(RawStacksTest, AReturnAddressBelongsToItsCall) {
  // A call as a function's last instruction returns, if ever, to the next one.
  counter_.add(1, place_of({0xffffffff81000300, 0xffffffff81000200}), 1'000'000);
  EXPECT_EQ(folded(), "never_returns;leaf 1\n");
}

TEST_F(RawStacksTest, NoAddressesAreUserMode) {
  counter_.add(1, place_of({}), 1'000'000);
  EXPECT_EQ(folded(), "[user] 1\n");
}

TEST_F(RawStacksTest, FunctionsOfOneNameAreOne) {
  EXPECT_EQ(place_of({0xffffffff81000204}), place_of({0xffffffff81000404}));
}

TEST_F(RawStacksTest, ForgettingGivesPlacesAnew) {
  place_of({0xffffffff81000304, 0xffffffff81000020});
  const auto user = place_of({});
  counter_.clear();
  EXPECT_NE(place_of({}), user);
  counter_.add(1, place_of({}), 1'000'000);
  EXPECT_EQ(folded(), "[user] 1\n");
}

// More stacks than are remembered: the newer displaces the older, and all stay right.
TEST_F(RawStacksTest, ManyStacksDisplaceEachOther) {
  std::minstd_rand random(3);
  std::map<std::string, uint64_t> expected;
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t leaf = 0xffffffff81000000 + random() % 0x400;
    counter_.add(1, place_of({leaf, 0xffffffff81000001 + random() % 0x100}), 1'000'000);
    ++expected["entry;" + std::string(kStackSymbols.name_at(leaf))];
  }
  std::string lines;
  for (const auto& [chain, samples] : expected)
    lines += chain + " " + std::to_string(samples) + "\n";
  EXPECT_EQ(folded(), lines);
}

}  // namespace
}  // namespace pipetop::observe

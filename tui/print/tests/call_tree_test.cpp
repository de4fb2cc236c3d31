#include <gtest/gtest.h>

#include "tui/print/document.h"
#include "tui/print/tests/example.h"

namespace pipetop::tui {
namespace {

constexpr uint32_t kRoot = CallNode::kNone;

// do_syscall_64 -> (ksys_read -> vfs_read, vmsplice), and user mode; 10 samples.
CallTree example_tree() {
  CallTree tree;
  tree.nodes = {{Function("do_syscall_64"), kRoot, 1, 8},
                {Function("ksys_read"), 0, 0, 2},
                {Function("[user]"), kRoot, 2, 2},
                {Function("vfs_read"), 1, 2, 2},
                {Function("vmsplice"), 0, 5, 5}};
  tree.total = 10;
  return tree;
}

TEST(PrintFolded, HasALineForEveryStackThatEnds) {
  EXPECT_EQ(folded_text("writer", example_tree()),
            "writer;[user] 2\n"
            "writer;do_syscall_64 1\n"
            "writer;do_syscall_64;ksys_read;vfs_read 2\n"
            "writer;do_syscall_64;vmsplice 5\n");
  EXPECT_EQ(folded_text("reader", {}), "");
}

TEST(CallTreeJson, NestsCalleesHeaviestFirst) {
  const Json json = call_tree_json(example_tree());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1].dump(), R"({"name":"[user]","self_samples":2,"total_samples":2,)"
                            R"("self_share":0.2,"total_share":0.2,"children":[]})");
  const Json& syscall = json[0];
  EXPECT_EQ(syscall["name"], "do_syscall_64");
  EXPECT_EQ(syscall["self_samples"], 1);
  EXPECT_EQ(syscall["total_share"], 0.8);
  ASSERT_EQ(syscall["children"].size(), 2u);
  EXPECT_EQ(syscall["children"][0]["name"], "vmsplice");
  EXPECT_EQ(syscall["children"][1]["name"], "ksys_read");
  EXPECT_EQ(syscall["children"][1]["children"][0]["name"], "vfs_read");
}

// As deep as the kernel's stacks may be, and a node of one sample in a million.
TEST(CallTreeJson, LeavesNothingOut) {
  CallTree tree;
  for (uint32_t i = 0; i < 128; ++i)
    tree.nodes.push_back({Function("recursion"), i == 0 ? kRoot : i - 1,
                          i == 0     ? 999'999u
                          : i == 127 ? 1u
                                     : 0u,
                          i == 0 ? 1'000'000u : 1u});
  tree.total = 1'000'000;
  Json at = call_tree_json(tree)[0];
  for (int depth = 1; depth < 128; ++depth) at = Json(at["children"].at(0));
  EXPECT_EQ(at["self_samples"], 1);
}

TEST(CallTreeJson, EqualWeightsComeByName) {
  CallTree tree;
  tree.nodes = {{Function("b"), kRoot, 1, 1}, {Function("a"), kRoot, 1, 1}};
  tree.total = 2;
  EXPECT_EQ(call_tree_json(tree)[0]["name"], "a");
}

TEST(PrintJson, HasTheTreeOfARole) {
  RunResult result = example_result();
  EXPECT_EQ(run_json(result)["functions"]["writer"]["tree_reason"], "not kept");
  result.segment.roles[0].functions.value->tree = std::make_shared<CallTree>(example_tree());
  EXPECT_EQ(run_json(result)["functions"]["writer"]["tree"], call_tree_json(example_tree()));
}

}  // namespace
}  // namespace pipetop::tui

// Stored results side by side, as a script sees it.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "engine/tests/eventually.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

class CompareProgram : public testing::Test {
 protected:
  // A ladder of one rung whose rounds are this fast; so many of them moved nothing.
  std::string ladder(const std::string& name, double rate, int rounds, int still = 0) {
    std::string runs;
    for (int round = 0; round < rounds; ++round)
      runs += (runs.empty() ? "" : ",") + std::string("{\"gib_per_s\":") +
              std::to_string(round < still ? 0 : rate * (1 + 0.001 * (round % 3))) + "}";
    std::ofstream(scratch_.file(name))
        << R"({"rungs":[{"name":"r","requested":{"write_with":"write"},"runs":[)" << runs
        << "]}]}\n";
    return scratch_.file(name);
  }

  const ScratchDirectory scratch_;
};

TEST_F(CompareProgram, WhatItReadsStays) {
  const std::string old = ladder("old", 1, 8), before = content_of(old);
  const std::string link = scratch_.file("link");
  std::filesystem::create_symlink(old, link);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--output", old},
                                               {"--svg", link},
                                               {"--output", "x", "--svg", "x"}}) {
    std::vector<std::string> words = {"compare", old, old};
    words.insert(words.end(), more.begin(), more.end());
    Program program(words);
    EXPECT_EQ(program.wait(), 1) << more[1];
    EXPECT_EQ(content_of(old), before);
  }
}

TEST_F(CompareProgram, TheExitStatusTellsWhetherItIsSlower) {
  const std::string old = ladder("old", 1, 8), slow = ladder("slow", 0.8, 8),
                    same = ladder("same", 1, 8), few = ladder("few", 1, 1);
  const std::string half = ladder("half", 1, 8, 4), none = ladder("none", 1, 8, 8);
  for (const auto& [file, status] :
       {std::pair{same, 0}, {few, 7}, {slow, 8}, {half, 7}, {none, 8}}) {
    Program program({"compare", old, file, "--fail-if-slower", "5%"});
    EXPECT_EQ(program.wait(), status) << program.out() << program.err();
  }
  Program all({"compare", old, same, slow, "--fail-if-slower", "5%", "--format", "csv"});
  EXPECT_EQ(all.wait(), 8);
  EXPECT_NE(all.err().find("slow: r is slower by more than 5 %"), std::string::npos) << all.err();
  EXPECT_NE(all.out().find(",slower,"), std::string::npos) << all.out();
  std::string doubtful = content_of(same);
  doubtful.insert(1, R"("complete":false,"trustworthy":false,"reasons":["it drifted"],)");
  std::ofstream(scratch_.file("doubtful")) << doubtful;
  Program doubt({"compare", old, scratch_.file("doubtful"), "--fail-if-slower", "5%"});
  EXPECT_EQ(doubt.wait(), 7);
  for (const char* const why : {"it isn't complete", "it is untrustworthy: it drifted"})
    EXPECT_NE(doubt.err().find(why), std::string::npos) << doubt.err();
}

TEST_F(CompareProgram, TwoCommandsTakeTurnsUntilTheyAreToldApart) {
  const std::string a = "cat " + ladder("a", 1, 1), b = "cat " + ladder("b", 1.03, 1);
  Program faster({"compare", "--interleave", a, b});
  EXPECT_EQ(faster.wait(), 0) << faster.err();
  EXPECT_NE(faster.out().find("faster"), std::string::npos) << faster.out();
  Program same({"compare", "--interleave", a, a});
  EXPECT_EQ(same.wait(), 0) << same.err();
  EXPECT_NE(same.out().find("same within 0.0 %"), std::string::npos) << same.out();
  Program failing({"compare", "--interleave", a, "false"});
  EXPECT_EQ(failing.wait(), 2);
  EXPECT_NE(failing.err().find("\"false\" ended with status 1"), std::string::npos)
      << failing.err();
}

TEST_F(CompareProgram, ASignalEndsTheCommandThatRuns) {
  const std::string a = "cat " + ladder("a", 1, 1);
  Program program(
      {"compare", "--interleave", a, "echo $$ > " + scratch_.file("pid") + "; exec sleep 1000"});
  ASSERT_TRUE(eventually([&] { return !content_of(scratch_.file("pid")).empty(); }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM) << program.err();
  EXPECT_NE(program.err().find("ended before the two were told apart"), std::string::npos)
      << program.err();
  EXPECT_NE(kill(std::stoi(content_of(scratch_.file("pid"))), 0), 0);
}

TEST_F(CompareProgram, AFileThatWouldTakeAllMemoryIsRefused) {
  scratch_.put("deep", "{\"syscall_ns\":" + std::string(100'000, '['));
  Program program({"compare", scratch_.file("deep"), ladder("a", 1, 8)});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("deep:1:1015: nested deeper than 1000"), std::string::npos)
      << program.err();
  Program endless({"compare", "--interleave", "yes", "yes"});
  EXPECT_EQ(endless.wait(), 1);
  EXPECT_NE(endless.err().find("yes: larger than 64MiB"), std::string::npos) << endless.err();
}

TEST_F(CompareProgram, OneResultIsNotEnough) {
  Program program({"compare", ladder("a", 1, 1)});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("compare needs two results"), std::string::npos);
  Program missing({"compare", ladder("a", 1, 1), scratch_.file("none")});
  EXPECT_EQ(missing.wait(), 1);
  EXPECT_NE(missing.err().find("none: No such file"), std::string::npos) << missing.err();
}

}  // namespace
}  // namespace pipetop::tui

// pipetop help as a shell sees it.
#include <gtest/gtest.h>

#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

TEST(HelpProgram, PrintsTopicsToStdout) {
  for (const char* topic : {"keys", "ladder", "run", "help", "pipetop"}) {
    Program program({"help", topic});
    EXPECT_EQ(program.wait(), 0) << topic << program.err();
    EXPECT_FALSE(program.out().empty()) << topic;
    EXPECT_EQ(program.out().find('\x1b'), std::string::npos) << topic;
    EXPECT_EQ(program.err(), "") << topic;
  }
  Program list({"help"});
  EXPECT_EQ(list.wait(), 0);
  EXPECT_NE(list.out().find("\n  ladder "), std::string::npos) << list.out();
}

TEST(HelpProgram, AnUnknownTopicIsOneLineOnStderr) {
  Program program({"help", "laddre"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.out(), "");
  EXPECT_EQ(program.err(), "pipetop: help: there is no topic \"laddre\": did you mean ladder?\n");
}

TEST(HelpProgram, OneTopicAtATime) {
  Program program({"help", "keys", "knobs"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.out(), "");
}

TEST(HelpProgram, AFullDiskIsAnError) {
  Program program({"help", "pipetop"}, Stdout::full);
  EXPECT_EQ(program.wait(), 1);
  EXPECT_TRUE(program.err().starts_with("pipetop: stdout: ")) << program.err();
}

}  // namespace
}  // namespace pipetop::tui

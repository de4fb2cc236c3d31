// Configs by name, as the program finds them from where it is.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

TEST(NamedConfig, ABuildTreeHasThoseOfItsSource) {
  Program program({"presets", "-c", "percpu"});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_NE(program.out().find("no_percpu_batched"), std::string::npos);
}

TEST(NamedConfig, AnInstalledTreeMayBeAnywhere) {
  const ScratchDirectory prefix;
  fs::create_directories(prefix.file("bin"));
  fs::create_directories(prefix.file("share/pipetop"));
  fs::copy_file(PIPETOP_PROGRAM, prefix.file("bin/pipetop"));
  std::ofstream(prefix.file("share/pipetop/own.yaml")) << "presets: [{name: mine}]\n";
  PtyProgram program({prefix.file("bin/pipetop"), "presets", "-c", "own"}, {});
  EXPECT_EQ(program.wait_for_end(), 0) << program.output();
  EXPECT_NE(program.output().find("mine"), std::string::npos) << program.output();
}

TEST(NamedConfig, TheErrorNamesWhatThereIs) {
  Program program({"run", "-c", "artcle"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_NE(program.err().find("did you mean article? Available: article, page-cache"),
            std::string::npos)
      << program.err();
}

}  // namespace
}  // namespace pipetop::tui

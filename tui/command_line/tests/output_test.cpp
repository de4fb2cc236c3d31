#include "tui/command_line/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "tui/command_line/tests/scratch_directory.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  std::string content() const { return content_of(path_); }
  size_t files() const {
    return size_t(
        std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()));
  }

  const ScratchDirectory directory_;
  const std::string path_ = directory_.file("out");
};

TEST_F(OutputTest, AppearsWholeOrNotAtAll) {
  {
    Output output(path_);
    output.write("half");
    EXPECT_FALSE(fs::exists(path_));
    // Not even beside it, where that can be: a SIGKILL leaves nothing.
    EXPECT_EQ(files(), directory_.has_unnamed_files() ? 0u : 1u);
  }
  EXPECT_EQ(files(), 0u);
  Output output(path_);
  output.write("all ");
  output.write("of it");
  output.finish();
  EXPECT_EQ(content(), "all of it");
  EXPECT_EQ(files(), 1u);
  EXPECT_NO_THROW(output.finish());  // once more is once
}

TEST_F(OutputTest, KeepsTheOldFileUntilTheEnd) {
  std::ofstream(path_) << "old";
  chmod(path_.c_str(), 0640);
  { Output(path_).write("new"); }
  EXPECT_EQ(content(), "old");
  Output output(path_);
  output.write("new");
  output.finish();
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
}

TEST_F(OutputTest, MayAppearAsItIsWritten) {
  std::ofstream(path_) << "old";
  Output output(path_, Appears::as_written);
  EXPECT_EQ(content(), "");
  output.write("a line\n");
  EXPECT_EQ(content(), "a line\n");
  EXPECT_NO_THROW(output.finish());
  EXPECT_EQ(content(), "a line\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, WritesThroughALink) {
  std::ofstream(path_) << "old";
  const std::string link = directory_.file("link");
  fs::create_symlink(path_, link);
  Output output(link);
  output.write("new");
  output.finish();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(), "new");
}

TEST_F(OutputTest, FullDisksAndWrongPlacesAreErrors) {
  Output full("/dev/full");
  EXPECT_THROW(full.write("x"), Error);
  EXPECT_THROW(Output{directory_.path()}, Error);
  EXPECT_THROW(Output{path_ + "/below"}, Error);
  EXPECT_THROW(Output{path_ + std::string(250, 'x')}, Error);
  Output null("/dev/null");
  null.write("x");
  EXPECT_NO_THROW(null.finish());
}

}  // namespace
}  // namespace pipetop::tui

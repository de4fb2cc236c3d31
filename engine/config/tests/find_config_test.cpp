#include "engine/config/find_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

// A working directory, `here`, and two others, `first` and `second`.
class FindConfigTest : public testing::Test {
 protected:
  FindConfigTest() : before_(fs::current_path()) {
    for (const char* directory : {"here", "first", "second"})
      fs::create_directory(root_ / directory);
    fs::current_path(root_ / "here");
  }
  ~FindConfigTest() override { fs::current_path(before_); }

  void put(const std::string& path, const std::string& text = "") const {
    std::ofstream(root_ / path) << text;
  }
  std::string at(const std::string& path) const { return root_ / path; }
  std::vector<std::string> directories() const { return {at("first"), at("second")}; }
  std::string find(const std::string& name) const { return find_config(name, directories()); }
  std::string error_of(const std::string& name) const {
    try {
      find(name);
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::usage);
      return e.what();
    }
    return "no error";
  }

 private:
  ScratchDirectory scratch_;
  fs::path before_, root_ = scratch_.path();
};

TEST_F(FindConfigTest, APathStaysWhatItIs) {
  put("here/talk.yaml");
  EXPECT_EQ(find("./talk"), "./talk");
  EXPECT_EQ(find("/no/where"), "/no/where");
}

TEST_F(FindConfigTest, TheNearestPlaceWins) {
  put("second/talk.yaml");
  EXPECT_EQ(find("talk"), at("second/talk.yaml"));
  EXPECT_EQ(find("talk.yaml"), at("second/talk.yaml"));
  put("first/talk.yaml");
  EXPECT_EQ(find("talk"), at("first/talk.yaml"));
  put("here/talk.yaml");
  EXPECT_EQ(find("talk"), "talk.yaml");
  put("here/talk");
  EXPECT_EQ(find("talk"), "talk");
  EXPECT_EQ(find("talk.yaml"), "talk.yaml");
}

TEST_F(FindConfigTest, ADirectoryIsNoConfig) {
  put("first/talk.yaml");
  fs::create_directory("talk");
  fs::create_directory("talk.yaml");
  EXPECT_EQ(find("talk"), at("first/talk.yaml"));
}

TEST_F(FindConfigTest, NamesWhereItLookedAndWhatThereIs) {
  const std::string places = "here, in " + at("first") + " or " + at("second");
  EXPECT_EQ(error_of("talk"), "there is no config \"talk\" " + places + ": give a file's path");
  put("first/article.yaml");
  put("second/percpu.yaml");
  put("second/notes.txt");
  EXPECT_EQ(error_of("nonsense"), "there is no config \"nonsense\" " + places +
                                      ": give article or percpu, or a file's path");
  EXPECT_EQ(error_of("artcle"), "there is no config \"artcle\" " + places +
                                    ": did you mean article? Available: article or percpu");
  EXPECT_THROW(find_config("talk", {}), Error);
}

TEST_F(FindConfigTest, ListsEachNameOnceAsItIsFound) {
  put("second/talk.yaml");
  put("second/article.yaml");
  put("first/talk.yaml");
  fs::create_directory(at("first/other.yaml"));
  const auto configs = named_configs(directories());
  const std::map<std::string, std::string> expected = {{"article", at("second/article.yaml")},
                                                       {"talk", at("first/talk.yaml")}};
  EXPECT_EQ(configs, expected);
  for (const auto& [name, path] : configs) EXPECT_EQ(find(name), path);
  EXPECT_TRUE(named_configs(std::vector<std::string>{at("third")}).empty());
}

TEST_F(FindConfigTest, MistakesNameTheFileThatWasFound) {
  put("first/talk.yaml", "gift: maybe\n");
  try {
    load_config(find("talk"));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(at("first/talk.yaml:1:7: "))) << e.what();
  }
}

// Sets a variable, or unsets it for nullptr, until the test ends.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

using Directories = std::vector<std::string>;

// Without the last, which came with the program: this one is in a build tree.
Directories directories_with(const char* home, const char* user, const char* machine) {
  const Variable a("HOME", home), b("XDG_CONFIG_HOME", user), c("XDG_CONFIG_DIRS", machine);
  Directories directories = config_directories();
  EXPECT_TRUE(fs::exists(fs::path(directories.back()) / "article.yaml")) << directories.back();
  directories.pop_back();
  return directories;
}

TEST(ConfigDirectories, AreThePersonsThenTheMachines) {
  EXPECT_EQ(directories_with("/h", "/c", "/a:/b"),
            (Directories{"/c/pipetop", "/a/pipetop", "/b/pipetop"}));
  EXPECT_EQ(directories_with("/h", nullptr, nullptr),
            (Directories{"/h/.config/pipetop", "/etc/xdg/pipetop"}));
  EXPECT_EQ(directories_with("/h", "", ""),
            (Directories{"/h/.config/pipetop", "/etc/xdg/pipetop"}));
  EXPECT_EQ(directories_with(nullptr, "relative", ":relative::/b"), (Directories{"/b/pipetop"}));
}

}  // namespace
}  // namespace pipetop

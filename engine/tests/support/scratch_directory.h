// A directory that goes when the test does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/handles.h"

namespace pipetop {

class ScratchDirectory {
 public:
  explicit ScratchDirectory(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "pipetop-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  // Whoever still uses it, such as a guardian that ends, may remove a file at the same time.
  ~ScratchDirectory() {
    std::error_code error;
    for (int i = 0; i < 100 && std::filesystem::exists(path_, error); ++i)
      std::filesystem::remove_all(path_, error);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

  // With the folders that it takes.
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_.string() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  // Not every file system has them.
  bool has_unnamed_files() const {
    return bool(UniqueFd(open(path_.c_str(), O_WRONLY | O_TMPFILE, 0600)));
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Whole lines only: what has no newline is none.
inline std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(content_of(path));
  for (std::string line; std::getline(text, line) && !text.eof();) lines.push_back(line);
  return lines;
}

}  // namespace pipetop

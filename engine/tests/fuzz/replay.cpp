// replay NAME DIRECTORY...: runs a fuzz target on each file of the directories, without libFuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/tests/fuzz/fuzz.h"

namespace {

namespace fs = std::filesystem;

void run_file(const pipetop::fuzz::Target& target, const fs::path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // a target that fails ends the program
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
  target.run(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto& targets = pipetop::fuzz::targets();
  const auto target = std::ranges::find(targets, name, &pipetop::fuzz::Target::name);
  if (target == targets.end()) return 1;
  std::vector<fs::path> files;
  for (int i = 2; i < argc; ++i)
    for (const auto& entry : fs::directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) run_file(*target, file);
  return files.empty() ? 1 : 0;
}

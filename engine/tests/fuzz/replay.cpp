// Runs a fuzz target on each file of the given directories, without libFuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "engine/tests/fuzz/fuzz.h"

namespace {

namespace fs = std::filesystem;

void run_file(const fs::path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // a target that fails ends the program
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : fs::directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::ranges::for_each(files, run_file);
  return files.empty() ? 1 : 0;
}

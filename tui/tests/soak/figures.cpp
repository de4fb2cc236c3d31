#include "tui/tests/soak/figures.h"

#include <filesystem>
#include <fstream>

#include "tui/tests/processes.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

// The sum of what follows "NAME:" in the lines of a file.
uint64_t sum_of(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  uint64_t sum = 0;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) sum += std::stoull(line.substr(name.size() + 1));
  return sum;
}

fs::path proc(pid_t pid, const char* file) {
  return fs::path("/proc") / std::to_string(pid) / file;
}

// Descriptors come and go while we look.
std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

}  // namespace

ProcessFigures figures_of(pid_t pid) {
  const fs::path memory = proc(pid, "smaps_rollup");
  return {.pid = pid,
          .name = name_of(pid),
          .rss_kib = sum_of(memory, "Rss"),
          .pss_kib = sum_of(memory, "Pss"),
          .descriptors = static_cast<int>(entries_of(proc(pid, "fd")).size()),
          .threads = static_cast<int>(sum_of(proc(pid, "status"), "Threads"))};
}

std::vector<ProcessFigures> figures_of_children(pid_t parent) {
  std::vector<ProcessFigures> all;
  for (const pid_t child : children_of(parent)) all.push_back(figures_of(child));
  return all;
}

uint64_t bpf_bytes_of(pid_t pid) {
  uint64_t bytes = 0;
  for (const fs::path& entry : entries_of(proc(pid, "fdinfo"))) bytes += sum_of(entry, "memlock");
  return bytes;
}

}  // namespace pipetop::tui

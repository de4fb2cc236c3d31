#include "tui/tests/processes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace pipetop::tui {
namespace {

std::string first_line_of(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// What follows the name, which may hold anything: the third field and on.
std::string stat_of(pid_t pid) {
  const std::string stat = first_line_of("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = stat.rfind(") ");
  return name_end == stat.npos ? "" : stat.substr(name_end + 2);
}

}  // namespace

bool has_ended(pid_t child) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == child;
}

char state_of(pid_t pid) {
  const std::string stat = stat_of(pid);
  return stat.empty() ? '\0' : stat.front();
}

uint64_t cpu_ns(pid_t pid) {
  constexpr int kBeforeUserTime = 11;
  std::istringstream stat(stat_of(pid));
  std::string field;
  for (int i = 0; i < kBeforeUserTime; ++i) stat >> field;
  uint64_t user_ticks = 0, system_ticks = 0;
  stat >> user_ticks >> system_ticks;
  return (user_ticks + system_ticks) * (1'000'000'000 / uint64_t(sysconf(_SC_CLK_TCK)));
}

void exec_words(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  _exit(127);
}

std::string name_of(pid_t pid) { return first_line_of("/proc/" + std::to_string(pid) + "/comm"); }

std::vector<pid_t> children_of(pid_t parent) {
  const std::string number = std::to_string(parent);
  std::istringstream children(first_line_of("/proc/" + number + "/task/" + number + "/children"));
  return {std::istream_iterator<pid_t>(children), {}};
}

pid_t child_of(pid_t parent, const std::string& name, pid_t other_than) {
  for (const pid_t child : children_of(parent))
    if (child != other_than && name_of(child) == name) return child;
  return 0;
}

}  // namespace pipetop::tui

#include "tui/command_line/tests/traced_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <map>
#include <sstream>

#include "engine/base/handles.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop::tui {
namespace {

constexpr int kSyscallStop = SIGTRAP | 0x80;

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  execv(words[0], words.data());
  _exit(127);
}

class Tracer {
 public:
  Tracer(pid_t pid, const std::function<bool(const Moment&)>& is_last)
      : pid_(pid), is_last_(is_last) {}

  std::vector<Moment> run() {
    int status = 0;
    waitpid(pid_, &status, 0);
    ptrace(PTRACE_SETOPTIONS, pid_, nullptr,
           PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
    int signal = 0;
    while (!is_over_ && ptrace(PTRACE_SYSCALL, pid_, nullptr, signal) == 0) {
      if (waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) return std::move(moments_);
      signal = attend(status);
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
    return std::move(moments_);
  }

 private:
  // Returns the signal that it is to get.
  int attend(int status) {
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC) {
      files_.clear();
      add(Moment::What::exec, "");
    } else if (event == PTRACE_EVENT_EXIT) {
      add(Moment::What::exit, "");
    } else if (WSTOPSIG(status) == kSyscallStop) {
      follow();
    } else {
      return WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    }
    return 0;
  }

  void follow() {
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      call_ = info.entry.nr;
      if (call_ == SYS_openat) path_ = text_at(info.entry.args[1]);
      if (is_reading()) fd_ = int(info.entry.args[0]);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.rval >= 0) {
      if (call_ == SYS_openat) {
        files_[int(info.exit.rval)] = path_;
        add(Moment::What::opened, path_);
      } else if (is_reading() && info.exit.rval > 0 && files_.contains(fd_)) {
        add(Moment::What::read, files_[fd_]);
        files_.erase(fd_);
      }
    }
  }

  bool is_reading() const { return call_ == SYS_read || call_ == SYS_pread64; }

  std::string text_at(uint64_t address) const {
    const UniqueFd memory(open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY));
    std::array<char, PATH_MAX> text{};
    const ssize_t got = pread(memory.get(), text.data(), text.size() - 1, off_t(address));
    return got > 0 ? text.data() : "";
  }

  void add(Moment::What what, const std::string& path) {
    moments_.push_back({what, path, status_of_process(pid_)});
    is_over_ = is_last_ && is_last_(moments_.back());
  }

  pid_t pid_;
  const std::function<bool(const Moment&)>& is_last_;
  bool is_over_ = false;
  std::vector<Moment> moments_;
  std::map<int, std::string> files_;  // that were not read yet
  uint64_t call_ = 0;
  std::string path_;
  int fd_ = -1;
};

}  // namespace

Privileges status_of_process(pid_t pid) {
  std::map<std::string, std::string> status;
  std::istringstream lines(content_of("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(lines, line);)
    if (const size_t colon = line.find(":\t"); colon != line.npos)
      status[line.substr(0, colon)] = line.substr(colon + 2);
  const auto set = [&](const char* name) { return std::stoull("0" + status[name], nullptr, 16); };
  return {set("CapPrm"), set("CapEff"), set("CapInh"),    set("CapBnd"),
          status["Uid"], status["Gid"], status["Groups"], status["NoNewPrivs"] == "1"};
}

std::vector<Moment> trace(const std::string& program, const std::vector<std::string>& arguments,
                          const std::function<bool(const Moment&)>& is_last) {
  const pid_t pid = fork();
  if (pid == 0) become(program, arguments);
  return Tracer(pid, is_last).run();
}

}  // namespace pipetop::tui

#include "engine/process/watched_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/process/child.h"
#include "engine/process/tests/foreign_process.h"
#include "engine/tests/eventually.h"

namespace pipetop {
namespace {

using Words = std::vector<std::string>;

int exit_code_of(WatchedCommand& command) {
  pollfd end = {command.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, static_cast<int>(kPatience_ns / 1'000'000)), 1);
  const auto code = command.exit_code();
  EXPECT_TRUE(code);
  return code.value_or(-1);
}

Exit exit_of(const Words& words) {
  try {
    WatchedCommand command(words);
  } catch (const Error& error) {
    return error.exit();
  }
  return Exit::ok;
}

// A copy of a descriptor that a command inherits; a shell knows only one digit.
class Inherited {
 public:
  explicit Inherited(const UniqueFd& fd) : copy_(fcntl(fd.get(), F_DUPFD, 3)) {
    EXPECT_LT(copy_.get(), 10);
  }
  std::string number() const { return std::to_string(copy_.get()); }
  void close() { copy_.reset(); }

 private:
  UniqueFd copy_;
};

std::string output_of(const std::string& script) {
  TestPipe pipe;
  Inherited in(pipe.in);
  const Words words = {"/bin/sh", "-c", script + " >&" + in.number()};
  WatchedCommand command(words);
  in.close();
  pipe.in.reset();
  std::string output;
  char c;
  while (read(pipe.out.get(), &c, 1) == 1) output += c;
  exit_code_of(command);
  return output;
}

TEST(WatchedCommand, ItsExitCodeIsKnownWhenItHasExited) {
  const Words words = {"/bin/sh", "-c", "exit 7"};
  WatchedCommand command(words);
  EXPECT_GT(command.pid(), 0);
  EXPECT_EQ(exit_code_of(command), 7);
  EXPECT_EQ(command.signal(), 0);
  EXPECT_EQ(command.exit_code(), 7) << "asked again";
}

TEST(WatchedCommand, OneWordIsForTheShell) {
  const Words words = {"exit 3"};
  WatchedCommand command(words);
  EXPECT_EQ(exit_code_of(command), 3);
}

TEST(WatchedCommand, ASignalIsToldApart) {
  const Words words = {"kill -KILL $$"};
  WatchedCommand command(words);
  EXPECT_EQ(exit_code_of(command), 128 + SIGKILL);
  EXPECT_EQ(command.signal(), SIGKILL);
}

TEST(WatchedCommand, NothingIsKnownWhileItRuns) {
  const TestPipe pipe;
  Inherited out(pipe.out);
  const Words words = {"/bin/sh", "-c", "read -r line <&" + out.number()};
  WatchedCommand command(words);
  out.close();
  EXPECT_FALSE(command.exit_code());
  ASSERT_EQ(write(pipe.in.get(), "x\n", 2), 2);
  EXPECT_EQ(exit_code_of(command), 0);
}

TEST(WatchedCommand, WhatCannotBeStartedIsAnError) {
  EXPECT_EQ(exit_of({"/nonexistent/program", "x"}), Exit::not_found);
  EXPECT_EQ(exit_of({"pipetop-no-such-program", "x"}), Exit::not_found);
  EXPECT_EQ(exit_of({"/dev/null", "x"}), Exit::not_executable);
  EXPECT_EQ(exit_of({"/", "x"}), Exit::not_executable);
  EXPECT_EQ(exit_of({}), Exit::usage);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

// The signals that /proc/PID/status shows under a name, of the shell that reads it.
uint64_t signals(const std::string& name) {
  const std::string set = output_of("while read -r key value; do case $key in " + name +
                                    ":) echo $value;; esac; done </proc/self/status");
  return std::strtoull(set.c_str(), nullptr, 16);
}

bool has_signal(uint64_t set, int number) { return (set >> (number - 1) & 1) != 0; }

TEST(WatchedCommand, HasSignalsAsIfWeHadNotTouchedThem) {
  const auto block = [](std::initializer_list<int> numbers) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
  };
  sigset_t before;
  sigprocmask(SIG_BLOCK, nullptr, &before);
  block({SIGUSR1});  // as who starts us has it
  const auto old_child = std::signal(SIGCHLD, SIG_IGN);
  set_own_signals();  // as main() does
  block({SIGINT, SIGTERM, SIGHUP});
  const auto old_hup = std::signal(SIGHUP, SIG_IGN);  // as nohup does
  EXPECT_EQ(signals("SigBlk"), uint64_t{1} << (SIGUSR1 - 1));
  const uint64_t ignored = signals("SigIgn");
  restore_inherited_signals();
  std::signal(SIGCHLD, old_child);
  std::signal(SIGHUP, old_hup);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(has_signal(ignored, SIGPIPE));
  EXPECT_TRUE(has_signal(ignored, SIGHUP));
}

TEST(WatchedCommand, ItsEndIsSeenAlsoIfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  set_own_signals();
  const Words words = {"exit 3"};
  WatchedCommand command(words);
  EXPECT_EQ(exit_code_of(command), 3);
  restore_inherited_signals();
  std::signal(SIGCHLD, before);
}

TEST(WatchedCommand, StaysInOurProcessGroup) {
  const std::string stat = output_of("read -r stat </proc/self/stat; echo $stat");
  const size_t close = stat.rfind(')');
  ASSERT_NE(close, stat.npos);
  int parent = 0, group = 0;
  ASSERT_EQ(sscanf(&stat[close], ") %*c %d %d", &parent, &group), 2);
  EXPECT_EQ(parent, getpid());
  EXPECT_EQ(group, getpgrp());
}

// sh exits at once; what it leaves behind becomes our child, and is waited for.
TEST(WatchedCommand, DescendantsAreReaped) {
  TestPipe go, pids;
  Inherited out(go.out), in(pids.in);
  const Words words = {"/bin/sh", "-c",
                       "(read -r line <&" + out.number() + ") & echo $! >&" + in.number()};
  WatchedCommand command(words);
  out.close();
  in.close();
  pids.in.reset();
  char text[32] = {};
  ASSERT_GT(read(pids.out.get(), text, sizeof(text) - 1), 0);
  const pid_t orphan = std::stoi(text);
  EXPECT_EQ(exit_code_of(command), 0);
  EXPECT_EQ(kill(orphan, 0), 0) << "it waits for us";
  ASSERT_EQ(write(go.in.get(), "x\n", 2), 2);
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(command.exit_code(), 0);
    return kill(orphan, 0) != 0;
  }));
}

TEST(WatchedCommand, IsLeftRunning) {
  TestPipe pipe, gone;
  Inherited out(pipe.out), in(gone.in);
  pid_t pid = 0;
  {
    const Words words = {"/bin/sh", "-c",
                         "read -r line <&" + out.number() + "; echo done >&" + in.number()};
    WatchedCommand command(words);
    pid = command.pid();
  }
  out.close();
  in.close();
  gone.in.reset();
  ASSERT_EQ(write(pipe.in.get(), "x\n", 2), 2);
  char text[8] = {};
  EXPECT_EQ(read(gone.out.get(), text, sizeof text), 5);
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

// ---- the command of a scene ----

// A zombie is none: whoever inherited it has yet to look.
bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const size_t name_end = text.rfind(')');
  return name_end != text.npos && text[name_end + 2] != 'Z';
}

// The numbers that the command has written to the pipe.
std::vector<pid_t> pids_from(const UniqueFd& out, size_t count) {
  std::vector<pid_t> pids;
  std::string word;
  for (char c; pids.size() < count && read(out.get(), &c, 1) == 1;) {
    if (c != '\n') {
      word += c;
      continue;
    }
    pids.push_back(static_cast<pid_t>(std::strtol(word.c_str(), nullptr, 10)));
    word.clear();
  }
  return pids;
}

// A FIFO, because a command of a scene inherits no descriptor of ours.
struct Fifo {
  Fifo() {
    path = "/tmp/pipetop-scene-" + std::to_string(getpid());
    ::unlink(path.c_str());
    EXPECT_EQ(::mkfifo(path.c_str(), 0666), 0);
    out = UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  ~Fifo() { ::unlink(path.c_str()); }
  std::string path;
  UniqueFd out;
};

TEST(SceneCommand, EndsWithAllThatItStarted) {
  const Fifo fifo;
  std::vector<pid_t> pids;
  {
    // One that another one left behind, and one that ignores SIGTERM.
    SceneCommand command("echo $$ >" + fifo.path + "; (sleep 60 & echo $! >" + fifo.path +
                         "); (trap '' TERM; sh -c 'echo $PPID' >" + fifo.path +
                         "; exec sleep 60) & wait");
    pids = pids_from(fifo.out, 3);
    ASSERT_EQ(pids.size(), 3u);
    EXPECT_FALSE(command.exit_code());
    for (const pid_t pid : pids) EXPECT_TRUE(is_alive(pid));
  }
  for (const pid_t pid : pids) EXPECT_TRUE(eventually([&] { return !is_alive(pid); })) << pid;
}

TEST(SceneCommand, HasOnlyNullForFiles) {
  const TestPipe ours;
  const Fifo fifo;
  SceneCommand command("set -- /proc/$$/fd/*; echo $# >" + fifo.path);
  const std::vector<int> count = pids_from(fifo.out, 1);
  ASSERT_EQ(count.size(), 1u);
  EXPECT_LE(count[0], 4) << "three, and the directory itself";
}

TEST(SceneCommand, ItsExitCodeIsKnownWhenAllHasEnded) {
  SceneCommand command("exit 5");
  EXPECT_TRUE(eventually([&] { return command.exit_code().has_value(); }));
  EXPECT_EQ(command.exit_code(), 5);
}

TEST(SceneCommand, EndsIfWeAreKilled) {
  const Fifo fifo;
  const pid_t parent = ::fork();
  if (parent == 0) {
    SceneCommand command("echo $$ >" + fifo.path + "; exec sleep 60");
    for (;;) ::pause();
  }
  const std::vector<pid_t> pids = pids_from(fifo.out, 1);
  ASSERT_EQ(pids.size(), 1u);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(pids[0]); }));
}

}  // namespace
}  // namespace pipetop

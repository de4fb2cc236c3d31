// The pipes that `pipetop watch` resized, however it ends: what is left, and what
// is said.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "engine/base/handles.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

// To the ring behind the first stage, and an answer to the question.
constexpr std::string_view kResize = "kkkkj}\r";

enum class Ending { kill, quit, hang_up, terminate, no_descriptors, full_ring };
constexpr const char* kEndings[] = {"Kill", "Quit", "HangUp", "Terminate", "Emfile", "FullRing"};

// We hold none of its ends, or we would be one of its processes.
class SleepingPipeline {
 public:
  SleepingPipeline() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd out(ends[0]), in(ends[1]);
    EXPECT_EQ(fcntl(in.get(), F_SETPIPE_SZ, 65536), 65536);
    writer_ = start(in.get(), STDOUT_FILENO);
    reader_ = start(out.get(), STDIN_FILENO);
    const auto sleeps = [](pid_t pid) { return name_of(pid) == "sleep"; };
    EXPECT_TRUE(eventually([&] { return sleeps(writer_) && sleeps(reader_); }));
  }
  ~SleepingPipeline() {
    for (const pid_t pid : {writer_, reader_}) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  SleepingPipeline(const SleepingPipeline&) = delete;
  SleepingPipeline& operator=(const SleepingPipeline&) = delete;

  pid_t writer() const { return writer_; }
  int bytes() const { return fcntl(in().get(), F_GETPIPE_SZ); }
  void fill() const {
    const UniqueFd end = in();
    const std::array<char, 4096> page = {};
    while (write(end.get(), page.data(), page.size()) > 0) continue;
  }
  void drain() const {
    const UniqueFd end = open_end(reader_, STDIN_FILENO, O_RDONLY);
    std::array<char, 4096> page;
    while (read(end.get(), page.data(), page.size()) > 0) continue;
  }

 private:
  static pid_t start(int end, int as) {
    const pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      dup2(fd == as ? end : null, fd);
    execl("/bin/sleep", "sleep", "3600", nullptr);
    _exit(127);
  }
  static UniqueFd open_end(pid_t pid, int fd, int how) {
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
    return UniqueFd(open(path.c_str(), how | O_NONBLOCK | O_CLOEXEC));
  }
  UniqueFd in() const { return open_end(writer_, STDOUT_FILENO, O_WRONLY); }

  pid_t writer_ = 0, reader_ = 0;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string output_of(const std::vector<std::string>& arguments, int status) {
  Program program(arguments);
  EXPECT_EQ(program.wait(), status) << program.err();
  return program.out() + program.err();
}

// `pipetop watch`, in which a pipe was resized.
class Changed {
 public:
  Changed()
      : before_(pipeline_.bytes()),
        program_({PIPETOP_PROGRAM, "watch", std::to_string(pipeline_.writer())},
                 {"TERM=xterm-256color", "LC_ALL=C.UTF-8"}, 40, 140) {
    EXPECT_TRUE(program_.wait_for("sleep")) << program_.output();
    for (const char key : kResize) program_.send({key});
    EXPECT_TRUE(program_.wait_until([&] { return !is_as_before(); })) << program_.output();
    EXPECT_TRUE(program_.wait_for("CHANGED")) << program_.output();
    changed_ = pipeline_.bytes();
    guardian_ = child_of(program_.pid(), "pipetop-guard");
    EXPECT_NE(guardian_, 0);
  }

  bool is_as_before() const { return pipeline_.bytes() == before_; }
  bool is_changed() const { return pipeline_.bytes() == changed_; }
  const SleepingPipeline& pipeline() const { return pipeline_; }
  pid_t guardian() const { return guardian_; }

  // Returns the exit status, or minus the signal.
  int end(Ending how) {
    const rlimit none = {4, 4};
    switch (how) {
      case Ending::kill:
        program_.signal(SIGKILL);
        break;
      case Ending::quit:
        program_.signal(SIGQUIT);
        break;
      case Ending::hang_up:
        program_.signal(SIGHUP);
        break;
      case Ending::no_descriptors:
        EXPECT_EQ(prlimit(program_.pid(), RLIMIT_NOFILE, &none, nullptr), 0);
        EXPECT_TRUE(program_.wait_for("STALE")) << "it goes on";
        program_.signal(SIGTERM);
        break;
      case Ending::full_ring:
        pipeline_.fill();
        program_.signal(SIGTERM);
        break;
      case Ending::terminate:
        program_.signal(SIGTERM);
    }
    return program_.wait_for_end();
  }
  // Together, so that nobody is left.
  void end_with_guardian() {
    program_.signal(SIGSTOP);
    kill(guardian_, SIGKILL);
    EXPECT_TRUE(eventually([&] { return is_gone(guardian_); }));
    program_.signal(SIGKILL);
    program_.wait_for_end();
    // A child that it had just started has the record until it runs, and ends.
    std::string doctor;
    EXPECT_TRUE(eventually([&] {
      return has(doctor = output_of({"doctor"}, 0), "pipetop watch --put-back");
    })) << doctor;
  }
  Reading<bool> bpf() const {
    if (has(program_.output(), "NO BPF")) return Reading<bool>::unavailable("there is no BPF");
    return Reading<bool>::of(true);
  }
  // After the screen.
  std::string said() const {
    const std::string& all = program_.output();
    const size_t end = all.rfind("\033[?1049l");
    return end == all.npos ? "" : all.substr(end);
  }

 private:
  SleepingPipeline pipeline_;
  int before_ = 0, changed_ = 0;
  PtyProgram program_;
  pid_t guardian_ = 0;
};

class WatchUndo : public testing::TestWithParam<Ending> {};

TEST_P(WatchUndo, NothingIsLeftOrTheRemedyIsSaid) {
  PIPETOP_NEED(root());
  const Ending how = GetParam();
  Changed changed;
  PIPETOP_NEED(changed.bpf());  // a scan by it is what fails first without descriptors
  const int status = changed.end(how);
  constexpr int kStatuses[] = {-SIGKILL,      -SIGQUIT,      128 + SIGHUP,
                               128 + SIGTERM, 128 + SIGTERM, 128 + SIGTERM};
  EXPECT_EQ(status, kStatuses[static_cast<size_t>(how)]) << changed.said();
  const bool is_left = how == Ending::full_ring;
  EXPECT_EQ(has(changed.said(), "not put back"), is_left) << changed.said();
  if (is_left) {
    EXPECT_TRUE(changed.is_changed());
    EXPECT_TRUE(has(changed.said(), "64 KiB -> 128 KiB: 131072 bytes are in the pipe"))
        << changed.said();
    EXPECT_TRUE(has(changed.said(), "pipetop watch --put-back")) << changed.said();
    changed.pipeline().drain();
  }
  EXPECT_TRUE(eventually([&] { return changed.is_as_before(); }));
  EXPECT_TRUE(eventually([&] { return is_gone(changed.guardian()); }));
}

INSTANTIATE_TEST_SUITE_P(Resize, WatchUndo,
                         testing::Values(Ending::kill, Ending::quit, Ending::hang_up,
                                         Ending::terminate, Ending::no_descriptors,
                                         Ending::full_ring),
                         [](const auto& of) {
                           return std::string(kEndings[static_cast<size_t>(of.param)]);
                         });

TEST(WatchPutBack, WhatNobodyIsLeftToPutBackIsNamedAndPutBack) {
  PIPETOP_NEED(root());
  Changed changed;
  changed.end_with_guardian();
  ASSERT_TRUE(changed.is_changed());
  const std::string next = output_of({"watch", "--once", "--no-bpf", "--interval", "100ms"}, 0);
  EXPECT_TRUE(has(next, "has left in place: ")) << next;
  EXPECT_TRUE(changed.is_changed()) << "looking puts nothing back";
  const std::string put_back = output_of({"watch", "--put-back"}, 0);
  EXPECT_TRUE(has(put_back, "undone: ")) << put_back;
  EXPECT_TRUE(changed.is_as_before());
}

TEST(WatchPutBack, AFullRingTakesAnotherTry) {
  PIPETOP_NEED(root());
  Changed changed;
  changed.pipeline().fill();
  changed.end_with_guardian();
  const std::string first = output_of({"watch", "--put-back"}, 3);
  EXPECT_TRUE(has(first, "not put back: pipe ")) << first;
  EXPECT_TRUE(changed.is_changed());
  changed.pipeline().drain();
  EXPECT_TRUE(has(output_of({"watch", "--put-back"}, 0), "undone: pipe "));
  EXPECT_TRUE(changed.is_as_before());
}

// "0" on a full ring: it stays, and is put back as soon as there is room.
TEST(WatchUndoKeys, WhatWaitsIsPutBackWhenThereIsRoom) {
  PIPETOP_NEED(root());
  const SleepingPipeline pipeline;
  PtyProgram program({PIPETOP_PROGRAM, "watch", std::to_string(pipeline.writer())},
                     {"TERM=xterm-256color", "LC_ALL=C.UTF-8"}, 40, 140);
  ASSERT_TRUE(program.wait_for("sleep")) << program.output();
  const int before = pipeline.bytes();
  program.send(std::string(kResize));
  ASSERT_TRUE(program.wait_until([&] { return pipeline.bytes() != before; }));
  pipeline.fill();
  program.send("0");
  ASSERT_TRUE(program.wait_for("not put back")) << program.output();
  EXPECT_NE(pipeline.bytes(), before);
  pipeline.drain();
  EXPECT_TRUE(program.wait_until([&] { return pipeline.bytes() == before; }));
  program.send("!");
  ASSERT_TRUE(program.wait_for("undone: ")) << program.output();
  program.send("qq");
  EXPECT_EQ(program.wait_for_end(), 0) << "there is nothing to ask";
}

}  // namespace
}  // namespace pipetop::tui

// pipetop view as a stage of a pipeline, as a shell would start it.
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/copy/tests/streams.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/command_line/tests/view_stage.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

TEST(ViewProgram, BytesArriveUnchanged) {
  const std::string content = random_bytes(20'000'003);
  for (const Words& words : {Words{}, Words{"-C"}, Words{"-i", "0.1", "-n"}}) {
    TwoEnds in = make_pipe(), between = make_pipe(), out = make_pipe();
    Stage first(words, in.read.get(), between.write.get());
    Stage second(words, between.read.get(), out.write.get());
    for (UniqueFd* fd : {&in.read, &between.read, &between.write, &out.write}) fd->reset();
    const std::jthread feeder([&] {
      write_pieces(in.write.get(), content, 300'000);
      in.write.reset();
    });
    EXPECT_TRUE(read_all(out.read.get()) == content);
    EXPECT_EQ(first.wait(), 0);
    EXPECT_EQ(second.wait(), 0);
    if (words.size() < 3) {
      EXPECT_EQ(first.err(), "") << "stderr is no terminal";
    }
  }
}

TEST(ViewProgram, AFileGoesToAFileAndIsAppended) {
  const ScratchDirectory scratch;
  const std::string content = random_bytes(3'000'001), name = scratch.file("in");
  std::ofstream(name) << content;
  const std::string out_name = scratch.file("out");
  const UniqueFd zero = zeros();
  const int kinds[] = {O_TRUNC, O_APPEND};
  for (const int kind : kinds) {
    const UniqueFd out(::open(out_name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | kind, 0600));
    Stage view({"-v", name}, zero.get(), out.get());
    EXPECT_EQ(view.wait(), 0) << view.err();
    EXPECT_NE(view.err().find("3000001 bytes"), std::string::npos) << view.err();
    EXPECT_EQ(view.err().find("appends") != std::string::npos, kind == O_APPEND) << view.err();
  }
  EXPECT_TRUE(content_of(out_name) == content + content);
}

TEST(ViewProgram, FilesComeOneAfterTheOther) {
  const ScratchDirectory scratch;
  const std::string a(100'000, 'a'), b(200'000, 'b');
  scratch.put("a", a);
  scratch.put("b", b);
  for (const char* how : {"-v", "-C", "-B1M"}) {
    Program program({"view", how, scratch.file("a"), scratch.file("b"), scratch.file("a")});
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_TRUE(program.out() == a + b + a) << how << " " << program.out().size();
  }
  Program half({"view", "-v", "-S", "-s", "150000", scratch.file("a"), scratch.file("b")});
  EXPECT_EQ(half.wait(), 0);
  EXPECT_TRUE(half.out() == a + b.substr(0, 50'000));
  EXPECT_NE(half.err().find("150000 bytes"), std::string::npos) << half.err();
  Program percent({"view", "-n", scratch.file("a"), scratch.file("b")});
  EXPECT_EQ(percent.wait(), 0);
  EXPECT_EQ(percent.err(), "100\n");
  Program missing({"view", scratch.file("a"), scratch.file("c")});
  EXPECT_EQ(missing.wait(), 2);
  EXPECT_EQ(missing.out().size(), 100'000u) << "the other one was moved";
}

TEST(ViewProgram, TheSizeMayBeThatOfAFile) {
  const ScratchDirectory scratch;
  scratch.put("a", std::string(100, 'a'));
  scratch.put("b", std::string(200, 'b'));
  Program program(
      {"view", "-n", "-s", "@" + scratch.file("b"), "-P", scratch.file("pid"), scratch.file("a")});
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.err(), "50\n");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("pid"))) << "it goes with us";
  Program none({"view", "-s", "@/dev/null", scratch.file("a")});
  EXPECT_EQ(none.wait(), 1);
  EXPECT_NE(none.err().find("it has no size"), std::string::npos);
}

TEST(ViewProgram, LinesAreCounted) {
  const ScratchDirectory scratch;
  std::string lines;
  for (int i = 0; i < 54'321; ++i) lines += std::to_string(i) + "\n";
  scratch.put("lines", lines + "without an end");
  Program program({"view", "-l", "-n", "-v", scratch.file("lines"), scratch.file("lines")});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out().size(), 2 * (lines.size() + 14));
  EXPECT_NE(program.err().find("108642\n"), std::string::npos) << program.err();
  EXPECT_NE(program.err().find("108642 lines (109k)"), std::string::npos) << program.err();
  Program none({"view", "-0", "-n", scratch.file("lines")});
  EXPECT_EQ(none.wait(), 0);
  EXPECT_EQ(none.err(), "0\n");
}

TEST(ViewProgram, NumbersArePercentOfWhatIsLeftOfAFile) {
  const ScratchFile file(random_bytes(100'000));
  ::lseek(file.fd.get(), 50'000, SEEK_SET);
  const UniqueFd null = null_out();
  Stage view({"-n"}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.err(), "100\n");
}

TEST(ViewProgram, NumbersAreWhatIsAskedFor) {
  const ScratchFile file(random_bytes(100'000));
  const UniqueFd null = null_out();
  Stage view({"-n", "-b"}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.err(), "100000\n");
}

TEST(ViewProgram, AStopBeforeANumberPutsItOff) {
  TwoEnds pipe = make_pipe();
  const UniqueFd null = null_out();
  Stage view({"-n", "-t", "-b", "-i", "3"}, pipe.read.get(), null.get());
  write_all(pipe.write.get(), "x");
  ::poll(nullptr, 0, 2'500);
  ::kill(view.pid(), SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(view.pid()) == 'T'; }));
  ::poll(nullptr, 0, 1'000);
  ::kill(view.pid(), SIGCONT);
  pipe.write.reset();
  EXPECT_EQ(view.wait(), 0);
  const double seconds = std::stod(view.err());
  EXPECT_GT(seconds, 1.5) << "only the stop is left out";
  EXPECT_LT(seconds, 3) << view.err();
}

TEST(ViewProgram, NothingIsShownBeforeTheDelay) {
  const ScratchFile file(random_bytes(100'000));
  const UniqueFd null = null_out();
  Stage view({"-n", "-D", "10"}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.err(), "");
}

TEST(ViewProgram, TimeBeginsWithTheFirstByte) {
  TwoEnds pipe = make_pipe();
  const UniqueFd null = null_out();
  // Counted from the start, a line would come before the byte. After it a busy machine has a
  // second.
  Stage view({"-n", "-t", "-W", "-i", "1"}, pipe.read.get(), null.get());
  ::poll(nullptr, 0, 1'500);
  write_all(pipe.write.get(), "x");
  pipe.write.reset();
  EXPECT_EQ(view.wait(), 0);
  EXPECT_LT(std::stod(view.err()), 1) << view.err();
  EXPECT_EQ(std::ranges::count(view.err(), '\n'), 1) << view.err();
}

TEST(ViewProgram, NumbersAreBytesOfAPipe) {
  TwoEnds pipe = make_pipe();
  const UniqueFd null = null_out();
  Stage view({"-n", "-i", "0.1"}, pipe.read.get(), null.get());
  write_all(pipe.write.get(), std::string(12'345, 'x'));
  EXPECT_TRUE(view.wait_for("12345\n")) << "before the end";
  pipe.write.reset();
  EXPECT_EQ(view.wait(), 0);
}

TEST(ViewProgram, ShowsWhatAFormatAsksFor) {
  const ScratchFile file("0123456789");
  const UniqueFd null = null_out();
  Stage view({"-f", "-w", "60", "-F", "%N %b of %4A|%T|%%"}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_NE(view.err().find("     10B of 6789|{  0%}|%"), std::string::npos) << view.err();
  Stage wrong({"-F", "%b %x"}, file.fd.get(), null.get());
  EXPECT_EQ(wrong.wait(), 1);
  EXPECT_NE(wrong.err().find("--format: %x is none of "), std::string::npos) << wrong.err();
}

TEST(ViewProgram, ShowsHowFarAnotherProcessIs) {
  const ScratchFile file(std::string(1000, 'x'));
  const UniqueFd null = null_out();
  ::lseek(file.fd.get(), 250, SEEK_SET);
  const UniqueFd again(
      ::open(("/proc/self/fd/" + std::to_string(file.fd.get())).c_str(), O_RDONLY | O_CLOEXEC));
  ::lseek(again.get(), 250, SEEK_SET);
  const std::string target = std::to_string(::getpid()) + ":" + std::to_string(again.get());
  Program view({"view", "-n", "-i", "100ms", "-d", target});
  ASSERT_TRUE(view.wait_until([&] { return view.err().find("25\n") != std::string::npos; }));
  kill(view.pid(), SIGTERM);
  view.wait();
  Program none({"view", "-d", "4194304"});
  EXPECT_EQ(none.wait(), 2);
  Program wrong({"view", "-d", "1:x"});
  EXPECT_EQ(wrong.wait(), 1);
}

TEST(ViewProgram, AFileIsFollowedUnderAnyName) {
  const ScratchDirectory scratch;
  scratch.put("file", std::string(1000, 'x'));
  UniqueFd file(::open(scratch.file("file").c_str(), O_RDONLY | O_CLOEXEC));
  ::lseek(file.get(), 250, SEEK_SET);
  const std::string target = std::to_string(::getpid()) + ":" + std::to_string(file.get());
  Program view({"view", "-n", "-i", "100ms", "-d", target});
  ASSERT_TRUE(view.wait_for("25\n"));
  std::filesystem::rename(scratch.file("file"), scratch.file("other"));
  ::lseek(file.get(), 500, SEEK_SET);
  EXPECT_TRUE(view.wait_for("50\n"));
  std::filesystem::remove(scratch.file("other"));
  ::lseek(file.get(), 750, SEEK_SET);
  EXPECT_TRUE(view.wait_for("75\n"));
  file.reset();
  EXPECT_EQ(view.wait(), 0);
}

// A process that has that pid, and sleeps; 0 if we may not choose it.
pid_t start_with_pid(pid_t pid) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = uint64_t(reinterpret_cast<uintptr_t>(&pid));
  arguments.set_tid_size = 1;
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0)
    for (;;) ::pause();
  return child < 0 ? 0 : pid_t(child);
}

TEST(ViewProgram, AnotherProcessWithThePidIsNotFollowed) {
  const pid_t first = fork();
  if (first == 0)
    for (;;) ::pause();
  const ScratchFile file(std::string(1000, 'x'));
  Program view({"view", "-f", "-i", "2", "-d", std::to_string(first)});
  ASSERT_TRUE(eventually([&] { return state_of(view.pid()) == 'S'; }));
  ::kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const pid_t second = start_with_pid(first);
  EXPECT_EQ(view.wait(), 0);
  if (second == 0) GTEST_SKIP() << "only root may choose a pid";
  ::kill(second, SIGKILL);
  waitpid(second, nullptr, 0);
}

TEST(ViewProgram, StopsAfterSoManyLines) {
  const ScratchFile file("one\ntwo\nthree\n");
  const ScratchDirectory scratch;
  Stage view({"-q", "-l", "-S", "-s", "2", "-o", scratch.file("out")}, file.fd.get(),
             null_out().get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(content_of(scratch.file("out")), "one\ntwo\n");
}

// Nothing is mapped at the begin of a process's memory: reading there fails.
TEST(ViewProgram, PassesZerosInPlaceOfWhatCannotBeRead) {
  const UniqueFd memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  const ScratchDirectory scratch;
  Stage view({"-q", "-E", "-S", "-s", "3000", "-o", scratch.file("out")}, memory.get(),
             null_out().get());
  EXPECT_EQ(view.wait(), 16);
  EXPECT_EQ(content_of(scratch.file("out")), std::string(3000, '\0'));
  EXPECT_EQ(view.err(), "pipetop: 3000 bytes could not be read: zeros are in their place\n");
}

TEST(ViewProgram, TakesFlagsWhileItRuns) {
  if (::geteuid() != 0 && !std::getenv("XDG_RUNTIME_DIR"))
    GTEST_SKIP() << "there is no directory of our own to leave them in";
  Program view({"view", "-f", "-b", "-L", "1K", "-i", "100ms", "/dev/zero", "-o", "/dev/null"});
  ASSERT_TRUE(view.wait_until([&] { return view.err().find("KiB") != std::string::npos; }));
  Program other({"view", "-R", std::to_string(view.pid()), "-F", "now %b", "-L", "1G"});
  EXPECT_EQ(other.wait(), 0) << other.err();
  EXPECT_TRUE(view.wait_until([&] { return view.err().find("now ") != std::string::npos; }));
  EXPECT_TRUE(view.wait_until([&] { return view.err().find("MiB") != std::string::npos; }));
  kill(view.pid(), SIGTERM);
  view.wait();
  Program none({"view", "-R", std::to_string(::getpid()), "-L", "1G"});
  EXPECT_EQ(none.wait(), 1);
  EXPECT_NE(none.err().find(" is no pipetop view "), std::string::npos) << none.err();
}

// The manual's table of pv's flags, against what is taken and what is refused.
TEST(ViewProgram, TheTableOfFlagsIsTrue) {
  Program manual({"help", "view"}), help({"view", "--help"});
  ASSERT_EQ(manual.wait(), 0);
  ASSERT_EQ(help.wait(), 0);
  std::set<std::string> named;
  std::istringstream lines(manual.out());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string flag, word;
    words >> flag;
    if (line.rfind("    -", 0) != 0) continue;
    if (flag.rfind("--", 0) != 0) words >> flag;
    words >> word;
    ASSERT_TRUE(named.insert(flag).second) << flag;
    if (flag == "--version") continue;  // in the help of pipetop
    if (word == "refused:" || word == "refused,") {
      Program view({"view", flag, "1"});
      EXPECT_EQ(view.wait(), 1) << flag;
      EXPECT_NE(view.err().find(flag + " of pv is not here: "), std::string::npos) << view.err();
    } else {
      EXPECT_NE(help.out().find(flag), std::string::npos) << flag;
    }
  }
  EXPECT_GT(named.size(), 40u);
  std::istringstream taken(help.out());
  for (std::string word; taken >> word;) {
    const size_t begin = word.find("--");
    if (begin == word.npos || word.size() < begin + 3) continue;
    const std::string flag = word.substr(begin, word.find_first_of(",=\"", begin) - begin);
    EXPECT_TRUE(named.contains(flag)) << flag << " is not in the table";
  }
}

TEST(ViewProgram, CountsBitsAndWritesToAFile) {
  const ScratchDirectory scratch;
  const ScratchFile file(std::string(100, 'x'));
  const UniqueFd null = null_out();
  Stage view({"-f", "-b", "-8", "--stats", "-o", scratch.file("out")}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_NE(view.err().find("800b"), std::string::npos) << view.err();
  EXPECT_NE(view.err().find("rate "), std::string::npos) << view.err();
  EXPECT_EQ(content_of(scratch.file("out")), std::string(100, 'x'));
}

TEST(ViewProgram, CountsBeyondFourGigabytes) {
  const UniqueFd zero = zeros(), null = null_out();
  Stage view({"-v", "-S", "-s", "4300000000"}, zero.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_NE(view.err().find(" 4300000000 bytes (4.00GiB)"), std::string::npos) << view.err();
}

TEST(ViewProgram, KeepsToItsLimit) {
  const UniqueFd zero = zeros(), null = null_out();
  const uint64_t begin_ns = monotonic_ns();
  Stage view({"-L", "1M", "-S", "-s", "512K"}, zero.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_GE(monotonic_ns() - begin_ns, kSecond / 2);
}

TEST(ViewProgram, ABrokenPipeIsItsEndAndNoErrorAsWithPv) {
  const UniqueFd zero = zeros();
  TwoEnds out = make_pipe();
  Stage view({}, zero.get(), out.write.get());
  out.write.reset();
  char some[100];
  ASSERT_GT(::read(out.read.get(), some, sizeof some), 0);
  out.read.reset();
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.err(), "");
}

TEST(ViewProgram, SoIsOneThatNobodyMinds) {
  const UniqueFd zero = zeros();
  TwoEnds out = make_pipe();
  out.read.reset();
  Stage view({}, zero.get(), out.write.get(), BrokenPipe::is_ignored);
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.err(), "");
}

TEST(ViewProgram, AFullDeviceIsAnError) {
  const ScratchFile file("some bytes");
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Stage view({}, file.fd.get(), full.get());
  EXPECT_EQ(view.wait(), 16);
  EXPECT_EQ(view.err(), "pipetop: stdout: No space left on device\n");
}

// A file system of our own, in a mount namespace of our own.
TEST(ViewProgram, AFullDiskHasAllThatFits) {
  const ScratchDirectory scratch;
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", scratch.path().c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "mounting needs root";
  const std::string content = random_bytes(1'000'000);
  const ScratchFile file(content);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  for (const bool from_pipe : {false, true}) {
    for (const Words& words : {Words{}, Words{"-C"}}) {
      const std::string name = scratch.file("out");
      const UniqueFd out(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      ::lseek(file.fd.get(), 0, SEEK_SET);
      TwoEnds pipe = make_pipe();
      Stage view(words, from_pipe ? pipe.read.get() : file.fd.get(), out.get());
      pipe.read.reset();
      const std::jthread feeder([&] {
        if (from_pipe) write_all(pipe.write.get(), content);
        pipe.write.reset();
      });
      EXPECT_EQ(view.wait(), 16);
      const std::string arrived = content_of(name);
      EXPECT_GT(arrived.size(), 200'000u);
      EXPECT_TRUE(arrived == content.substr(0, arrived.size()));
      EXPECT_EQ(view.err(), "pipetop: stdout, after " + std::to_string(arrived.size()) +
                                " bytes: No space left on device\n");
    }
  }
  ::signal(SIGPIPE, before);
  ::umount(scratch.path().c_str());
}

TEST(ViewProgram, WhatCannotBeReadIsNamed) {
  const UniqueFd zero = zeros(), null = null_out();
  Stage missing({"/no/such/file"}, zero.get(), null.get());
  EXPECT_EQ(missing.wait(), 2);
  EXPECT_EQ(missing.err(), "pipetop: /no/such/file: No such file or directory\n");
  Stage directory({"/"}, zero.get(), null.get());
  EXPECT_EQ(directory.wait(), 2);
  EXPECT_EQ(directory.err(), "pipetop: /: Is a directory\n");
}

TEST(ViewProgram, AClosedStdoutIsAnError) {
  const ScratchFile file("some bytes");
  Stage view({}, file.fd.get(), -1);
  EXPECT_EQ(view.wait(), 16);
  EXPECT_EQ(view.err(), "pipetop: stdout: Bad file descriptor\n");
}

TEST(ViewProgram, ASignalEndsItAsItEndsCat) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    TwoEnds pipe = make_pipe();
    const UniqueFd null = null_out();
    Stage view({}, pipe.read.get(), null.get());
    ASSERT_TRUE(eventually([&] { return name_of(view.pid()) == "pipetop"; }));
    ::kill(view.pid(), number);
    EXPECT_EQ(view.wait(), -number);
    EXPECT_EQ(view.err(), "");
  }
}

// Ignored from the start, as by nohup.
TEST(ViewProgram, AnIgnoredSignalStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  TwoEnds pipe = make_pipe();
  const UniqueFd null = null_out();
  Stage view({"-n", "-i", "0.1"}, pipe.read.get(), null.get());
  ::signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(view.wait_for("0\n"));
  ::kill(view.pid(), SIGHUP);
  pipe.write.reset();
  EXPECT_EQ(view.wait(), 0);
}

TEST(ViewProgram, TellsWhenItIsAsked) {
  TwoEnds in = make_pipe(), out = make_pipe();
  Stage view({"-N", "here"}, in.read.get(), out.write.get());
  write_all(in.write.get(), "12345");
  char some[100];
  ASSERT_EQ(::read(out.read.get(), some, sizeof some), 5) << "it runs";
  ::kill(view.pid(), SIGUSR1);
  ASSERT_TRUE(view.wait_for("pipetop: here: 5 bytes (5B) in ")) << view.err();
  ASSERT_TRUE(view.wait_for(", by splice\n")) << view.err();
  in.write.reset();
  EXPECT_EQ(view.wait(), 0);
}

// ---- on a terminal

// A line of a shell, on a terminal.
struct OnTerminal : PtyProgram {
  explicit OnTerminal(const std::string& line, int cols = 80)
      : PtyProgram({"/bin/sh", "-c", "VIEW='" PIPETOP_PROGRAM " view -i 0.1'; " + line},
                   {"TERM=xterm", "LC_ALL=C.UTF-8"}, 24, cols) {}

  // Ctrl-C reaches all of it.
  void interrupt() {
    send("\x03");
    wait_for_end();
  }
};

size_t longest_line(const std::string& output) {
  size_t longest = 0, begin = 0;
  for (size_t i = 0; i <= output.size(); ++i) {
    if (i < output.size() && output[i] != '\r' && output[i] != '\n') continue;
    longest = std::max(longest, i - begin);
    begin = i + 1;
  }
  return longest;
}

TEST(ViewTerminal, ShowsRateAndBarAndKeepsTheLastLine) {
  OnTerminal shell("head -c 3000000 /dev/zero | $VIEW -N here -s 3000000 > /dev/null");
  EXPECT_EQ(shell.wait_for_end(), 0);
  EXPECT_NE(shell.output().find("here: 2.86MiB 0:00:0"), std::string::npos) << shell.output();
  EXPECT_NE(shell.output().find("=>] 100%\r\n"), std::string::npos) << shell.output();
}

TEST(ViewTerminal, FollowsTheWidth) {
  OnTerminal shell("exec $VIEW < /dev/zero > /dev/null", 60);
  ASSERT_TRUE(shell.wait_for("<=>"));
  EXPECT_EQ(longest_line(shell.output()), 59u);
  shell.resize(24, 100);
  EXPECT_TRUE(shell.wait_until([&] { return longest_line(shell.output()) == 99; }));
  shell.interrupt();
}

TEST(ViewTerminal, AWidthCanBeGiven) {
  OnTerminal shell("exec $VIEW -w 50 < /dev/zero > /dev/null");
  ASSERT_TRUE(shell.wait_for("<=>"));
  EXPECT_EQ(longest_line(shell.output()), 50u);
  shell.interrupt();
}

TEST(ViewTerminal, QuietIsQuiet) {
  OnTerminal shell("head -c 100000 /dev/zero | $VIEW -q > /dev/null");
  EXPECT_EQ(shell.wait_for_end(), 0);
  EXPECT_EQ(shell.output(), "");
}

TEST(ViewTerminal, NamesWhomItWaitsFor) {
  OnTerminal shell("sleep 1000 | $VIEW > /dev/null", 100);
  EXPECT_TRUE(shell.wait_for("waiting for sleep")) << shell.output();
  shell.interrupt();
}

TEST(ViewTerminal, NamesWhoHoldsItUp) {
  OnTerminal shell("$VIEW /dev/zero | sleep 1000", 100);
  EXPECT_TRUE(shell.wait_for("blocked by sleep")) << shell.output();
  shell.interrupt();
}

TEST(ViewTerminal, ASignalLeavesTheLineAndAnError) {
  OnTerminal shell("exec $VIEW < /dev/zero > /dev/null");
  ASSERT_TRUE(shell.wait_for("<=>"));
  shell.signal(SIGTERM);
  EXPECT_EQ(shell.wait_for_end(), -SIGTERM);
  EXPECT_TRUE(shell.output().ends_with("]\r\n")) << shell.output();
}

// Reads the first line that is shown: "0:00:07".
uint64_t elapsed_seconds(const std::string& output) {
  unsigned hours = 0, minutes = 0, seconds = 0;
  const size_t at = output.find(':');
  EXPECT_TRUE(at != output.npos && at > 0);
  EXPECT_EQ(sscanf(output.c_str() + at - 1, "%u:%u:%u", &hours, &minutes, &seconds), 3) << output;
  return hours * 3600 + minutes * 60 + seconds;
}

TEST(ViewTerminal, AStopDoesntCount) {
  const uint64_t begin_ns = monotonic_ns();
  OnTerminal shell("exec $VIEW < /dev/zero > /dev/null");
  ASSERT_TRUE(shell.wait_for("<=>"));
  shell.signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(shell.pid()) == 'T'; }));
  EXPECT_TRUE(shell.wait_until([&] { return shell.output().ends_with("]"); }));
  shell.forget_output();
  ::poll(nullptr, 0, 3'000);  // how long it is stopped
  shell.signal(SIGCONT);
  ASSERT_TRUE(shell.wait_for("]"));
  const uint64_t all_seconds = (monotonic_ns() - begin_ns) / kSecond;
  EXPECT_LE(elapsed_seconds(shell.output()), all_seconds - 2) << shell.output();
  shell.interrupt();
}

// With `stty tostop`, writing would stop it.
TEST(ViewTerminal, AJobInTheBackgroundDoesntWrite) {
  OnTerminal shell(
      "stty tostop; set -m; head -c 200000 /dev/zero | $VIEW -L 200K > /dev/null & wait; echo end");
  EXPECT_TRUE(shell.wait_for("end")) << shell.output();
  EXPECT_EQ(shell.output().find("B/s"), std::string::npos) << shell.output();
  shell.wait_for_end();
}

TEST(ViewTerminal, ForcedAJobInTheBackgroundWrites) {
  OnTerminal shell(
      "stty tostop; set -m; head -c 200000 /dev/zero | $VIEW -f -L 200K > /dev/null & wait; echo "
      "end");
  EXPECT_TRUE(shell.wait_for("end")) << shell.output();
  EXPECT_NE(shell.output().find("B/s"), std::string::npos) << shell.output();
  shell.wait_for_end();
}

TEST(ViewTerminal, ForcedItIsShownAnywhere) {
  const ScratchFile file(random_bytes(100'000));
  const UniqueFd null = null_out();
  Stage view({"-f"}, file.fd.get(), null.get());
  EXPECT_EQ(view.wait(), 0);
  EXPECT_NE(view.err().find("=>] 100%\n"), std::string::npos) << view.err();
  EXPECT_EQ(view.err().find('\x1b'), std::string::npos);
}

// Spliced, the reader would see the file as it is when it reads.
TEST(ViewProgram, WithoutSpliceAFileIsPassedOnAsItWas) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("file");
  std::ofstream(path) << "as it was";
  Program view({"view", "-C", path});
  siginfo_t ended{};  // with all of it in the pipe
  ASSERT_EQ(waitid(P_PID, id_t(view.pid()), &ended, WEXITED | WNOWAIT), 0);
  std::fstream(path, std::ios::in | std::ios::out) << "changed!!";
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(view.out(), "as it was");
}

}  // namespace
}  // namespace pipetop::tui

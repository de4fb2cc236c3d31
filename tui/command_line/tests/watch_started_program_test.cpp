// `pipetop watch -- COMMAND`: what a shell sees is as if the command ran alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

// What is tested is the same with BPF; without it the start takes no time.
Words watch(const Words& flags, const Words& command) {
  Words words = {"watch", "--no-bpf"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Words shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

// The same words for a PtyProgram.
Words whole(Words words) {
  words.insert(words.begin(), PIPETOP_PROGRAM);
  return words;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(WatchStarted, TheOutputIsTheCommands) {
  Program program(watch({}, shell("seq 100000 | gzip | gunzip | tail -1; echo words >&2")));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out(), "100000\n");
  EXPECT_TRUE(has(program.err(), "words\n")) << program.err();
  EXPECT_TRUE(has(program.err(), " of CPU, exit status 0\n")) << program.err();
  EXPECT_EQ(program.err().find('\x1b'), std::string::npos);
}

TEST(WatchStarted, OneWordIsAShellsCommandLine) {
  Program program(watch({"-q"}, {"echo $((6 * 7)) | cat"}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out(), "42\n");
  EXPECT_EQ(program.err(), "") << "it is quiet";
}

TEST(WatchStarted, FlagsOfTheCommandAreItsOwn) {
  Program program(watch({"-q"}, {"/usr/bin/printf", "%s|", "--help", "--", "-q", ""}));
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.out(), "--help|--|-q||");
}

TEST(WatchStarted, TheExitStatusIsTheCommands) {
  for (const int status : {0, 1, 3, 255}) {
    Program program(watch({}, shell("exit " + std::to_string(status))));
    EXPECT_EQ(program.wait(), status) << program.err();
    EXPECT_TRUE(has(program.err(), "exit status " + std::to_string(status) + "\n"));
  }
}

TEST(WatchStarted, WhatEndedTheCommandEndsUs) {
  for (const int number : {SIGTERM, SIGKILL, SIGINT, SIGPIPE, SIGSEGV}) {
    Program program(watch({}, shell("kill -" + std::to_string(number) + " $$")));
    EXPECT_EQ(program.wait(), -number) << program.err();
    EXPECT_TRUE(has(program.err(), "ended by signal " + std::to_string(number) + "\n"))
        << program.err();
  }
}

TEST(WatchStarted, WhatCannotBeStartedIsToldAsEnvDoes) {
  const ScratchDirectory directory;
  std::ofstream(directory.file("text")) << "no program\n";
  Program missing(watch({}, {directory.file("none"), "x"}));
  EXPECT_EQ(missing.wait(), 127) << missing.err();
  Program text(watch({}, {directory.file("text"), "x"}));
  EXPECT_EQ(text.wait(), 126) << text.err();
  for (Program* program : {&missing, &text}) {
    EXPECT_EQ(program->out(), "");
    EXPECT_TRUE(has(program->err(), directory.file(""))) << program->err();
  }
}

// The names and bits that tell processes apart.
std::string state_of_self(const Words& before) {
  Words words = before;
  words.insert(words.end(), {"/usr/bin/grep", "-E", "^(Sig(Blk|Ign)|Cap|NoNewPrivs|[UG]id)",
                             "/proc/self/status"});
  const std::string path = words.front();
  Program program(path, {words.begin() + 1, words.end()});
  EXPECT_EQ(program.wait(), 0) << program.err();
  return program.out();
}

TEST(WatchStarted, ACommandHasTheRightsAndSignalsOfItsCaller) {
  sigset_t blocked, before;  // by the caller
  sigemptyset(&blocked);
  for (const int number : {SIGUSR1, SIGTERM, SIGRTMIN}) sigaddset(&blocked, number);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const std::string alone = state_of_self({"/usr/bin/env"});
  EXPECT_TRUE(has(alone, "SigIgn"));
  EXPECT_TRUE(has(alone, "SigBlk:\t0000000200004200\n")) << alone;
  EXPECT_EQ(state_of_self(whole(watch({"-q"}, {}))), alone);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(WatchStarted, ACommandHasNoDescriptorsOfOurs) {
  Program alone("/bin/ls", {"/proc/self/fd"});
  Program watched(watch({"-q"}, {"/bin/ls", "/proc/self/fd"}));
  EXPECT_EQ(alone.wait(), 0);
  EXPECT_EQ(watched.wait(), 0) << watched.err();
  EXPECT_EQ(watched.out(), alone.out());
}

TEST(WatchStarted, ItsStdinIsHeldByNobodyElse) {
  const ScratchDirectory directory;
  const std::string fifo = directory.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto before = signal(SIGPIPE, SIG_IGN);
  Program program("/bin/sh", {"-c", "exec " PIPETOP_PROGRAM " watch --no-bpf -q -- /bin/sh -c "
                                    "'read a; exec <&-; echo closed; exec sleep 100' < " +
                                        fifo});
  // Without O_NONBLOCK it would wait for a reader that may never come.
  UniqueFd opened;
  ASSERT_TRUE(eventually([&] {
    opened.reset(open(fifo.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    return bool(opened);
  }));
  ASSERT_EQ(write(opened.get(), "x\n", 2), 2);
  ASSERT_TRUE(program.wait_for("closed")) << program.err();
  EXPECT_TRUE(eventually([&] { return write(opened.get(), "x", 1) < 0 && errno == EPIPE; }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), -SIGTERM) << program.err();
  signal(SIGPIPE, before);
}

TEST(WatchStarted, ItsStdoutIsHeldByNobodyElse) {
  Program program("/bin/sh",
                  {"-c", PIPETOP_PROGRAM " watch --no-bpf -q -- /bin/sh -c 'exec >&-; "
                                         "exec sleep 100' | { cat; echo end of file >&2; }"});
  EXPECT_TRUE(program.wait_for("end of file")) << "while it still runs";
  const pid_t pipetop = child_of(program.pid(), "pipetop");
  ASSERT_NE(pipetop, 0);
  EXPECT_TRUE(eventually([&] { return child_of(pipetop, "sleep") != 0; })) << "no shell any more";
  kill(pipetop, SIGTERM);
  EXPECT_EQ(program.wait(), 0);
}

TEST(WatchStarted, SignalsToUsArePassedOn) {
  Program program(watch({"-q"}, shell("trap 'echo got it; exit 7' TERM; echo begun; "
                                      "while kill -0 $PPID; do sleep 0.05; done")));
  ASSERT_TRUE(program.wait_for("begun")) << program.err();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 7) << program.err();
  EXPECT_EQ(program.out(), "begun\ngot it\n");
}

// The command reads it; a line of the results shows that its pipe has been seen.
TEST(WatchStarted, ResultsCanBeAFile) {
  const ScratchDirectory directory;
  const std::string fifo = directory.file("fifo"), file = directory.file("lines");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd end(open(fifo.c_str(), O_RDWR | O_CLOEXEC));
  Program program(watch({"--format", "jsonl", "--interval", "100ms", "--output", file},
                        shell("{ read line < " + fifo + "; echo $line; } | cat; exit 4")));
  ASSERT_TRUE(program.wait_until([&] { return !lines_of_file(file).empty(); })) << program.err();
  ASSERT_EQ(write(end.get(), "on\n", 3), 3);
  EXPECT_EQ(program.wait(), 4) << program.err();
  EXPECT_EQ(program.out(), "on\n");
  EXPECT_EQ(program.err(), "");
  const auto lines = lines_of_file(file);
  EXPECT_EQ(nlohmann::json::parse(lines.front())["type"], "pipeline");
  const auto summary = nlohmann::json::parse(lines.back());
  EXPECT_EQ(summary["type"], "summary");
  EXPECT_EQ(summary["exit_status"], 4);
  EXPECT_TRUE(summary["signal"].is_null());
  EXPECT_GT(summary["duration_ns"], 0);
  ASSERT_FALSE(summary["pipeline"].is_null()) << summary;
  EXPECT_GE(summary["pipeline"]["stages"].size(), 2u) << summary;
}

TEST(WatchStarted, ResultsCanBeADescriptorOfTheCallers) {
  Program program("/bin/sh", {"-c", PIPETOP_PROGRAM
                              " watch --no-bpf --format json --output /dev/fd/3 -- /bin/echo words"
                              " 3>&1 > /dev/null"});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  EXPECT_EQ(nlohmann::json::parse(program.out())["command"][0], "/bin/echo") << program.out();
}

TEST(WatchStarted, AFullDiskCostsTheCommandNothing) {
  Program program(watch({"--format", "json", "--output", "/dev/full"}, shell("echo done; exit 5")));
  EXPECT_EQ(program.wait(), 5) << program.err();
  EXPECT_EQ(program.out(), "done\n");
  EXPECT_TRUE(has(program.err(), "/dev/full: No space left on device")) << program.err();
}

// ---- with a terminal ----------------------------------------------------------

bool same(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::equal(std::begin(a.c_cc), std::end(a.c_cc), b.c_cc);
}

TEST(WatchStarted, WhoseOutputGoesElsewhereIsToldOfNoDashboard) {
  for (const std::string where : {"> /dev/null", "2> /dev/null"}) {
    PtyProgram program(
        {"/bin/sh", "-c", "\"$0\" watch --no-bpf -- true " + where + "; echo end", PIPETOP_PROGRAM},
        {"TERM=none"});
    ASSERT_TRUE(program.wait_for("end")) << program.output();
    program.wait_for_end();
    EXPECT_FALSE(has(program.output(), "no dashboard")) << program.output();
    EXPECT_FALSE(has(program.output(), "--once")) << program.output();
  }
}

TEST(WatchStarted, CtrlCReachesTheCommandAndThenUs) {
  PtyProgram program(whole(watch({}, shell("echo begun; exec sleep 100"))), {"TERM=xterm"});
  ASSERT_TRUE(program.wait_for("no dashboard: the command writes to the terminal"))
      << program.output();
  ASSERT_TRUE(program.wait_for("begun")) << program.output();
  program.send("\x03");
  EXPECT_EQ(program.wait_for_end(), -SIGINT);
  EXPECT_TRUE(has(program.output(), "ended by signal 2")) << program.output();
  EXPECT_TRUE(same(program.settings(), program.before()));
}

TEST(WatchStarted, ACommandMayHandleCtrlCItself) {
  PtyProgram program(whole(watch({"-q"}, shell("trap 'echo caught; exit 5' INT QUIT; echo begun; "
                                               "while kill -0 $PPID; do sleep 0.05; done"))),
                     {"TERM=xterm"});
  ASSERT_TRUE(program.wait_for("begun")) << program.output();
  program.send("\x1c");
  EXPECT_EQ(program.wait_for_end(), 5) << program.output();
  EXPECT_TRUE(has(program.output(), "caught"));
}

// A shell with job control, which prints its prompt.
class JobShell : public PtyProgram {
 public:
  JobShell() : PtyProgram({"/bin/bash", "--norc", "--noprofile", "-i"}, {"TERM=xterm"}) {
    enter("PS1='re''ady> '");
    EXPECT_TRUE(wait_for("ready> ")) << output();
  }
  void enter(const std::string& line) { send(line + "\n"); }
};

TEST(WatchStarted, CtrlZStopsBothAndFgGoesOn) {
  JobShell bash;
  bash.enter(PIPETOP_PROGRAM " watch --no-bpf -q -- /bin/sh -c 'echo beg''un; exec sleep 100'");
  ASSERT_TRUE(bash.wait_for("begun")) << bash.output();
  const pid_t pipetop = child_of(bash.pid(), "pipetop");
  ASSERT_NE(pipetop, 0);
  pid_t command = 0;
  ASSERT_TRUE(bash.wait_until([&] { return (command = child_of(pipetop, "sleep")) != 0; }));
  bash.send("\x1a");
  ASSERT_TRUE(bash.wait_for("Stopped")) << bash.output();
  ASSERT_TRUE(bash.wait_for("ready> "));
  EXPECT_TRUE(
      bash.wait_until([&] { return state_of(command) == 'T' && state_of(pipetop) == 'T'; }));
  bash.enter("fg");
  EXPECT_TRUE(bash.wait_until([&] { return state_of(command) == 'S'; })) << bash.output();
  bash.send("\x03");
  ASSERT_TRUE(bash.wait_for("ready> ")) << bash.output();
  bash.enter("echo \"was $?\"");
  EXPECT_TRUE(bash.wait_for("was 130")) << bash.output();
  EXPECT_TRUE(is_gone(command));
  bash.enter("exit");
  bash.wait_for_end();
}

// The dashboard is on the terminal, the command's output elsewhere.
class WithDashboard : public PtyProgram {
 public:
  WithDashboard(const ScratchDirectory& directory, const std::string& script)
      : PtyProgram({"/bin/sh", "-c",
                    "exec " PIPETOP_PROGRAM " watch --no-bpf -- /bin/sh -c \"$SCRIPT\" > " +
                        directory.file("out")},
                   {"TERM=xterm-256color", "SCRIPT=" + script}) {}

  // The first frame is drawn: the terminal may drop what is typed before.
  bool has_begun() { return wait_for("help"); }
};

TEST(WatchStarted, TheDashboardEndsWithTheCommand) {
  const ScratchDirectory directory;
  WithDashboard program(directory, "sleep 3 | cat; echo done; exit 6");
  ASSERT_TRUE(program.has_begun()) << program.output();
  EXPECT_EQ(program.wait_for_end(), 6) << program.output();
  EXPECT_EQ(content_of(directory.file("out")), "done\n");
  EXPECT_TRUE(same(program.settings(), program.before()));
  const size_t off = program.output().rfind("\x1b[?1049l");
  ASSERT_NE(off, std::string::npos);
  EXPECT_NE(program.output().find("exit status 6", off), std::string::npos) << "after the screen";
}

TEST(WatchStarted, WithoutItsDashboardACommandGoesOn) {
  const ScratchDirectory directory;
  const std::string fifo = directory.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  WithDashboard program(directory, "read line < " + fifo + "; echo $line");
  ASSERT_TRUE(program.has_begun()) << program.output();
  program.send("q");
  ASSERT_TRUE(program.wait_for("\x1b[?1049l")) << program.output();
  EXPECT_TRUE(eventually([&] { return same(program.settings(), program.before()); }));
  EXPECT_TRUE(program.wait_for("the command goes on")) << program.output();
  std::ofstream(fifo) << "on\n" << std::flush;
  EXPECT_EQ(program.wait_for_end(), 0);
  EXPECT_EQ(content_of(directory.file("out")), "on\n");
  EXPECT_TRUE(has(program.output(), "exit status 0")) << program.output();
}

TEST(WatchStarted, KeysOfTheDashboardReachTheCommandAsSignals) {
  const ScratchDirectory directory;
  WithDashboard program(directory,
                        "trap 'echo caught; exit 9' INT; while kill -0 $PPID; do sleep 0.05; done");
  ASSERT_TRUE(program.has_begun()) << program.output();
  program.send("\x03");
  EXPECT_EQ(program.wait_for_end(), 9) << program.output();
  EXPECT_EQ(content_of(directory.file("out")), "caught\n");
  EXPECT_TRUE(same(program.settings(), program.before()));
}

}  // namespace
}  // namespace pipetop::tui

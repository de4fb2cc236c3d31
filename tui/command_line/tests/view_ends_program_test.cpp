// What pipetop view reads and writes: nothing is lost, and nobody is held up.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "engine/tests/eventually.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/command_line/tests/view_stage.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

// With PIPETOP as $P.
struct ShellLine : Program {
  explicit ShellLine(const std::string& line)
      : Program("/bin/sh", {"-c", "P='" PIPETOP_PROGRAM "'; " + line}) {}
};

struct TwoFiles {
  TwoFiles() { refill(); }
  void refill() const {
    scratch.put("a", "content of a\n");
    scratch.put("b", "content of b\n");
  }
  std::string a() const { return content_of(scratch.file("a")); }
  std::string b() const { return content_of(scratch.file("b")); }

  const ScratchDirectory scratch;
};

TEST(ViewEnds, NoFileIsWrittenToItself) {
  const TwoFiles files;
  const std::string cd = "cd " + files.scratch.path().string() + " && ";
  ShellLine links(cd + "ln -s a link && ln a hard && mkdir there && ln -s ../a there/link");
  ASSERT_EQ(links.wait(), 0);
  for (const char* line :
       {"$P view a -o a", "$P view a b -o a", "$P view b a -o a", "$P view -o a b a",
        "$P view a -o link", "$P view hard -o a", "$P view link -o there/link", "$P view -o a < a",
        "$P view -C b - -o ./there/../a < a", "$P view a b -o /dev/fd/3 3>> a",
        "$P view -o a /proc/self/fd/3 3< a"}) {
    ShellLine shell(cd + line);
    EXPECT_EQ(shell.wait(), 4) << line << "\n" << shell.err();
    EXPECT_NE(shell.err().find(" is the output, too: nothing is written; write to another file\n"),
              std::string::npos)
        << line << "\n"
        << shell.err();
    EXPECT_EQ(files.a(), "content of a\n") << line;
    EXPECT_EQ(files.b(), "content of b\n") << line;
  }
}

// Whom a shell has opened is left out.
TEST(ViewEnds, NoFileIsWrittenToItselfByAShell) {
  const TwoFiles files;
  const std::string cd = "cd " + files.scratch.path().string() + " && ";
  for (const char* line : {"$P view a b >> a", "$P view b a >> a", "$P view b - < a >> a"}) {
    files.refill();
    ShellLine shell(cd + line);
    EXPECT_EQ(shell.wait(), 4) << line;
    EXPECT_EQ(files.a(), "content of a\ncontent of b\n") << line;
    EXPECT_NE(shell.err().find(" is the output, too: it is left out"), std::string::npos);
  }
  ShellLine emptied(cd + "$P view a > a");
  EXPECT_EQ(emptied.wait(), 4) << "it can still be said";
  ShellLine fifo(cd + "mkfifo f && $P view <> f >&0");
  EXPECT_EQ(fifo.wait(), 4) << "it would never end";
}

// A file system of our own, in a mount namespace of our own.
TEST(ViewEnds, NoFileOfAnOverlayIsWrittenToItself) {
  const ScratchDirectory scratch;
  for (const char* name : {"lower", "rest", "all"}) fs::create_directory(scratch.file(name));
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", scratch.file("rest").c_str(), "tmpfs", 0, nullptr) != 0)
    GTEST_SKIP() << "mounting needs root";
  for (const char* name : {"rest/upper", "rest/work"}) fs::create_directory(scratch.file(name));
  scratch.put("lower/a", "content of a\n");
  const std::string options = "lowerdir=" + scratch.file("lower") +
                              ",upperdir=" + scratch.file("rest/upper") +
                              ",workdir=" + scratch.file("rest/work");
  if (::mount("none", scratch.file("all").c_str(), "overlay", 0, options.c_str()) != 0)
    GTEST_SKIP() << "no overlay here: " << std::strerror(errno);
  Program view({"view", scratch.file("all/a"), "-o", scratch.file("all/a")});
  EXPECT_EQ(view.wait(), 4) << view.err();
  EXPECT_EQ(content_of(scratch.file("all/a")), "content of a\n");
  ::umount(scratch.file("all").c_str());
  ::umount(scratch.file("rest").c_str());
}

TEST(ViewEnds, AStartThatFailsLeavesTheOldOutput) {
  const TwoFiles files;
  const std::string out = files.scratch.file("b"), none = files.scratch.file("none");
  Program missing({"view", files.scratch.file("c"), "-o", out});
  EXPECT_EQ(missing.wait(), 2);
  Program without_size({"view", "-s", "@/dev/null", files.scratch.file("a"), "-o", out});
  EXPECT_EQ(without_size.wait(), 1);
  Program no_pid_file({"view", "-P", "/", files.scratch.file("a"), "-o", out});
  EXPECT_EQ(no_pid_file.wait(), 1);
  EXPECT_EQ(files.b(), "content of b\n");
  Program nothing({"view", files.scratch.file("c"), "-o", none});
  EXPECT_EQ(nothing.wait(), 2);
  EXPECT_FALSE(fs::exists(none));
}

TEST(ViewEnds, TheOldContentOfTheOutputGoes) {
  const TwoFiles files;
  files.scratch.put("b", "something that is longer than the other one\n");
  Program view({"view", files.scratch.file("a"), "-o", files.scratch.file("b")});
  EXPECT_EQ(view.wait(), 0) << view.err();
  EXPECT_EQ(files.b(), files.a());
  Program empty({"view", "/dev/null", "-o", files.scratch.file("b")});
  EXPECT_EQ(empty.wait(), 0) << empty.err();
  EXPECT_EQ(files.b(), "");
}

TEST(ViewEnds, RootGoesWhereNobodyElseHasLedIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of several users";
  const TwoFiles files;
  const std::string shared = files.scratch.file("shared"), link = shared + "/link";
  fs::create_directory(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  fs::create_symlink(files.scratch.file("b"), link);
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  Program view({"view", files.scratch.file("a"), "-o", link});
  EXPECT_EQ(view.wait(), 3);
  EXPECT_NE(view.err().find("a link of user 65534 in a directory that others can change"),
            std::string::npos)
      << view.err();
  EXPECT_EQ(files.b(), "content of b\n");
}

TEST(ViewEnds, UnderSudoTheOutputIsTheUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be called by sudo";
  const TwoFiles files;
  const std::string theirs = files.scratch.file("theirs");
  ASSERT_EQ(::chmod(files.scratch.path().c_str(), 0755), 0);
  fs::create_directory(theirs);
  ASSERT_EQ(::chown(theirs.c_str(), 65534, 65534), 0);
  ShellLine view("export SUDO_UID=65534 SUDO_GID=65534; $P view " + files.scratch.file("a") +
                 " -P " + theirs + "/pid -o " + theirs + "/out");
  EXPECT_EQ(view.wait(), 0) << view.err();
  struct stat status {};
  ASSERT_EQ(::stat((theirs + "/out").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_FALSE(fs::exists(theirs + "/pid"));
  ShellLine ours("export SUDO_UID=65534 SUDO_GID=65534; $P view " + files.scratch.file("a") +
                 " -o " + files.scratch.file("out"));
  EXPECT_NE(ours.wait(), 0);
  EXPECT_NE(ours.err().find("for user 65534, who started pipetop as root"), std::string::npos)
      << ours.err();
}

// An error of an input is its own, whatever its name begins with.
TEST(ViewEnds, AnInputThatFailsDoesntEndTheOthers) {
  const TwoFiles files;
  const std::string out = files.scratch.file("out");
  fs::create_symlink("/proc/self/mem", files.scratch.file("out of order"));
  Program view({"view", files.scratch.file("out of order"), files.scratch.file("a"), "-o", out});
  EXPECT_EQ(view.wait(), 16);
  EXPECT_EQ(view.err(),
            "pipetop: " + files.scratch.file("out of order") + ": Input/output error\n");
  EXPECT_EQ(content_of(out), files.a());
}

TEST(ViewEnds, ADirectoryIsTheSameErrorAnyway) {
  ShellLine stdin_is_one("$P view < /");
  EXPECT_EQ(stdin_is_one.wait(), 2);
  EXPECT_EQ(stdin_is_one.err(), "pipetop: stdin: Is a directory\n");
}

// ---- the file of our pid ----

TEST(ViewPidFile, IsARegularFileOfItsOwn) {
  const TwoFiles files;
  for (const std::string name : {"-", "/dev/null", "/dev/stdout"}) {
    Program view({"view", "-P", name, files.scratch.file("a")});
    EXPECT_EQ(view.wait(), 1) << name;
    EXPECT_EQ(view.out(), "");
    EXPECT_NE(view.err().find("--pidfile " + name + ": that is no regular file: give the name"),
              std::string::npos)
        << view.err();
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(ViewPidFile, GoesHoweverWeEnd) {
  const ScratchDirectory scratch;
  const std::string name = scratch.file("pid"), link = scratch.file("link");
  fs::create_symlink("pid", link);
  for (const int number : {0, SIGTERM, SIGINT, SIGHUP, SIGXCPU}) {
    scratch.put("pid", "of an earlier one");
    TwoEnds in = make_pipe();
    Stage view({"-P", link}, in.read.get(), null_out().get());
    ASSERT_TRUE(eventually([&] { return content_of(name) == std::to_string(view.pid()) + "\n"; }));
    in.read.reset();
    if (number == 0)
      in.write.reset();
    else
      ::kill(view.pid(), number);
    EXPECT_EQ(view.wait(), -number);
    EXPECT_FALSE(fs::exists(name)) << number;
    EXPECT_TRUE(fs::is_symlink(link)) << number;
  }
}

TEST(ViewPidFile, WhatIsInItsPlaceStays) {
  const ScratchDirectory scratch;
  TwoEnds in = make_pipe();
  Stage view({"-P", scratch.file("pid")}, in.read.get(), null_out().get());
  ASSERT_TRUE(eventually([&] { return fs::exists(scratch.file("pid")); }));
  scratch.put("other", "another's");
  fs::rename(scratch.file("other"), scratch.file("pid"));
  in.write.reset();
  EXPECT_EQ(view.wait(), 0);
  EXPECT_EQ(content_of(scratch.file("pid")), "another's");
}

// ---- ends that nothing may wait for with a pipe's lock held ----

TwoEnds make_tcp() {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), any, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), any, &size), 0);
  TwoEnds ends;
  ends.write.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(ends.write.get(), any, size), 0);
  ends.read.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return ends;
}

TwoEnds make_packets() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

struct Channel {
  const char* name;
  TwoEnds (*make)();
};
const Channel kChannels[] = {{"unix", make_sockets},
                             {"packets", make_packets},
                             {"tcp", make_tcp},
                             {"terminal", make_raw_terminal}};

// What a pipe has given to a thread that reads it; the pipe's lock may make it wait.
class Reader {
 public:
  explicit Reader(UniqueFd fd)
      : thread_([this, fd = std::move(fd)] {
          char some[1000];
          for (ssize_t got = 1; got > 0; bytes_ += got) got = ::read(fd.get(), some, sizeof some);
        }) {}
  ssize_t bytes() const { return bytes_; }

 private:
  std::atomic<ssize_t> bytes_ = 0;
  std::jthread thread_;
};

TEST(ViewWaits, AReaderBehindItHasEachLineAtOnce) {
  for (const Channel& channel : kChannels) {
    for (const Words& words : {Words{}, Words{"-C"}}) {
      SCOPED_TRACE(channel.name);
      TwoEnds in = channel.make(), out = make_pipe();
      Stage view(words, in.read.get(), out.write.get());
      const Reader reader(std::move(out.read));
      for (ssize_t line = 1; line <= 20; ++line) {
        ASSERT_EQ(::write(in.write.get(), "12345", 5), 5);
        EXPECT_TRUE(eventually([&] { return reader.bytes() == 5 * line; },
                               [] { ::poll(nullptr, 0, 1); }, kReadingPatience_ns))
            << "line " << line;
        if (HasFailure()) break;
      }
      // While it waits for more, others can write to the pipe.
      const std::jthread other([&] { EXPECT_EQ(::write(out.write.get(), "x", 1), 1); });
      EXPECT_TRUE(eventually([&] { return reader.bytes() == 101; }));
      ::kill(view.pid(), SIGKILL);
      EXPECT_EQ(view.wait(), -SIGKILL);
      in.write.reset();
      out.write.reset();
    }
  }
}

TEST(ViewWaits, ItsOwnPipeIsNotCalledLocked) {
  TwoEnds in = make_sockets(), out = make_pipe();
  Stage view({}, in.read.get(), out.write.get());
  const auto call = "/proc/" + std::to_string(view.pid()) + "/wchan";
  ASSERT_TRUE(eventually([&] { return content_of(call).starts_with("unix_stream"); }));
  Program watch({"watch", "--once", "--no-bpf"});
  EXPECT_EQ(watch.wait(), 0) << watch.err();
  EXPECT_EQ(watch.out().find("a splice of " + std::to_string(view.pid())), std::string::npos)
      << watch.out();
}

TEST(ViewWaits, AWriterBeforeItIsNotLockedOut) {
  for (const Channel& channel : kChannels) {
    if (channel.make == make_packets) continue;  // too large for one
    SCOPED_TRACE(channel.name);
    TwoEnds in = make_pipe(), out = channel.make();
    Stage view({}, in.read.get(), out.write.get());
    std::atomic<bool> is_full = false;
    // More than all of them hold; nobody reads.
    const std::string much(32 << 20, 'x');
    ASSERT_EQ(::fcntl(in.write.get(), F_SETFL, O_NONBLOCK), 0);
    const std::jthread writer([&] {
      size_t at = 0;
      for (int refused = 0; refused < 100 && at < much.size();) {
        const ssize_t done = ::write(in.write.get(), much.data(), 4096);
        refused = done < 0 ? refused + 1 : 0;
        if (done < 0) ::poll(nullptr, 0, 1);
        if (done > 0) at += size_t(done);
      }
      is_full = true;
    });
    EXPECT_TRUE(eventually([&] { return is_full.load(); }, [] { ::poll(nullptr, 0, 5); },
                           kReadingPatience_ns));
    ::kill(view.pid(), SIGKILL);
    EXPECT_EQ(view.wait(), -SIGKILL);
    out.read.reset();
  }
}

TEST(ViewWaits, AnEventCounterPassesAsRead) {
  const UniqueFd events(::eventfd(0, EFD_CLOEXEC));
  TwoEnds out = make_pipe();
  Stage view({}, events.get(), out.write.get());
  for (const uint64_t count : {uint64_t{3}, uint64_t{4}}) {
    ASSERT_EQ(::write(events.get(), &count, sizeof count), ssize_t(sizeof count));
    uint64_t got = 0;
    ASSERT_EQ(::read(out.read.get(), &got, sizeof got), ssize_t(sizeof got));
    EXPECT_EQ(got, count);
  }
}

// ---- system calls that fail ----

struct Transfer {
  const char *before, *arguments, *after;  // of a shell, from the file in to the file out
};
const Transfer kTransfers[] = {{"", "in", "> out"},
                               {"", "in", "| cat > out"},
                               {"cat in |", "", "| cat > out"},
                               {"", "in -o out", ""},
                               {"", "-C in", "> out"}};

// Bytes whole, or a part and an error that is named; the status says which.
TEST(ViewFaults, NothingIsLostSilently) {
  const ScratchDirectory scratch;
  const std::string content = random_bytes(700'001);
  scratch.put("in", content);
  for (const Transfer& transfer : kTransfers) {
    for (const std::string call : {"splice", "copy_file_range", "read", "write", "poll", "pipe2",
                                   "fadvise64", "timer_create"}) {
      for (const std::string when : {"2", "1+"}) {
        if (call == "write" && when == "1+") continue;  // nor could it be said
        // The loader reads, too.
        const std::string file = call == "read" ? "-P " + scratch.file("in") : "";
        // Leaks can't be looked for in what is traced.
        const std::string line = fmt::format(
            "cd {}; rm -f out; {} {{ ASAN_OPTIONS=detect_leaks=0 strace -o trace {} -e "
            "inject={}:error=ENOMEM:when={} $P view "
            "{} ; echo $? > status; }} {}",
            scratch.path().string(), transfer.before, file, call, when, transfer.arguments,
            transfer.after);
        ShellLine shell(line);
        shell.wait();
        const int status = std::stoi(content_of(scratch.file("status")));
        const std::string out = content_of(scratch.file("out"));
        EXPECT_TRUE(out == content.substr(0, out.size())) << line;
        EXPECT_EQ(status == 0, out.size() == content.size()) << line;
        EXPECT_EQ(status != 0, shell.err().find("Cannot allocate memory") != std::string::npos)
            << line << "\n"
            << shell.err();
        // What they can't do, read and write can, and the data flows without a timer.
        if (call != "read" && call != "write") {
          EXPECT_EQ(status, 0) << line << "\n" << shell.err();
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipetop::tui

// Where the time of other people's threads goes, for processes whose truth is known.
#include <linux/futex.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/observe/tests/stage_fixture.h"

namespace pipetop::observe {
namespace {

using StageTimes = Stages;

char buffer[65536];

// A system call that sleeps at one end of a pipe.
struct DataCall {
  const char* name;
  bool writing;
  // At that end; `other` is a pipe with data and room, `file` one with data.
  void (*call)(const TestPipe& pipe, const TestPipe& other, int file);
};

void PrintTo(const DataCall& call, std::ostream* out) { *out << call.name; }

iovec whole() { return {buffer, sizeof buffer}; }

constexpr std::array kDataCalls = {
    DataCall{
        "read", false,
        [](const TestPipe& pipe, const TestPipe&, int) { (void)!read(pipe.out.get(), buffer, 1); }},
    DataCall{"readv", false,
             [](const TestPipe& pipe, const TestPipe&, int) {
               const iovec to = whole();
               (void)!readv(pipe.out.get(), &to, 1);
             }},
    DataCall{"vmsplice_out", false,
             [](const TestPipe& pipe, const TestPipe&, int) {
               const iovec to = whole();
               vmsplice(pipe.out.get(), &to, 1, 0);
             }},
    DataCall{"splice_to_file", false,
             [](const TestPipe& pipe, const TestPipe&, int file) {
               splice(pipe.out.get(), nullptr, file, nullptr, 4096, 0);
             }},
    DataCall{"splice_from_pipe", false,
             [](const TestPipe& pipe, const TestPipe& other, int) {
               splice(pipe.out.get(), nullptr, other.in.get(), nullptr, 4096, 0);
             }},
    DataCall{"tee_from_pipe", false,
             [](const TestPipe& pipe, const TestPipe& other, int) {
               tee(pipe.out.get(), other.in.get(), 4096, 0);
             }},
    DataCall{"write", true,
             [](const TestPipe& pipe, const TestPipe&, int) {
               (void)!write(pipe.in.get(), buffer, 4096);
             }},
    DataCall{"writev", true,
             [](const TestPipe& pipe, const TestPipe&, int) {
               const iovec from = whole();
               (void)!writev(pipe.in.get(), &from, 1);
             }},
    DataCall{"vmsplice_in", true,
             [](const TestPipe& pipe, const TestPipe&, int) {
               const iovec from = whole();
               vmsplice(pipe.in.get(), &from, 1, 0);
             }},
    DataCall{"splice_from_file", true,
             [](const TestPipe& pipe, const TestPipe&, int file) {
               off_t at = 0;
               splice(file, &at, pipe.in.get(), nullptr, 4096, 0);
             }},
    DataCall{"splice_to_pipe", true,
             [](const TestPipe& pipe, const TestPipe& other, int) {
               splice(other.out.get(), nullptr, pipe.in.get(), nullptr, 1, 0);
             }},
    DataCall{"tee_to_pipe", true,
             [](const TestPipe& pipe, const TestPipe& other, int) {
               tee(other.out.get(), pipe.in.get(), 1, 0);
             }},
    DataCall{"sendfile", true,
             [](const TestPipe& pipe, const TestPipe&, int file) {
               off_t at = 0;
               sendfile(pipe.in.get(), file, &at, 4096);
             }},
};

class StageDataCalls : public Stages, public testing::WithParamInterface<DataCall> {};

UniqueFd file_with_data() {
  UniqueFd file(memfd_create("pipetop-test", MFD_CLOEXEC));
  (void)!write(file.get(), buffer, sizeof buffer);
  return file;
}

TEST_P(StageDataCalls, SleepsInTheirPipe) {
  const TestPipe pipe, other;
  const UniqueFd file = file_with_data();
  const bool writing = GetParam().writing;
  if (writing) pipe.fill();
  other.put(5000);
  const TestPipe go;
  const ForeignProcess process([&] {
    (void)!read(go.out.get(), buffer, 1);
    GetParam().call(pipe, other, file.get());
  });
  watch({process.pid()}, {&pipe, &other});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read));
  go.put(1);
  const WaitsFor wait = writing ? WaitsFor::pipe_write : WaitsFor::pipe_read;
  EXPECT_TRUE(comes_to_wait(process.pid(), wait, pipe.id)) << "as it goes to sleep";
  watch({}, {});
  watch({process.pid()}, {&pipe, &other});
  EXPECT_TRUE(comes_to_wait(process.pid(), wait, pipe.id)) << "when it is asleep already";
}

INSTANTIATE_TEST_SUITE_P(Each, StageDataCalls, testing::ValuesIn(kDataCalls),
                         [](const auto& call) { return std::string(call.param.name); });

// A wait that needs no pipe.
struct OtherWait {
  const char* name;
  WaitsFor wait;
  void (*call)();
};

void PrintTo(const OtherWait& wait, std::ostream* out) { *out << wait.name; }

void sleep_until_parent_goes() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

// A terminal of its own, whose other side is left open; -1 without any.
int open_terminal() {
  const int control = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (control < 0 || grantpt(control) != 0 || unlockpt(control) != 0) return -1;
  return open(ptsname(control), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

bool has_terminals() {
  const UniqueFd terminal(open_terminal());
  return bool(terminal);
}

void read_socket(bool by_recv) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(1);
  if (by_recv)
    recv(ends[0], buffer, 1, 0);
  else
    (void)!read(ends[0], buffer, 1);
}

constexpr std::array kOtherWaits = {
    OtherWait{"sleep", WaitsFor::sleep, [] { sleep(1000); }},
    OtherWait{"poll", WaitsFor::poll, [] { ::poll(nullptr, 0, -1); }},
    OtherWait{"futex", WaitsFor::lock,
              [] {
                static uint32_t word = 0;
                syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
              }},
    OtherWait{"pause", WaitsFor::signal, [] {}},
    OtherWait{"wait", WaitsFor::child,
              [] {
                if (fork() == 0) sleep_until_parent_goes();
                waitpid(-1, nullptr, 0);
              }},
    OtherWait{"vfork", WaitsFor::child,
              [] {
                if (vfork() == 0) sleep_until_parent_goes();
              }},
    OtherWait{"socket_read", WaitsFor::network, [] { read_socket(false); }},
    OtherWait{"socket_recv", WaitsFor::network, [] { read_socket(true); }},
    OtherWait{"terminal", WaitsFor::terminal, [] { (void)!read(open_terminal(), buffer, 1); }},
};

class StageOtherWaits : public Stages, public testing::WithParamInterface<OtherWait> {};

TEST_P(StageOtherWaits, AreNamed) {
  if (GetParam().wait == WaitsFor::terminal && !has_terminals()) GTEST_SKIP() << "no terminals";
  const TestPipe go;
  const ForeignProcess process([&] {
    (void)!read(go.out.get(), buffer, 1);
    GetParam().call();
  });
  watch({process.pid()}, {});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read));
  go.put(1);
  EXPECT_TRUE(comes_to_wait(process.pid(), GetParam().wait)) << "as it goes to sleep";
  watch({}, {});
  watch({process.pid()}, {});
  EXPECT_TRUE(comes_to_wait(process.pid(), GetParam().wait)) << "when it is asleep already";
}

INSTANTIATE_TEST_SUITE_P(Each, StageOtherWaits, testing::ValuesIn(kOtherWaits),
                         [](const auto& wait) { return std::string(wait.param.name); });

// Writers of one file wait for each other, uninterruptibly.
TEST_F(StageTimes, WhatCannotBeInterruptedIsTheDisk) {
  const std::string path = std::filesystem::temp_directory_path() / "pipetop-stage-times-test";
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  unlink(path.c_str());
  const std::string block(1 << 20, 'x');
  const auto write_block = [&] { (void)!pwrite(file.get(), block.data(), block.size(), 0); };
  const BusyChild one(write_block), two(write_block), three(write_block);
  watch({one.pid(), two.pid(), three.pid()}, {});
  EXPECT_TRUE(eventually([&] { return wait_ns(times(one.pid()), WaitsFor::disk) > 0; }));
}

// Whoever holds the mutex copies, and may have to give up its CPU meanwhile.
TEST_F(StageTimes, TheMutexOfAPipeIsALockAndNotTheDisk) {
  if (cpus_of(getpid()).size() < 2) GTEST_SKIP() << "on one CPU, nobody waits for the mutex";
  const TestPipe pipe(O_NONBLOCK);
  ASSERT_GT(fcntl(pipe.in.get(), F_SETPIPE_SZ, 1 << 20), 0);
  const auto move = [&] {
    static std::string block(1 << 20, 'x');
    (void)!write(pipe.in.get(), block.data(), block.size());
    (void)!read(pipe.out.get(), block.data(), block.size());
  };
  const BusyChild one(move), two(move), three(move), four(move);
  watch({one.pid(), two.pid(), three.pid(), four.pid()}, {&pipe});
  EXPECT_TRUE(eventually([&] { return wait_ns(times(one.pid()), WaitsFor::lock) > 0; }));
  EXPECT_EQ(wait_ns(times(one.pid()), WaitsFor::disk), 0u);
}

TEST_F(StageTimes, ABusyLoopRuns) {
  const BusyChild child([] {});
  ASSERT_TRUE(eventually([&] { return child.is_under_way(); }));
  watch({child.pid()}, {});
  const ThreadTimes before = times(child.pid());
  ThreadTimes after;
  EXPECT_TRUE(eventually([&] {
    after = times(child.pid());
    return after.on_cpu_ns > before.on_cpu_ns + 50'000'000;
  }));
  EXPECT_EQ(after.on_cpu_ns - before.on_cpu_ns + after.runnable_ns - before.runnable_ns,
            after.wall_ns - before.wall_ns);
  EXPECT_EQ(after.sleeps, before.sleeps);
  EXPECT_TRUE(after.running || after.runnable);
  EXPECT_EQ(after.now, WaitsFor::none);
}

void stop_and_wait(pid_t pid) {
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  ASSERT_EQ(waitpid(pid, nullptr, WUNTRACED), pid);
}

TEST_F(StageTimes, AStoppedProcessIsStopped) {
  const BusyChild child([] {});
  watch({child.pid()}, {});
  stop_and_wait(child.pid());
  EXPECT_TRUE(comes_to_wait(child.pid(), WaitsFor::stopped));
  const uint64_t stopped_ns = wait_ns(times(child.pid()), WaitsFor::stopped);
  ASSERT_EQ(kill(child.pid(), SIGCONT), 0);
  EXPECT_TRUE(eventually([&] {
    const ThreadTimes now = times(child.pid());
    return now.now == WaitsFor::none && wait_ns(now, WaitsFor::stopped) >= stopped_ns;
  }));
}

TEST_F(StageTimes, OneThatWasStoppedBeforeIsStopped) {
  const BusyChild child([] {});
  stop_and_wait(child.pid());
  watch({child.pid()}, {});
  EXPECT_TRUE(comes_to_wait(child.pid(), WaitsFor::stopped));
}

TEST_F(StageTimes, AfterAStopTheReadGoesOn) {
  const TestPipe pipe;
  const ForeignProcess process([&] { (void)!read(pipe.out.get(), buffer, 1); });
  watch({process.pid()}, {&pipe});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, pipe.id));
  stop_and_wait(process.pid());
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::stopped));
  ASSERT_EQ(kill(process.pid(), SIGCONT), 0);
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, pipe.id));
}

// These go on in another system call, restart_syscall.
TEST_F(StageTimes, AfterAStopTheSleepGoesOn) {
  const ForeignProcess sleeper([] { sleep(1000); });
  const ForeignProcess poller([] { ::poll(nullptr, 0, 1'000'000); });
  watch({sleeper.pid(), poller.pid()}, {});
  const std::array waits = {std::pair(&sleeper, WaitsFor::sleep),
                            std::pair(&poller, WaitsFor::poll)};
  for (const auto& [process, wait] : waits) {
    EXPECT_TRUE(comes_to_wait(process->pid(), wait));
    stop_and_wait(process->pid());
    EXPECT_TRUE(comes_to_wait(process->pid(), WaitsFor::stopped));
    ASSERT_EQ(kill(process->pid(), SIGCONT), 0);
    EXPECT_TRUE(comes_to_wait(process->pid(), wait));
  }
}

// A sleep that began before it was watched.
TEST_F(StageTimes, WhatItWaitsForIsKnownFromTheBeginning) {
  const TestPipe pipe, go;
  const ForeignProcess process([&] {
    (void)!write(go.in.get(), "x", 1);
    (void)!read(pipe.out.get(), buffer, 1);
  });
  char c;
  ASSERT_EQ(read(go.out.get(), &c, 1), 1);
  watch({process.pid()}, {&pipe});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, pipe.id));
  const ThreadTimes asleep = times(process.pid());
  pipe.put(1);
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::signal));
  EXPECT_GE(pipe_ns(times(process.pid()), pipe.id, false), pipe_ns(asleep, pipe.id, false));
}

TEST_F(StageTimes, OneThatIsNotWatchedIsAPipeAllTheSame) {
  const TestPipe pipe;
  pipe.fill();
  const ForeignProcess reader([&] {
    const TestPipe own;
    (void)!read(own.out.get(), buffer, 1);
  });
  const ForeignProcess writer([&] { (void)!write(pipe.in.get(), buffer, 1); });
  watch({reader.pid(), writer.pid()}, {});
  EXPECT_TRUE(comes_to_wait(reader.pid(), WaitsFor::pipe_read));
  EXPECT_TRUE(comes_to_wait(writer.pid(), WaitsFor::pipe_write));
}

// It was asleep in it when it began to be watched.
TEST_F(StageTimes, APipeThatIsWatchedLaterIsFoundByItsInode) {
  const TestPipe pipe;
  const ForeignProcess process([&] { (void)!read(pipe.out.get(), buffer, 1); });
  watch({process.pid()}, {});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read));
  watch({process.pid()}, {&pipe});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, pipe.id));
}

// The same with a name, and the descriptor isn't known to anybody: it was opened since.
TEST_F(StageTimes, AFifoIsAPipe) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pipetop-test-fifo-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  TestPipe fifo;
  fifo.out = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  fifo.in = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status = {};
  ASSERT_EQ(fstat(fifo.out.get(), &status), 0);
  fifo.id = id_of(status);
  const ForeignProcess process([&] {
    const UniqueFd own(open(path.c_str(), O_RDWR));
    (void)!read(own.get(), buffer, 1);
  });
  watch({process.pid()}, {});
  EXPECT_TRUE(eventually([&] { return times(process.pid()).now != WaitsFor::none; }));
  watch({process.pid()}, {&fifo});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, fifo.id));
  unlink(path.c_str());
}

// A process with a thread that does something, and a first one that pauses.
class TwoThreads {
 public:
  explicit TwoThreads(void (*body)(const TestPipe&), const TestPipe& pipe)
      : process_([body, &pipe] { std::thread([body, &pipe] { body(pipe); }).detach(); }) {
    EXPECT_TRUE(eventually([&] { return threads_of(pid()).size() == 2; }));
    second_ = threads_of(pid()).back();
  }
  pid_t pid() const { return process_.pid(); }
  pid_t second() const { return second_; }

 private:
  ForeignProcess process_;
  pid_t second_ = 0;
};

TEST_F(StageTimes, ThreadsAreToldApart) {
  const TestPipe pipe;
  const TwoThreads process([](const TestPipe& own) { (void)!read(own.out.get(), buffer, 1); },
                           pipe);
  watch({process.pid()}, {&pipe});
  EXPECT_TRUE(comes_to_wait(process.second(), WaitsFor::pipe_read, pipe.id));
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::signal));
  EXPECT_EQ(times(process.second()).process, id_of_process(process.pid()));
}

TEST_F(StageTimes, ANewThreadIsFoundWhenItIsGiven) {
  const TestPipe pipe, go;
  const ForeignProcess process([&] {
    (void)!read(go.out.get(), buffer, 1);
    std::thread([&] { (void)!read(pipe.out.get(), buffer, 1); }).detach();
  });
  watch({process.pid()}, {&pipe, &go});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, go.id));
  go.put(1);
  ASSERT_TRUE(eventually([&] { return threads_of(process.pid()).size() == 2; }));
  const pid_t second = threads_of(process.pid()).back();
  const uint64_t before_ns = pipe_ns(times(process.pid()), go.id, false);
  watch({process.pid()}, {&pipe, &go});
  EXPECT_TRUE(comes_to_wait(second, WaitsFor::pipe_read, pipe.id));
  EXPECT_GE(pipe_ns(times(process.pid()), go.id, false), before_ns) << "it keeps its counts";
}

// Often the first one is still running when it loses its number to the other: both get a CPU at
// once.
TEST_F(StageTimes, AThreadThatExecsTakesTheFirstOnesPlace) {
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const TestPipe pipe, go;
    const ForeignProcess process([&] {
      const sched_param urgent = {1};
      sched_setscheduler(0, SCHED_FIFO, &urgent);
      std::thread([&] {
        (void)!read(go.out.get(), buffer, 1);
        dup2(pipe.out.get(), STDIN_FILENO);
        execl("/bin/sh", "sh", "-c", "exec head -c 1", nullptr);
      }).detach();
    });
    ASSERT_TRUE(eventually([&] { return threads_of(process.pid()).size() == 2; }));
    watch({process.pid()}, {&pipe});
    EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::signal));
    go.put(1);
    EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read, pipe.id));
  }
}

// Two that wait for each other all the time, in more than they have places for.
TEST_F(StageTimes, NoTimeIsLostNorCountedTwice) {
  constexpr size_t kPipes = 12;
  std::array<TestPipe, kPipes> pipes;
  const BusyChild writer([&] {
    for (const TestPipe& pipe : pipes) {
      (void)!write(pipe.in.get(), buffer, 1);
      usleep(500);
    }
  });
  const BusyChild reader([&] {
    for (const TestPipe& pipe : pipes) (void)!read(pipe.out.get(), buffer, 1);
  });
  watch({writer.pid(), reader.pid()}, {&pipes[0], &pipes[1]});
  times(writer.pid());
  const uint64_t earliest_ns = monotonic_ns();
  const ThreadTimes before = times(reader.pid());
  const uint64_t early_ns = monotonic_ns();
  ThreadTimes after;
  EXPECT_TRUE(eventually([&] {
    after = times(reader.pid());
    return after.sleeps > before.sleeps + 200;
  }));
  const uint64_t latest_ns = monotonic_ns();
  EXPECT_GE(after.wall_ns - before.wall_ns, after.sleeps - before.sleeps);
  EXPECT_LE(after.wall_ns - before.wall_ns, latest_ns - earliest_ns);
  EXPECT_LE(early_ns, latest_ns);
  uint64_t sum = after.on_cpu_ns + after.runnable_ns;
  for (const uint64_t ns : after.wait_ns) sum += ns;
  EXPECT_EQ(sum, after.wall_ns);
  EXPECT_GT(pipe_ns(after, pipes[0].id, false), pipe_ns(before, pipes[0].id, false));
  EXPECT_EQ(pipe_ns(after, pipes[0].id, true), 0u);
}

TEST_F(StageTimes, OneThatExitsKeepsItsTimesUntilItIsNoLongerGiven) {
  const TestPipe pipe;
  ForeignProcess process([&] { (void)!read(pipe.out.get(), buffer, 1); });
  std::vector<ScannedTask> tasks(1);
  tasks[0].process = process.id();
  tasks[0].tid = process.pid();
  observer_->watch(tasks, {});
  EXPECT_TRUE(comes_to_wait(process.pid(), WaitsFor::pipe_read));
  const pid_t tid = process.pid();
  const ThreadTimes before = times(tid);
  process.end();
  // Its last switch comes after its parent has been told.
  ThreadTimes last;
  EXPECT_TRUE(eventually([&] {
    last = times(tid);
    ::poll(nullptr, 0, 10);
    return times(tid).wall_ns == last.wall_ns;
  }));
  EXPECT_GE(wait_ns(last, WaitsFor::pipe_read), wait_ns(before, WaitsFor::pipe_read));
  EXPECT_FALSE(last.running || last.runnable);
  EXPECT_EQ(last.now, WaitsFor::none);
  observer_->watch(tasks, {});
  EXPECT_EQ(times(tid).wall_ns, last.wall_ns);
  observer_->watch({}, {});
  EXPECT_TRUE(observer_->times(monotonic_ns()).empty());
}

TEST_F(StageTimes, AnotherProcessWithTheNumberIsNotFollowed) {
  const ForeignProcess process;
  std::vector<ScannedTask> tasks(1);
  tasks[0].process = process.id();
  ++tasks[0].process.start_ticks;
  tasks[0].tid = process.pid();
  observer_->watch(tasks, {});
  ::poll(nullptr, 0, 30);
  EXPECT_TRUE(observer_->times(monotonic_ns()).empty());
}

TEST_F(StageTimes, WhatIsTooMuchIsCounted) {
  std::vector<ScannedTask> tasks(StageObserver::kMostThreads + 3);
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].process = {getpid(), 1};
    tasks[i].tid = static_cast<pid_t>(i + 1);
  }
  std::vector<ScannedPipe> pipes(StageObserver::kMostPipes + 2);
  for (size_t i = 0; i < pipes.size(); ++i) pipes[i].id = {1, i + 1};
  observer_->watch(tasks, pipes);
  EXPECT_EQ(observer_->dropped(), 5u);
  observer_->watch({}, {});
  EXPECT_EQ(observer_->dropped(), 0u);
}

// Descriptors of links and events that this process has.
size_t attached() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string name = std::filesystem::read_symlink(entry.path(), gone);
    count += name.find("perf_event") != name.npos || name.find("bpf_link") != name.npos ||
             name.find("bpf-perf-link") != name.npos;
  }
  return count;
}

TEST_F(StageTimes, NothingIsAttachedWhenNothingIsWatched) {
  observer_->watch({}, {});
  const size_t before = attached();
  const TestPipe pipe;
  watch({getpid()}, {&pipe});
  EXPECT_GT(attached(), before);
  watch({}, {});
  EXPECT_EQ(attached(), before);
}

}  // namespace
}  // namespace pipetop::observe

// Exact bytes of other people's system calls, against transfers that are known.
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include "engine/observe/tests/stage_fixture.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {
namespace {

using StageBytes = Stages;

char storage[1 << 16];

// A process that does something when it is told to, and then waits to be told again.
class Servant {
 public:
  explicit Servant(const std::function<void()>& work)
      : process_([&] {
          char c;
          while (read(orders_.out.get(), &c, 1) == 1) {
            work();
            (void)!write(answers_.in.get(), "x", 1);
          }
        }) {}

  pid_t pid() const { return process_.pid(); }
  ProcessId id() const { return process_.id(); }
  void work() const {
    char c;
    ASSERT_EQ(write(orders_.in.get(), "x", 1), 1);
    ASSERT_EQ(read(answers_.out.get(), &c, 1), 1);
  }

 private:
  TestPipe orders_, answers_;
  ForeignProcess process_;
};

using End = std::tuple<ProcessId, int, bool>;                      // writing
using BytesOfEnds = std::map<End, std::pair<uint64_t, uint64_t>>;  // bytes, calls

// Through these pipes: a servant has others, for its orders.
std::vector<EndBytes> bytes_through(StageObserver& observer,
                                    std::initializer_list<const TestPipe*> pipes) {
  std::vector<EndBytes> ends = observer.take_bytes();
  std::erase_if(ends, [&](const EndBytes& end) {
    return std::ranges::find(pipes, end.pipe, &TestPipe::id) == pipes.end();
  });
  return ends;
}

BytesOfEnds counted(StageObserver& observer, std::initializer_list<const TestPipe*> pipes) {
  BytesOfEnds all;
  for (const EndBytes& end : bytes_through(observer, pipes))
    all[{end.process, end.fd, end.writing}] = {end.bytes, end.calls};
  return all;
}

UniqueFd data_file() {
  UniqueFd file(memfd_create("pipetop-test", MFD_CLOEXEC));
  (void)!write(file.get(), storage, sizeof storage);
  return file;
}

TEST_F(StageBytes, ReadsAndWritesAreExact) {
  const TestPipe pipe;
  const Servant servant([&] {
    const iovec parts[] = {{storage, 100}, {storage, 11}};
    (void)!write(pipe.in.get(), storage, 1000);
    (void)!writev(pipe.in.get(), parts, 2);
    (void)!read(pipe.out.get(), storage, 1);
    (void)!readv(pipe.out.get(), parts, 2);
    (void)!read(pipe.out.get(), storage, sizeof storage);
  });
  watch({servant.pid()}, {&pipe});
  observer_->count_bytes(true);
  servant.work();
  EXPECT_EQ(counted(*observer_, {&pipe}),
            (BytesOfEnds{{{servant.id(), pipe.out.get(), false}, {1111, 3}},
                         {{servant.id(), pipe.in.get(), true}, {1111, 2}}}));
  EXPECT_TRUE(counted(*observer_, {&pipe}).empty()) << "since the last time";
  servant.work();
  EXPECT_EQ(counted(*observer_, {&pipe}).size(), 2u);
}

TEST_F(StageBytes, CallsThatMovePagesAreExact) {
  const TestPipe first, second;
  const UniqueFd file = data_file();
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Servant servant([&] {
    off_t at = 0;
    iovec part = {storage, 300};
    vmsplice(first.in.get(), &part, 1, 0);
    splice(file.get(), &at, first.in.get(), nullptr, 40, 0);
    sendfile(first.in.get(), file.get(), &at, 5);
    tee(first.out.get(), second.in.get(), 345, 0);
    splice(first.out.get(), nullptr, second.in.get(), nullptr, 340, 0);
    splice(first.out.get(), nullptr, null.get(), nullptr, 5, 0);
    vmsplice(second.out.get(), &part, 1, 0);
  });
  watch({servant.pid()}, {&first, &second});
  observer_->count_bytes(true);
  servant.work();
  EXPECT_EQ(counted(*observer_, {&first, &second}),
            (BytesOfEnds{{{servant.id(), first.in.get(), true}, {345, 3}},
                         {{servant.id(), first.out.get(), false}, {345, 2}},
                         {{servant.id(), second.in.get(), true}, {685, 2}},
                         {{servant.id(), second.out.get(), false}, {300, 1}}}));
}

TEST_F(StageBytes, ErrorsAndWhatIsNotOursDoNotCount) {
  const TestPipe pipe(O_NONBLOCK);
  const UniqueFd file = data_file();
  const Servant servant([&] {
    (void)!read(pipe.out.get(), storage, 1);  // EAGAIN
    (void)!read(pipe.in.get(), storage, 1);   // EBADF
    (void)!write(pipe.in.get(), storage, 0);
    (void)!write(file.get(), storage, 10);
    (void)!write(pipe.in.get(), storage, 7);
  });
  watch({servant.pid()}, {&pipe});
  observer_->count_bytes(true);
  servant.work();
  pipe.put(50);  // nobody watches us
  EXPECT_EQ(counted(*observer_, {&pipe}),
            (BytesOfEnds{{{servant.id(), pipe.in.get(), true}, {7, 1}}}));
}

TEST_F(StageBytes, NothingIsCountedWhenItIsOff) {
  const TestPipe pipe;
  const Servant servant([&] { (void)!write(pipe.in.get(), storage, 10); });
  watch({servant.pid()}, {&pipe});
  EXPECT_FALSE(observer_->counts_bytes());
  servant.work();
  EXPECT_TRUE(bytes_through(*observer_, {&pipe}).empty());
  observer_->count_bytes(true);
  observer_->count_bytes(true);
  EXPECT_TRUE(observer_->counts_bytes());
  servant.work();
  EXPECT_EQ(bytes_through(*observer_, {&pipe}).size(), 1u);
  observer_->count_bytes(false);
  EXPECT_FALSE(observer_->counts_bytes());
  servant.work();
  EXPECT_TRUE(bytes_through(*observer_, {&pipe}).empty());
  observer_->count_bytes(true);
  servant.work();
  EXPECT_EQ(counted(*observer_, {&pipe}),
            (BytesOfEnds{{{servant.id(), pipe.in.get(), true}, {10, 1}}}));
}

// A shell gives the same descriptor to one pipe after the other.
TEST_F(StageBytes, ADescriptorThatBecomesAnotherPipeCountsTwice) {
  const TestPipe first, second;
  const Servant servant([&] {
    (void)!write(first.in.get(), storage, 3);
    dup2(second.in.get(), first.in.get());
    (void)!write(first.in.get(), storage, 4);
  });
  watch({servant.pid()}, {&first, &second});
  observer_->count_bytes(true);
  servant.work();
  std::map<PipeId, uint64_t> bytes;
  for (const EndBytes& end : bytes_through(*observer_, {&first, &second})) {
    EXPECT_EQ(end.fd, first.in.get());
    bytes[end.pipe] = end.bytes;
  }
  EXPECT_EQ(bytes, (std::map<PipeId, uint64_t>{{first.id, 3}, {second.id, 4}}));
}

// A descriptor that the scan didn't know, and a thread that it didn't know.
TEST_F(StageBytes, WhatIsNewerThanTheScanCounts) {
  const TestPipe pipe;
  int copy = -1;
  const Servant servant([&] {
    std::thread([&] { (void)!write(fcntl(pipe.in.get(), F_DUPFD, 200), storage, 9); }).join();
  });
  copy = 200;
  watch({servant.pid()}, {&pipe});
  observer_->count_bytes(true);
  servant.work();
  EXPECT_EQ(counted(*observer_, {&pipe}), (BytesOfEnds{{{servant.id(), copy, true}, {9, 1}}}));
}

// All that goes through a pipe between two processes that go as fast as they can.
TEST_F(StageBytes, BothEndsAgreeAtFullSpeed) {
  const TestPipe pipe;
  constexpr uint64_t kRounds = 2000;
  uint64_t total = 0;
  for (uint64_t i = 0; i < kRounds; ++i) total += 1 + i * 37 % 5000;
  const auto produce = [&] {
    for (uint64_t i = 0; i < kRounds; ++i) (void)!write(pipe.in.get(), storage, 1 + i * 37 % 5000);
  };
  const auto consume = [&] {
    for (uint64_t bytes = 0; bytes < total;) {
      const ssize_t got = read(pipe.out.get(), storage, 3000);
      if (got > 0) bytes += static_cast<uint64_t>(got);
    }
  };
  const Servant writer(produce), reader(consume);
  watch({writer.pid(), reader.pid()}, {&pipe});
  observer_->count_bytes(true);
  std::jthread other([&] { writer.work(); });
  reader.work();
  other.join();
  const BytesOfEnds all = counted(*observer_, {&pipe});
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at({writer.id(), pipe.in.get(), true}), std::pair(total, kRounds));
  EXPECT_EQ(all.at({reader.id(), pipe.out.get(), false}).first, total);
}

// Bytes that were put into a pipe since the last time, by whomever.
uint64_t put_into(StageObserver& observer, const TestPipe& pipe) {
  uint64_t bytes = 0;
  for (const EndBytes& end : bytes_through(observer, {&pipe}))
    if (end.writing) bytes += end.bytes;
  return bytes;
}

void put_by_a_child(const TestPipe& pipe, size_t bytes) {
  const pid_t pid = fork();
  if (pid == 0) {
    (void)!write(pipe.in.get(), storage, bytes);
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
}

// A scan would be too late: it has exited, or hasn't yet moved all that it will.
TEST_F(StageBytes, WhatAWatchedProcessStartsCountsFromItsFirstCall) {
  const TestPipe pipe;
  const Servant servant([&] {
    put_by_a_child(pipe, 20);
    const pid_t pid = fork();
    if (pid == 0) {
      put_by_a_child(pipe, 3);
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  });
  watch({servant.pid()}, {});
  observer_->count_bytes(true);
  servant.work();
  EXPECT_EQ(put_into(*observer_, pipe), 23u);
  put_by_a_child(pipe, 100);  // ours
  EXPECT_EQ(put_into(*observer_, pipe), 0u);
}

TEST_F(StageBytes, WhatWeStartCountsIfItIsAskedFor) {
  const TestPipe pipe;
  observer_->count_bytes(true);
  observer_->count_children();
  pipe.put(1);  // we don't
  put_by_a_child(pipe, 100);
  EXPECT_EQ(put_into(*observer_, pipe), 100u);
  EXPECT_FALSE(observer_->missed_bytes());
}

// Each has an end of its own; the kernel's table holds 4096.
TEST_F(StageBytes, AnyNumberOfShortProcessesCounts) {
  const TestPipe pipe;
  observer_->count_bytes(true);
  observer_->count_children();
  uint64_t total = 0, seen = 0;
  for (uint64_t i = 0; i < 5000; ++i) {
    put_by_a_child(pipe, 1 + i % 5);
    total += 1 + i % 5;
    if (i % 500 == 0) {
      seen += put_into(*observer_, pipe);
      ASSERT_GT(read(pipe.out.get(), storage, sizeof storage), 0);
    }
  }
  EXPECT_EQ(seen + put_into(*observer_, pipe), total);
  EXPECT_FALSE(observer_->missed_bytes());
}

TEST_F(StageBytes, TooManyAtATimeAreSaid) {
  const Servant servant([&] {
    for (uint32_t i = 0; i <= StageObserver::kMostEnds; ++i)
      (void)!write(TestPipe().in.get(), "x", 1);
  });
  watch({servant.pid()}, {});
  observer_->count_bytes(true);
  servant.work();
  EXPECT_TRUE(observer_->missed_bytes());
}

TEST_F(StageBytes, ThoseOfAProcessThatHasExitedAreStillKnown) {
  const TestPipe pipe;
  ForeignProcess process;
  {
    const Servant servant([&] { (void)!write(pipe.in.get(), storage, 6); });
    watch({servant.pid()}, {&pipe});
    observer_->count_bytes(true);
    servant.work();
  }
  watch({process.pid()}, {&pipe});
  EXPECT_EQ(put_into(*observer_, pipe), 6u);
}

}  // namespace
}  // namespace pipetop::observe

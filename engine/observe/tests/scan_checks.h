// What both scanners have to see.
#pragma once

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/observe/tests/scan_fixture.h"
#include "engine/tests/support/locked_pipe.h"

namespace pipetop::observe {

inline void check_ends_of_forks(PipeScanner& scanner) {
  TestPipe pipe;
  ASSERT_EQ(fcntl(pipe.out.get(), F_SETFL, O_NONBLOCK), 0);
  const UniqueFd copy(fcntl(pipe.in.get(), F_DUPFD_CLOEXEC, 0));
  const Child child([] { return pause(); });
  const PipeScan scan = scanner.scan();
  const ScannedPipe* seen = pipe_in(scan, pipe.id);
  ASSERT_TRUE(seen);
  std::vector<PipeEnd> expected;
  for (const ProcessId process : {id_of_process(getpid()), id_of_process(child.pid())}) {
    expected.push_back({process, pipe.out.get(), Access::read, true});
    expected.push_back({process, pipe.in.get(), Access::write, false});
    expected.push_back({process, copy.get(), Access::write, false});
  }
  std::ranges::sort(expected, {},
                    [](const PipeEnd& end) { return std::pair(end.process, end.fd); });
  EXPECT_EQ(seen->ends, expected);
  EXPECT_GT(seen->at_ns, 0u);
  EXPECT_LE(seen->at_ns, scan.at_ns);
  EXPECT_TRUE(std::ranges::is_sorted(scan.pipes, {}, &ScannedPipe::id));
  EXPECT_TRUE(std::ranges::is_sorted(
      scan.tasks, {}, [](const ScannedTask& task) { return std::pair(task.process, task.tid); }));
}

inline void check_fifos(PipeScanner& scanner) {
  const auto path =
      std::filesystem::temp_directory_path() / ("pipetop-scan-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const UniqueFd both(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  const UniqueFd reads(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const UniqueFd only_named(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  std::filesystem::remove(path);
  const PipeScan scan = scanner.scan();
  const ScannedPipe* seen = pipe_in(scan, id_of(status));
  ASSERT_TRUE(seen);
  const ProcessId self = id_of_process(getpid());
  std::vector<PipeEnd> expected = {{self, both.get(), Access::both, true},
                                   {self, reads.get(), Access::read, true}};
  std::ranges::sort(expected, {}, &PipeEnd::fd);
  EXPECT_EQ(seen->ends, expected);
}

inline void check_blocked_ends(PipeScanner& scanner) {
  TestPipe empty, full;
  scanner.set_open({empty.id, full.id});
  ASSERT_EQ(fcntl(full.in.get(), F_SETFL, O_NONBLOCK), 0);
  while (write(full.in.get(), std::string(4096, 'x').data(), 4096) > 0) continue;
  ASSERT_EQ(fcntl(full.in.get(), F_SETFL, 0), 0);
  char c = 'x';
  iovec piece = {&c, 1};
  const int in = full.in.get(), out = empty.out.get();
  const Child reader([&] { return int(read(out, &c, 1)); });
  const Child reads_many([&] { return int(readv(out, &piece, 1)); });
  const Child writer([&] { return int(write(in, &c, 1)); });
  const Child moves([&] { return int(splice(out, nullptr, in, nullptr, 1, 0)); });
  const Child copies([&] { return int(tee(out, in, 1, 0)); });
  const Child lends([&] { return int(vmsplice(in, &piece, 1, 0)); });
  EXPECT_TRUE(comes_to_wait(scanner, reader.pid(), WaitsFor::pipe_read, out));
  EXPECT_TRUE(comes_to_wait(scanner, reads_many.pid(), WaitsFor::pipe_read, out));
  EXPECT_TRUE(comes_to_wait(scanner, writer.pid(), WaitsFor::pipe_write, in));
  EXPECT_TRUE(comes_to_wait(scanner, moves.pid(), WaitsFor::pipe_read, out));
  EXPECT_TRUE(comes_to_wait(scanner, copies.pid(), WaitsFor::pipe_read, out));
  EXPECT_TRUE(comes_to_wait(scanner, lends.pid(), WaitsFor::pipe_write, in));
}

// Something to read, and nowhere to put it.
inline void check_blocked_between(PipeScanner& scanner) {
  TestPipe some, full;
  scanner.set_open({some.id, full.id});
  some.put(10);
  ASSERT_EQ(fcntl(full.in.get(), F_SETFL, O_NONBLOCK), 0);
  while (write(full.in.get(), std::string(4096, 'x').data(), 4096) > 0) continue;
  ASSERT_EQ(fcntl(full.in.get(), F_SETFL, 0), 0);
  const int in = full.in.get(), out = some.out.get();
  const Child moves([&] { return int(splice(out, nullptr, in, nullptr, 10, 0)); });
  EXPECT_TRUE(comes_to_wait(scanner, moves.pid(), WaitsFor::pipe_write, in));
}

inline void check_other_waits(PipeScanner& scanner) {
  TestPipe pipe;  // so that they hold one
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets), 0);
  const UniqueFd one(sockets[0]), other(sockets[1]);
  const UniqueFd event(eventfd(0, EFD_CLOEXEC));
  const Child sleeps([] { return int(sleep(1000)); });
  const Child polls([&] {
    pollfd fd = {pipe.out.get(), POLLIN, 0};
    return poll(&fd, 1, -1);
  });
  const Child pauses([] { return pause(); });
  const Child receives([&] {
    char c;
    return int(read(one.get(), &c, 1));
  });
  const Child counts([&] {
    uint64_t n;
    return int(read(event.get(), &n, sizeof(n)));
  });
  const Child waits([] {
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return pause();
    }
    return int(wait(nullptr));
  });
  const Child locks([] {
    std::atomic<int> never = 0;
    never.wait(0);
    return 0;
  });
  EXPECT_TRUE(comes_to_wait(scanner, sleeps.pid(), WaitsFor::sleep, -1));
  EXPECT_TRUE(comes_to_wait(scanner, polls.pid(), WaitsFor::poll, -1));
  EXPECT_TRUE(comes_to_wait(scanner, pauses.pid(), WaitsFor::signal, -1));
  EXPECT_TRUE(comes_to_wait(scanner, receives.pid(), WaitsFor::network, one.get()));
  EXPECT_TRUE(comes_to_wait(scanner, counts.pid(), WaitsFor::other, event.get()));
  EXPECT_TRUE(comes_to_wait(scanner, waits.pid(), WaitsFor::child, -1));
  EXPECT_TRUE(comes_to_wait(scanner, locks.pid(), WaitsFor::lock, -1));
  ASSERT_EQ(kill(sleeps.pid(), SIGSTOP), 0);
  EXPECT_TRUE(comes_to_wait(scanner, sleeps.pid(), WaitsFor::stopped, -1));
}

// The thread's is to be seen, whatever its process's first one does.
inline void check_threads(PipeScanner& scanner) {
  TestPipe pipe;
  const Child child([&] {
    const std::jthread reader([&] {
      char c;
      (void)!read(pipe.out.get(), &c, 1);
    });
    while (true) continue;
    return 0;
  });
  const ScannedTask *leader = nullptr, *reader = nullptr;
  PipeScan scan;
  ASSERT_TRUE(eventually([&] {
    scan = scanner.scan();
    leader = task_in(scan, child.pid());
    const auto found = std::ranges::find_if(scan.tasks, [&](const ScannedTask& task) {
      return task.process.pid == child.pid() && task.tid != child.pid() &&
             task.wait == WaitsFor::pipe_read;
    });
    reader = found != scan.tasks.end() ? &*found : nullptr;
    return reader && leader;
  }));
  EXPECT_EQ(reader->fd, pipe.out.get());
  EXPECT_EQ(reader->process, id_of_process(child.pid()));
  EXPECT_FALSE(reader->running);
  EXPECT_TRUE(leader->running || leader->runnable);
  EXPECT_EQ(leader->wait, WaitsFor::none);
  const uint64_t used_ns = leader->cpu_ns;
  EXPECT_TRUE(eventually([&] {
    scan = scanner.scan();
    leader = task_in(scan, child.pid());
    return leader && leader->cpu_ns >= used_ns + 10'000'000;
  }));
  ASSERT_EQ(pipe_in(scan, pipe.id)->ends.size(), 4u);  // threads share them
}

// By whom, and the rest as ever.
inline void check_locked(PipeScanner& scanner) {
  LockedPipe locked;
  const TestPipe other;
  const PipeId id = locked.pipe().id;
  scanner.set_open({id, other.id});
  PipeScan scan = scanner.scan();
  ASSERT_TRUE(pipe_in(scan, id));
  const auto lock = pipe_in(scan, id)->lock;
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holder, id_of_process(locked.holder()));
  EXPECT_EQ(lock->name, read_task_stat(locked.holder())->comm());
  EXPECT_EQ(lock->call, "splice");
  EXPECT_FALSE(pipe_in(scan, other.id)->lock);
  EXPECT_EQ(pipe_in(scan, other.id)->capacity, 65536u);
  EXPECT_NE(task_in(scan, locked.holder())->wait, WaitsFor::pipe_write) << "there is room";
  locked.let_go();
  EXPECT_TRUE(eventually([&] {
    scan = scanner.scan();
    return !pipe_in(scan, id)->lock && pipe_in(scan, id)->capacity == 65536u;
  }));
}

// What another thread of it goes on holding.
inline void check_ended_first_thread(PipeScanner& scanner) {
  TestPipe pipe;
  const Child child([&] {
    std::thread([] { pause(); }).detach();
    syscall(SYS_exit, 0);
    return 0;
  });
  ASSERT_TRUE(eventually([&] { return read_task_stat(child.pid())->is_zombie(); }));
  const PipeScan scan = scanner.scan();
  const auto ends = std::ranges::count_if(pipe_in(scan, pipe.id)->ends, [&](const PipeEnd& end) {
    return end.process.pid == child.pid();
  });
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(link_of(child.pid(), pipe.in.get()), fmt::format("pipe:[{}]", pipe.id.inode));
}

inline void check_who_they_are(PipeScanner& scanner) {
  TestPipe pipe;
  const Child child([] {
    setsid();
    prctl(PR_SET_NAME, "a) R (b\n1234567");
    return pause();
  });
  ScannedTask task;
  ASSERT_TRUE(eventually([&] {
    const PipeScan scan = scanner.scan();
    if (const ScannedTask* seen = task_in(scan, child.pid())) task = *seen;
    return task.wait == WaitsFor::signal;
  }));
  EXPECT_EQ(task.comm, "a) R (b\n1234567");
  EXPECT_EQ(task.process, id_of_process(child.pid()));
  EXPECT_EQ(task.parent, getpid());
  EXPECT_EQ(task.group, child.pid());
  EXPECT_EQ(task.session, child.pid());
  EXPECT_FALSE(task.zombie);
}

// `asks_again_ns`: how old an answer may be.
inline void check_bytes(PipeScanner& scanner, uint64_t asks_again_ns) {
  for (const int slots : {16, 1, 2, 64}) {
    TestPipe pipe;
    scanner.set_open({pipe.id});
    ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, slots * 4096), slots * 4096);
    ASSERT_EQ(fcntl(pipe.in.get(), F_SETFL, O_NONBLOCK), 0);
    ASSERT_EQ(fcntl(pipe.out.get(), F_SETFL, O_NONBLOCK), 0);
    const auto expect_known = [&] {
      const uint64_t now_ns = monotonic_ns();
      int queued = -1;
      ASSERT_EQ(ioctl(pipe.out.get(), FIONREAD, &queued), 0);
      std::optional<uint64_t> seen, capacity;
      EXPECT_TRUE(eventually([&] {
        const PipeScan scan = scanner.scan();
        const ScannedPipe* found = pipe_in(scan, pipe.id);
        if (!found || found->at_ns < now_ns) return false;
        seen = found->queued;
        capacity = found->capacity;
        return true;
      })) << asks_again_ns;
      EXPECT_EQ(seen, uint64_t(queued)) << slots;
      EXPECT_EQ(capacity, uint64_t(slots) * 4096) << slots;
    };
    expect_known();
    const std::string much(3000, 'x');
    for (int i = 0; i < 5; ++i) (void)!write(pipe.in.get(), much.data(), much.size());
    expect_known();
    char little[100];
    ASSERT_EQ(read(pipe.out.get(), little, sizeof(little)), 100);
    expect_known();
    while (write(pipe.in.get(), much.data(), much.size()) > 0) continue;
    expect_known();
    // Now the queue lies across the ring's end.
    std::string taken(5000, ' ');
    ASSERT_GT(read(pipe.out.get(), taken.data(), taken.size()), 0);
    while (write(pipe.in.get(), much.data(), 10) > 0) continue;
    expect_known();
  }
}

// However often it is late, and whatever is looked at in between.
inline void check_parts(PipeScanner& scanner) {
  TestPipe pipe;
  const Child child([] { return pause(); });
  const ProcessId process = id_of_process(child.pid());
  std::optional<PipeScan> scan;
  int parts = 0;
  for (; !scan; ++parts) {
    scan = scanner.scan_on([] { return true; });
    const PipeScan some = scanner.scan(std::span(&process, 1));
    ASSERT_TRUE(pipe_in(some, pipe.id));
  }
  EXPECT_GT(parts, 2);
  const ScannedPipe* seen = pipe_in(*scan, pipe.id);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->ends.size(), 4u);
  EXPECT_TRUE(task_in(*scan, child.pid()));
  EXPECT_TRUE(task_in(*scan, getpid()));
  EXPECT_FALSE(scan->is_cut);
  // Who wants all at once gets what is there now.
  scanner.scan_on([] { return true; });
  const TestPipe later;
  EXPECT_TRUE(pipe_in(scanner.scan(), later.id));
}

// Processes hold too much.
inline void check_cut(PipeScanner& scanner) {
  constexpr rlim_t kHeld = 9'000;  // by each of four
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit more = {kHeld + 1000, before.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &more) != 0) GTEST_SKIP() << "a process may have too few files";
  std::vector<ProcessId> processes;
  {
    const TestPipe pipe;
    std::vector<UniqueFd> copies;
    while (copies.size() < kHeld) {
      copies.emplace_back(fcntl(pipe.in.get(), F_DUPFD_CLOEXEC, 0));
      ASSERT_TRUE(copies.back());
    }
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(std::make_unique<Child>([] { return pause(); }));
      processes.push_back(id_of_process(children.back()->pid()));
    }
    copies.clear();
    const PipeScan cut = scanner.scan(processes);
    EXPECT_TRUE(cut.is_cut);
    EXPECT_FALSE(scanner.scan(std::span(processes).first(0)).is_cut);
    const PipeScan all = scanner.scan();
    EXPECT_FALSE(all.is_cut);
    EXPECT_TRUE(all.left_out.empty());
    EXPECT_EQ(pipe_in(all, pipe.id)->ends.size(), 4 * kHeld + 10);
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

inline void check_some_processes(PipeScanner& scanner) {
  TestPipe pipe, own;
  scanner.set_open({pipe.id});
  const Child one([&] { return own.close(), pause(); });
  const Child other([&] { return own.close(), pause(); });
  const ProcessId first = id_of_process(one.pid()), second = id_of_process(other.pid());
  ASSERT_TRUE(eventually([&] {  // until they have closed theirs
    const PipeScan all = scanner.scan();
    return pipe_in(all, own.id)->ends.size() == 2;
  }));
  for (int i = 0; i < 3; ++i) {
    const std::vector<ProcessId> both = {second, first};
    const PipeScan scan = scanner.scan(i == 1 ? std::span(both).subspan(1) : std::span(both));
    const size_t processes = i == 1 ? 1 : 2;
    const ScannedPipe* seen = pipe_in(scan, pipe.id);
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->ends.size(), 2 * processes);
    EXPECT_EQ(pipe_in(scan, own.id), nullptr);
    EXPECT_EQ(scan.tasks.size(), processes);
    EXPECT_TRUE(task_in(scan, one.pid()));
    EXPECT_EQ(seen->capacity, 65536u);
    EXPECT_FALSE(scan.idle_sockets);
  }
  // A number that was given again is another process.
  const std::vector<ProcessId> earlier = {{one.pid(), first.start_ticks - 1},
                                          {one.pid() + 1'000'000, 1}};
  EXPECT_TRUE(scanner.scan(earlier).pipes.empty());
  EXPECT_TRUE(scanner.scan(earlier).tasks.empty());
  EXPECT_TRUE(scanner.scan(std::span<const ProcessId>()).pipes.empty());
}

// Also of a process that holds no pipe any more.
inline void check_process_without_pipe(PipeScanner& scanner) {
  const Child child([] {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
    return pause();
  });
  const ProcessId process = id_of_process(child.pid());
  ASSERT_TRUE(eventually([&] {
    const PipeScan scan = scanner.scan(std::span(&process, 1));
    return scan.pipes.empty() && scan.tasks.size() == 1;
  }));
}

// Whoever reads or writes notices nothing: they end when they would, and as they would.
inline void check_nobody_notices(PipeScanner& scanner) {
  for (const bool reader_leaves : {true, false}) {
    TestPipe pipe;
    Gate gate;
    Child writer([&] {
      gate.pass();
      pipe.out.reset();
      const std::string much(4096, 'x');
      for (int i = 0; reader_leaves || i < 100; ++i)
        if (write(pipe.in.get(), much.data(), much.size()) < 0) return 9;
      return 0;
    });
    Child reader([&] {
      gate.pass();
      pipe.in.reset();
      std::string much(4096, ' ');
      int pages = 0;
      while (read(pipe.out.get(), much.data(), much.size()) > 0)
        if (++pages == 50 && reader_leaves) return 5;
      return pages >= 100 ? 7 : 8;  // end of file, not before all came
    });
    pipe.close();
    gate.open();
    EXPECT_TRUE(eventually(
        [&] {
          const PipeScan scan = scanner.scan();
          if (const ScannedPipe* seen = pipe_in(scan, pipe.id)) {
            EXPECT_LE(seen->readers.value_or(0), 2u);
            EXPECT_LE(seen->writers.value_or(0), 2u);
          }
          return int(writer.ended()) + int(reader.ended()) == 2;
        },
        [] {}));
    if (reader_leaves) {
      EXPECT_EQ(writer.ending(), -SIGPIPE);
      EXPECT_EQ(reader.ending(), 5);
    } else {
      EXPECT_EQ(writer.ending(), 0);
      EXPECT_EQ(reader.ending(), 7);
    }
  }
}

}  // namespace pipetop::observe

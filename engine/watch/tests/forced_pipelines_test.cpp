// Real pipelines forced into known states: the bottleneck has to be named, and nobody where there
// is none. The kernel's books tell whether the state was forced. What the numbers of such runs make
// of more shapes is in judge/tests/recorded_pipelines_test.cpp.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "engine/base/clock.h"
#include "engine/watch/tests/forced_pipeline.h"

namespace pipetop {
namespace {

using forced::burn;
using forced::consume;
using forced::exec;
using forced::nap;
using forced::produce;

class MeasuredPipelines : public ForcedPipelines {};
// Those that need neither a CPU nor the disk: CTest runs more of them at a time.
class MeasuredWaits : public ForcedPipelines {};

// ---- a CPU's work ------------------------------------------------------------------

TEST_F(MeasuredPipelines, ASlowMiddle) {
  chain({{"source", produce}, exec({"gzip", "-9"}), exec({"wc", "-c"})});
  EXPECT_EQ(verdict(), "stage gzip");
  PIPETOP_FORCED(works("gzip"));
}

class MeasuredQuota : public ForcedPipelines {
 protected:
  // A group that gets a hundredth of a CPU; "" if that can't be had. By cgroup v2, or v1.
  std::string make_group() {
    const std::string name = "/pipetop-test-" + std::to_string(getpid());
    set("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
    for (const std::string root : {"/sys/fs/cgroup", "/sys/fs/cgroup/cpu"}) {
      if (access((root + "/cgroup.procs").c_str(), W_OK) != 0) continue;
      if (mkdir((root + name).c_str(), 0755) != 0) continue;
      group_ = root + name;
      if (set(group_ + "/cpu.max", "1000 100000") || set(group_ + "/cpu.cfs_quota_us", "1000"))
        return group_;
      rmdir(group_.c_str());
    }
    return group_ = "";
  }
  void TearDown() override {
    ForcedPipelines::TearDown();
    if (!group_.empty()) rmdir(group_.c_str());
  }

 private:
  // The file must be there.
  static bool set(const std::string& path, const char* value) {
    std::fstream file(path, std::ios::in | std::ios::out);
    return bool(file << value << std::flush);
  }

  std::string group_;
};

TEST_F(MeasuredQuota, AMiddleWithAHundredthOfACpu) {
  const std::string group = make_group();
  if (group.empty()) GTEST_SKIP() << "no group can be given a quota here";
  shell("yes | { echo $BASHPID > " + group +
        "/cgroup.procs; exec dd bs=64k status=none; } | cat > /dev/null");
  EXPECT_EQ(verdict(), "stage dd");
  PIPETOP_FORCED(hardly_runs("dd"));
  until([&](const Snapshot& s) {
    return std::ranges::any_of(s.watched->stages, [](const Stage& stage) {
      return stage.name == "dd" && stage.quota_cpus == 0.01 && stage.limits.quota &&
             stage.limits.quota->share > 0.5;
    });
  });
  for (const Stage& stage : last->watched->stages)
    EXPECT_EQ(stage.limits.quota.has_value(), stage.name == "dd") << stage.name;
}

// Each does one thing; what is between them is no pipe.
TEST_F(ForcedPipelines, ThreadsThatReadComputeAndWrite) {
  chain({{"source", produce},
         {"three",
          [] {
            static std::atomic<uint64_t> read_blocks = 0, done_blocks = 0;
            std::thread([] {
              std::array<char, 4096> block;
              for (;;) {
                if (read_blocks - done_blocks > 100) nap(kMs);
                if (read(0, block.data(), block.size()) <= 0) _exit(0);
                ++read_blocks;
              }
            }).detach();
            std::thread([] {
              const std::array<char, 4096> block = {};
              for (uint64_t written = 0;; ++written) {
                while (written >= done_blocks) nap(kMs);
                if (write(1, block.data(), block.size()) <= 0) _exit(0);
              }
            }).detach();
            for (;;) {
              burn(kMs);
              if (done_blocks < read_blocks) ++done_blocks;
            }
          }},
         {"sink", consume}});
  std::string roles;
  until([&](const Snapshot& s) {
    roles.clear();
    if (!s.watched) return false;
    for (const Stage& stage : s.watched->stages)
      for (const StageThread& thread : stage.thread_list)
        roles += fmt::format("{}; ", thread.role());
    return roles.starts_with("computes; ") && roles.find("reads; ") != roles.npos &&
           roles.find("writes; ") != roles.npos;
  });
  EXPECT_EQ(roles.size(), std::string("computes; reads; writes; ").size()) << roles;
}

TEST_F(MeasuredPipelines, TeeToTwo) {
  chain({{"source", produce},
         exec({"bash", "-c", "tee >(gzip -9 > /dev/null) >(wc -c > /dev/null) > /dev/null"})});
  EXPECT_EQ(verdict(), "stage gzip");
  PIPETOP_FORCED(works("gzip"));
  EXPECT_EQ(last->watched->pipes.size(), 3u);
}

// Nobody waits in a write, and bash leaves its own copies of the ends to all.
TEST_F(MeasuredWaits, TeeToTwoThatAreFastEnough) {
  chain({{"source", [] { forced::produce_with([] { nap(15 * kMs); }); }},
         exec({"bash", "-c", "tee >(gzip > /dev/null) >(wc -c > /dev/null) > /dev/null"})});
  until([](const Snapshot& s) { return s.watched && s.watched->pipes.size() == 3; });
  for (const char* name : {"gzip", "wc"}) EXPECT_GT(pid_of(name), 0);
  EXPECT_EQ(verdict(), "stage source");
  PIPETOP_FORCED(sleeps("source"));
}

TEST_F(ForcedPipelines, TwoWritersThatNeverWaitForTheReader) {
  shell(
      "{ dd if=/dev/zero bs=1 status=none & dd if=/dev/zero bs=2 status=none & wait; } | "
      "wc -c");
  until([](const Snapshot& s) {
    if (!s.watched || s.watched->pipes.empty()) return false;
    const auto& writers = s.watched->pipes[0].writers;
    return std::ranges::count_if(writers, &StageEnd::active) == 2;
  });
  for (const StageEnd& end : last->watched->pipes[0].writers)
    EXPECT_EQ(end.active, last->watched->stages[end.stage].name == "dd");
}

TEST_F(ForcedPipelines, AFifoHasItsPath) {
  shell("mkfifo fifo; sleep 1000 > fifo & cat < fifo");
  until([](const Snapshot& s) { return s.watched && !s.watched->pipes.empty(); });
  EXPECT_EQ(last->watched->pipes[0].path, folder() + "/fifo");
}

TEST_F(MeasuredPipelines, TwoThatWorkAllTheTimeAreBalanced) {
  chain({{"source", [] { forced::produce_with([] { burn(kMs); }); }},
         {"middle", [] { forced::copy(kMs); }},
         {"sink", consume}});
  EXPECT_EQ(verdict(), "balanced");
  for (const char* name : {"source", "middle"}) PIPETOP_FORCED(works(name));
}

// ---- waiting for something else -----------------------------------------------------

TEST_F(MeasuredWaits, AMiddleThatSleeps) {
  chain({{"source", produce},
         {"limiter", [] { forced::copy_with([] { nap(15 * kMs); }); }},
         {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("limiter"));
  EXPECT_EQ(text_of(b, *last->watched), "stage limiter") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::sleep) << b.because;
}

TEST_F(MeasuredWaits, ASinkThatSleeps) {
  chain({{"source", produce},
         {"middle", [] { forced::copy(0); }},
         {"sink", [] { forced::consume_with([] { nap(15 * kMs); }); }}});
  EXPECT_EQ(verdict(), "stage sink");
  PIPETOP_FORCED(sleeps("sink"));
}

TEST_F(MeasuredWaits, ALoopThatWaitsForItsChild) {
  shell("while :; do echo line; sleep 0.05; done | cat | wc -c");
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("bash"));
  EXPECT_EQ(text_of(b, *last->watched), "stage bash") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::child) << b.because;
}

TEST_F(MeasuredWaits, ASourceThatSleeps) {
  chain({{"source", [] { forced::produce_with([] { nap(15 * kMs); }); }},
         {"middle", [] { forced::copy(0); }},
         {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("source"));
  EXPECT_EQ(text_of(b, *last->watched), "stage source") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::sleep) << b.because;
}

// As pv -L does, with an inherited socket, as every service of systemd has one.
TEST_F(MeasuredWaits, ASinkThatPollsWithATimeLimit) {
  chain({{"source", produce}, {"sink", [] {
                                 int ends[2];
                                 if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(1);
                                 forced::consume_with([] { poll(nullptr, 0, 15); });
                               }}});
  until([](const Snapshot& s) {
    return s.watched && std::ranges::any_of(s.watched->stages, [](const Stage& stage) {
             return stage.outside == false;
           });
  });
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("sink"));
  EXPECT_EQ(text_of(b, *last->watched), "stage sink") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::poll) << b.because;
}

TEST_F(MeasuredWaits, ASinkThatPollsASocket) {
  chain({{"source", produce}, {"sink", [] {
                                 static int ends[2];
                                 if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(1);
                                 forced::consume_with([] {
                                   pollfd socket = {ends[0], POLLIN, 0};
                                   poll(&socket, 1, 15);
                                 });
                               }}});
  until([](const Snapshot& s) {
    return s.watched && std::ranges::any_of(s.watched->stages, [](const Stage& stage) {
             return stage.outside == true;
           });
  });
  EXPECT_EQ(verdict(), "outside sink");
  PIPETOP_FORCED(sleeps("sink"));
}

// Both nap, so that the ring is empty nearly always; but the source waits for the sink now and
// then, and the sink for nobody.
TEST_F(MeasuredWaits, AnEmptyRingMakesNobodyWait) {
  chain({{"source",
          [] {
            static char chunk[80 * 1024];
            for (;;) {
              if (write(1, chunk, sizeof chunk) < 0) _exit(1);
              nap(50 * kMs);
            }
          }},
         {"sink", [] {
            static char chunk[80 * 1024];
            for (;;) {
              for (size_t done = 0; done < sizeof chunk;) {
                const ssize_t n = read(0, chunk, sizeof chunk - done);
                if (n <= 0) _exit(1);
                done += size_t(n);
              }
              nap(60 * kMs);
            }
          }}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("source"));
  EXPECT_NE(text_of(b, *last->watched), "stage source") << b.because;
  for (const std::string& clause : b.evidence)
    EXPECT_EQ(clause.find("sink is blocked"), clause.npos) << clause;
}

void copy_lines(int fd) {
  char line[64];
  for (;;) {
    const ssize_t n = read(fd, line, sizeof line);
    if (n <= 0 || write(1, line, static_cast<size_t>(n)) < 0) _exit(1);
  }
}

TEST_F(MeasuredWaits, ASourceThatWaitsForTheTerminal) {
  chain({{"source",
          [] {
            const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
            grantpt(terminal);
            unlockpt(terminal);
            const std::string name = ptsname(terminal);
            if (fork() == 0) {  // types
              while (write(terminal, "line\n", 5) == 5) nap(20 * kMs);
              _exit(0);
            }
            const int fd = open(name.c_str(), O_RDWR | O_NOCTTY);
            copy_lines(fd);
          }},
         {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("source"));
  EXPECT_EQ(text_of(b, *last->watched), "outside source") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::terminal) << b.because;
}

TEST_F(MeasuredWaits, ASourceThatWaitsForTheNetwork) {
  chain({{"source",
          [] {
            const int server = socket(AF_INET, SOCK_STREAM, 0);
            sockaddr_in address = {};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            socklen_t size = sizeof address;
            bind(server, reinterpret_cast<sockaddr*>(&address), size);
            listen(server, 1);
            getsockname(server, reinterpret_cast<sockaddr*>(&address), &size);
            if (fork() == 0) {  // sends
              const int client = socket(AF_INET, SOCK_STREAM, 0);
              connect(client, reinterpret_cast<sockaddr*>(&address), size);
              while (write(client, "line\n", 5) == 5) nap(20 * kMs);
              _exit(0);
            }
            const int fd = accept(server, nullptr, nullptr);
            copy_lines(fd);
          }},
         {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("source"));
  // The one that sends is a stage, too.
  EXPECT_EQ(text_of(b, *last->watched), "stage source") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::sleep) << b.because;
}

TEST_F(MeasuredPipelines, ASinkThatWaitsForTheDisk) {
  if (std::ofstream(folder() + "/file") << "x" << std::flush;
      open((folder() + "/file").c_str(), O_RDONLY | O_DIRECT) < 0)
    GTEST_SKIP() << folder() << " is on no disk";
  chain({{"source",
          [] {
            forced::run_before_others();
            produce();
          }},
         {"sink", [] {
            forced::run_before_others();
            const int fd = open("file", O_WRONLY | O_DSYNC);
            static char page[4096];
            forced::consume_with([&] {
              if (pwrite(fd, page, sizeof page, 0) < 0) _exit(1);
            });
          }}});
  const Verdict b = found();
  EXPECT_EQ(text_of(b, *last->watched), "stage sink") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::disk) << b.because;
}

TEST_F(MeasuredWaits, AMiddleThatWaitsForALock) {
  chain({{"source", produce},
         {"middle",
          [] {
            forced::copy_with([] {
              int never = 0;
              const timespec time = {0, 15'000'000};
              syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
            });
          }},
         {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(sleeps("middle"));
  EXPECT_EQ(text_of(b, *last->watched), "stage middle") << b.because;
  EXPECT_EQ(b.wait, WaitsFor::lock) << b.because;
}

TEST_F(MeasuredWaits, Bursts) {
  // The source has a ring and a half at a time, the sink takes its time for each page; on average
  // both could do as much. Who waits for a CPU meanwhile has other bursts.
  chain({{"source",
          [] {
            forced::run_before_others();
            for (;;) {
              for (int i = 0; i < 32; ++i) {
                static char page[4096];
                if (write(1, page, sizeof page) < 0) _exit(1);
              }
              nap(100 * kMs);
            }
          }},
         {"sink", [] {
            forced::run_before_others();
            forced::consume_with([] { forced::nap_on_average(3 * kMs); });
          }}});
  until([](const Snapshot& s) {
    return s.watched && !s.watched->pipes.empty() && s.watched->pipes[0].larger;
  });
  EXPECT_EQ(verdict(), "bursty");
  PIPETOP_FORCED(sleeps("sink"));
  PIPETOP_FORCED(have_their_cpus());
  const auto larger = last->watched->pipes[0].larger;
  ASSERT_TRUE(larger);
  EXPECT_GT(larger->gain, 0.2);
  EXPECT_LT(larger->gain, 0.7);
}

// On average both could do as much, but what the sink waits for is beyond it.
TEST_F(MeasuredWaits, BurstsAtASocketAreNotTheRings) {
  chain({{"source",
          [] {
            for (;;) {
              static char page[32 * 4096];
              if (write(1, page, sizeof page) < 0) _exit(1);
              nap(100 * kMs);
            }
          }},
         {"sink", [] {
            int ends[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(1);
            if (fork() == 0) {
              close(ends[0]);
              char answer = 0;
              while (read(ends[1], &answer, 1) == 1) {
                nap(3 * kMs);
                if (write(ends[1], &answer, 1) != 1) break;
              }
              _exit(0);
            }
            close(ends[1]);
            forced::consume_with([&] {
              char answer = 0;
              if (write(ends[0], &answer, 1) != 1 || read(ends[0], &answer, 1) != 1) _exit(1);
            });
          }}});
  EXPECT_NE(found().kind, Verdict::Kind::bursty);
  PIPETOP_FORCED(sleeps("sink"));
}

// ---- nothing moves ------------------------------------------------------------------

TEST_F(MeasuredWaits, AStoppedMiddle) {
  chain({{"source", produce}, {"middle", [] { forced::copy(0); }}, {"sink", consume}});
  kill(pid_of("middle"), SIGSTOP);
  EXPECT_EQ(verdict(), "stopped middle");
  PIPETOP_FORCED(all_sleep());
}

TEST_F(MeasuredWaits, AStoppedSink) {
  chain({{"source", produce}, {"middle", [] { forced::copy(0); }}, {"sink", consume}});
  kill(pid_of("sink"), SIGSTOP);
  EXPECT_EQ(verdict(), "stopped sink");
  PIPETOP_FORCED(all_sleep());
}

TEST_F(MeasuredWaits, ADeadlockOfTwoPipes) {
  root([] {
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) _exit(1);
    for (const bool first : {true, false}) {
      if (fork() != 0) continue;
      dup2(first ? back[0] : there[0], 0);
      dup2(first ? there[1] : back[1], 1);
      for (const int fd : {there[0], there[1], back[0], back[1]}) close(fd);
      produce();  // and nobody reads
    }
    for (const int fd : {there[0], there[1], back[0], back[1]}) close(fd);
  });
  EXPECT_EQ(verdict().substr(0, 8), "deadlock");
  PIPETOP_FORCED(all_sleep());
}

TEST_F(MeasuredWaits, NothingMoves) {
  shell("sleep 1000 | cat | wc -c");
  EXPECT_EQ(verdict().substr(0, 4), "idle");
  PIPETOP_FORCED(all_sleep());
}

TEST_F(MeasuredWaits, NobodyIsNamedWhereNothingMovesAndNobodyCould) {
  chain({{"source", [] { pause(); }}, {"sink", consume}});
  const Verdict b = found();
  PIPETOP_FORCED(all_sleep());
  EXPECT_EQ(b.kind, Verdict::Kind::idle) << b.because;
  EXPECT_FALSE(b.stage) << b.because;
}

}  // namespace
}  // namespace pipetop

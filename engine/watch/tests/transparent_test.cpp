// An observed pipeline doesn't notice: it ends the same way, at the same byte. And the bytes that
// are counted are those that were moved.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "engine/base/clock.h"
#include "engine/base/handles.h"
#include "engine/tests/eventually.h"
#include "engine/watch/tests/forced_pipeline.h"

namespace pipetop {
namespace {

// Whoever exits first, by end of file, SIGPIPE or otherwise. `w` gives the watcher time to be there
// when it happens.
constexpr const char* kEarlyExits[] = {
    "(w; yes) | head -1",
    "(w; yes) | head -c 100000 | wc -c",
    "(w; yes) | head -n 5 | cat",
    "seq 1000000 | (w; head -1)",
    "cat /dev/zero | (w; head -c 1000000) | wc -c",
    "cat /dev/zero | (w; dd bs=4k count=100 iflag=fullblock status=none) | wc -c",
    "dd if=/dev/zero bs=64k count=50 status=none | cat | (w; cat) | wc -c",
    "seq 100000 | (w; gzip) | gzip -d | tail -1",
    "seq 100000 | tee >(w; cat > /dev/null) | tail -1",
    "(w; echo a) | cat",
    "(w; true) | cat",
    "(w < /dev/null) | wc -c",
    "yes | (w; true)",
    "yes | (w; false)",
    "yes | w",
    "seq 300000 | (w; exit 7)",
    "(w; exit 3) | cat",
    "yes | (w; head -1; exit 5)",
    "(w; echo a; exit 4) | (cat; exit 6)",
    "(w; kill -TERM $BASHPID) | cat",
    "yes | (w; read line; kill -KILL $BASHPID)",
    "(trap '' PIPE; w; yes; echo $? >&3) 3>&1 | head -1",
    "(trap '' PIPE; yes; echo $? >&3) 3>&1 | w",
    "mkfifo f; cat f | wc -c & (w; head -c 500000 /dev/zero) > f; wait",
    "mkfifo f; yes > f & (w; head -3) < f; wait $!; echo $?",
    "mkfifo f; (w; exec 3> f) & cat f; wait",
    "seq 200000 | (w; sort -n) | tail -1",
    "yes | cat | cat | (w; cat) | head -2",
    "head -c 3000000 /dev/zero | (w; split -b 1000000 --filter='wc -c' -)",
    "(w; yes) | (sleep 0.1; exec <&-; w)",
};
static_assert(std::size(kEarlyExits) == 30);

class Transparent : public ForcedPipelines {
 protected:
  // What it prints, and the exit statuses of all of its parts.
  std::string run(const std::string& pipeline, Watcher* by) {
    if (by) by->prepare();
    const std::string out = folder() + "/out";
    const std::string script = "w() { sleep 0.2; }; cd " + folder() + "; rm -f f; " + pipeline +
                               "\necho \"status ${PIPESTATUS[*]}\"";
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      signal(SIGPIPE, SIG_DFL);
      const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int null = open("/dev/null", O_RDWR);
      dup2(null, 0);
      dup2(file, 1);
      dup2(null, 2);
      forced::exec({"bash", "-c", script}).run();
    }
    if (by) by->open_tree(pid);
    int status = 0;
    EXPECT_TRUE(eventually([&] { return waitpid(pid, &status, WNOHANG) == pid; },
                           [&] {
                             if (by) samples_ += by->tick(monotonic_ns())->watched.has_value();
                             poll(nullptr, 0, by ? 1 : 5);
                           }))
        << pipeline;
    while (waitpid(-1, nullptr, 0) > 0) continue;  // what it left to us
    if (by) by->close();
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return text.str() + " exit " + std::to_string(status);
  }

  int samples() const { return samples_; }

 private:
  int samples_ = 0;
};

TEST_F(Transparent, ThirtyPipelinesEndAsTheyDoUnwatched) {
  // As often as it can.
  Watcher eager({.table_ns = 1, .pipeline_ns = 1, .window_ns = kSecond, .sees_self = true});
  for (const char* pipeline : kEarlyExits) {
    const std::string expected = run(pipeline, nullptr);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run(pipeline, &eager), expected) << pipeline;
  }
  EXPECT_GT(samples(), 100) << "it did look at them";
}

// Moves so many bytes when it is told to, says when it has, and stays.
struct Signals {
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
};

class CountedBytes : public ForcedPipelines {
 protected:
  static uint64_t of_io(pid_t pid, const char* key) {
    std::ifstream io("/proc/" + std::to_string(pid) + "/io");
    std::string word;
    uint64_t value = 0;
    while (io >> word >> value)
      if (word == std::string(key) + ":") return value;
    return 0;
  }

  Signals& gate() { return *static_cast<Signals*>(shared_.data()); }

  const Pipe& pipe() const { return last->watched->pipes.at(0); }

 private:
  Mapping shared_{mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                  4096};
};

constexpr size_t kPiece = 40'000;  // no whole number of pages
constexpr int kPieces = 5'000;

TEST_F(CountedBytes, AreWhatTheKernelSaysThatEachEndMoved) {
  chain({{"source",
          [this] {
            while (!gate().go) forced::nap(kMs);
            static char piece[kPiece];
            for (int i = 0; i < kPieces; ++i)
              if (write(1, piece, sizeof piece) != sizeof piece) _exit(1);
            ++gate().done;
            for (;;) pause();
          }},
         {"sink", [this] {
            static char piece[kPiece];
            for (size_t bytes = 0; bytes < kPiece * kPieces;) {
              const ssize_t n = read(0, piece, sizeof piece);
              if (n <= 0) _exit(1);
              bytes += static_cast<size_t>(n);
            }
            ++gate().done;
            for (;;) pause();
          }}});
  const pid_t source = pid_of("source"), sink = pid_of("sink");
  watcher->count_bytes(true);
  const uint64_t written = of_io(source, "wchar"), read = of_io(sink, "rchar");
  gate().go = true;
  until([&](const Snapshot&) { return gate().done == 2; });
  // The next look may not be due yet.
  until([&](const Snapshot&) {
    return pipe().readers.size() == 1 && pipe().readers[0].bytes >= kPiece * kPieces;
  });
  ASSERT_EQ(pipe().writers.size(), 1u);
  ASSERT_EQ(pipe().readers.size(), 1u);
  EXPECT_TRUE(pipe().exact);
  EXPECT_EQ(pipe().writers[0].bytes, of_io(source, "wchar") - written);
  EXPECT_EQ(pipe().writers[0].bytes, kPiece * kPieces);
  EXPECT_EQ(pipe().readers[0].bytes, of_io(sink, "rchar") - read);
  watcher->count_bytes(false);
  EXPECT_FALSE(tick()->counts_bytes);
}

class MeasuredCounts : public CountedBytes {};

TEST_F(MeasuredCounts, TheEstimateOfASteadyFlowIsNear) {
  chain({{"source", forced::produce}, {"sink", forced::consume}});
  const pid_t source = pid_of("source"), sink = pid_of("sink");
  until([&](const Snapshot&) { return pipe().total_bytes.value_or(0) > 10 << 20; });
  // Bytes that the estimate and the kernel say were moved by now: nothing moves meanwhile.
  const auto both = [&] {
    for (const pid_t pid : {source, sink}) kill(pid, SIGSTOP);
    const auto stopped = [](const Stage& s) { return s.state.wait == WaitsFor::stopped; };
    until([&](const Snapshot& s) { return std::ranges::all_of(s.watched->stages, stopped); });
    const uint64_t seen_ns = last->now_ns;
    until([&](const Snapshot& s) { return s.now_ns > seen_ns; });
    const std::pair now(*pipe().total_bytes, of_io(sink, "rchar"));
    for (const pid_t pid : {source, sink}) kill(pid, SIGCONT);
    return now;
  };
  const auto before = both();
  until([&](const Snapshot&) { return *pipe().total_bytes - before.first > 1 << 30; });
  const auto after = both();
  PIPETOP_FORCED(after.second > before.second) << "by /proc/PID/io";
  EXPECT_NEAR(double(after.first - before.first) / double(after.second - before.second), 1, 0.05);
}

}  // namespace
}  // namespace pipetop

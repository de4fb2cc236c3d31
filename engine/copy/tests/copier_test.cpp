#include "engine/copy/copier.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/copy/tests/streams.h"
#include "engine/tests/eventually.h"

namespace pipetop {
namespace {

constexpr size_t kBytes = 700'001;  // many rings, and no whole pages

// What a copy reads, and what has to be read from it.
struct Source {
  std::string content;
  UniqueFd fd;
  std::shared_ptr<ScratchFile> file;
  std::jthread feeder;
};

// Where it writes, and what has arrived.
struct Sink {
  UniqueFd fd;
  std::function<std::string()> finish;  // closes `fd`
};

Source pipe_source(std::string content, size_t pieces) {
  TwoEnds ends = make_pipe();
  Source source{content, std::move(ends.read), {}, {}};
  source.feeder = std::jthread(
      [content, pieces, fd = std::move(ends.write)] { write_pieces(fd.get(), content, pieces); });
  return source;
}

Source socket_source(std::string content) {
  TwoEnds ends = make_sockets();
  Source source{content, std::move(ends.read), {}, {}};
  source.feeder = std::jthread(
      [content, fd = std::move(ends.write)] { write_pieces(fd.get(), content, 100'000); });
  return source;
}

Source file_source(std::string content) {
  auto file = std::make_shared<ScratchFile>(content);
  UniqueFd fd(::dup(file->fd.get()));
  return {std::move(content), std::move(fd), std::move(file), {}};
}

// A hole, data in the middle of it, and a hole at the end.
Source sparse_source() {
  auto file = std::make_shared<ScratchFile>();
  const std::string middle = random_bytes(10'000);
  EXPECT_EQ(::ftruncate(file->fd.get(), kBytes), 0);
  EXPECT_EQ(::pwrite(file->fd.get(), middle.data(), middle.size(), 300'000), 10'000);
  std::string content(kBytes, '\0');
  content.replace(300'000, middle.size(), middle);
  UniqueFd fd(::dup(file->fd.get()));
  return {std::move(content), std::move(fd), std::move(file), {}};
}

// What it holds is known when it is read, and changes with time only in files of their own.
Source proc_source() {
  std::ostringstream content;
  content << std::ifstream("/proc/version").rdbuf();
  return {content.str(), UniqueFd(::open("/proc/version", O_RDONLY | O_CLOEXEC)), {}, {}};
}

// Lines as somebody types them, and Ctrl-D.
Source terminal_source() {
  int master = -1, slave = -1;
  EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const std::string lines = "one\ntwo\nthree\n";
  EXPECT_TRUE(write_all(master, lines + "\x04"));
  Source source{lines, UniqueFd(slave), {}, {}};
  // The master stays open as long as the source: else it would be an error to read.
  source.feeder = std::jthread([keep = UniqueFd(master)](const std::stop_token& stop) {
    while (!stop.stop_requested()) ::poll(nullptr, 0, 5);
  });
  return source;
}

// Reads it in a thread, until it is closed.
Sink drained(TwoEnds ends, size_t at_once = 1 << 16) {
  auto arrived = std::make_shared<std::string>();
  auto reader = std::make_shared<std::jthread>(
      [arrived, at_once, fd = std::move(ends.read)] { *arrived = read_all(fd.get(), at_once); });
  Sink sink{std::move(ends.write), {}};
  sink.finish = [arrived, reader] {
    reader->join();
    return *arrived;
  };
  return sink;
}

constexpr std::string_view kOldText = "was here\n";

Sink file_sink(bool append) {
  auto file = std::make_shared<ScratchFile>(kOldText);
  if (!append) {
    EXPECT_EQ(::ftruncate(file->fd.get(), 0), 0);
    return {UniqueFd(::dup(file->fd.get())), [file] { return file->content(); }};
  }
  return {UniqueFd(::dup(file->appending.get())), [file] {
            const std::string all = file->content();
            EXPECT_EQ(all.substr(0, kOldText.size()), kOldText);
            return all.substr(std::min(kOldText.size(), all.size()));
          }};
}

struct NamedSource {
  const char* name;
  std::function<Source()> make;
};
struct NamedSink {
  const char* name;
  std::function<Sink()> make;
};

const NamedSource kSources[] = {
    {"pipe", [] { return pipe_source(random_bytes(kBytes), 200'000); }},
    {"pipe in small pieces", [] { return pipe_source(random_bytes(50'001), 300); }},
    {"socket", [] { return socket_source(random_bytes(kBytes)); }},
    {"file", [] { return file_source(random_bytes(kBytes)); }},
    {"empty file", [] { return file_source(""); }},
    {"sparse file", sparse_source},
    {"file of /proc", proc_source},
    {"terminal", terminal_source},
    {"null",
     [] {
       return Source{"", UniqueFd(::open("/dev/null", O_RDONLY)), {}, {}};
     }},
};

const NamedSink kSinks[] = {
    {"pipe", [] { return drained(make_pipe()); }},
    {"pipe read in small pieces", [] { return drained(make_pipe(), 1'500); }},
    {"socket", [] { return drained(make_sockets()); }},
    {"file", [] { return file_sink(false); }},
    {"file that is appended to", [] { return file_sink(true); }},
    {"terminal", [] { return drained(make_raw_terminal()); }},
};

CopyOptions between(int in, int out) {
  CopyOptions options;
  options.in = in;
  options.out = out;
  return options;
}

// To the end. Signals may come.
CopyProgress run(Copier& copier) {
  while (!copier.step().ended) continue;
  return copier.progress();
}

TEST(Copier, EveryEndToEveryOther) {
  for (const NamedSource& from : kSources) {
    for (const NamedSink& to : kSinks) {
      for (const bool may_splice : {true, false}) {
        SCOPED_TRACE(std::string(from.name) + " to " + to.name + (may_splice ? "" : ", copied"));
        Source source = from.make();
        Sink sink = to.make();
        CopyOptions options = between(source.fd.get(), sink.fd.get());
        options.may_splice = may_splice;
        const CopyProgress progress = [&] {
          Copier copier(options);
          return run(copier);
        }();
        sink.fd.reset();
        EXPECT_TRUE(sink.finish() == source.content);
        EXPECT_EQ(progress.bytes, source.content.size());
        if (!may_splice) {
          EXPECT_EQ(progress.method, CopyMethod::copy);
        }
      }
    }
  }
}

TEST(Copier, SaysHowAndWhyNotBetter) {
  const auto how = [](int in, int out) {
    Copier copier(between(in, out));
    run(copier);
    return copier.progress();
  };
  const ScratchFile file(random_bytes(100'000)), other;
  TwoEnds pipe = make_pipe();
  write_all(pipe.write.get(), "x");
  pipe.write.reset();
  const UniqueFd null(::open("/dev/null", O_WRONLY)), nothing(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(how(pipe.read.get(), null.get()).method, CopyMethod::splice);
  EXPECT_EQ(how(file.fd.get(), null.get()).method, CopyMethod::splice_by_pipe);
  EXPECT_EQ(how(pipe.read.get(), other.fd.get()).why,
            "splice would lock the pipe while stdout is written");
  EXPECT_EQ(how(nothing.get(), null.get()).why, "stdin is a device, which has no pages to share");
  ::lseek(file.fd.get(), 0, SEEK_SET);
  const CopyProgress appended = how(file.fd.get(), other.appending.get());
  EXPECT_EQ(appended.method, CopyMethod::copy);
  EXPECT_EQ(appended.why, "stdout appends (>>), and splice doesn't");
  const TwoEnds terminal = make_raw_terminal();
  ::lseek(file.fd.get(), 99'990, SEEK_SET);
  EXPECT_EQ(how(file.fd.get(), terminal.write.get()).why, "stdout is a terminal");
}

// /dev/full takes no splice; what was in the pipe of our own when it refused is not lost.
TEST(Copier, GoesOnByCopyingWhatSpliceHasTaken) {
  const ScratchFile file(random_bytes(100'000));
  const UniqueFd full(::open("/dev/full", O_WRONLY));
  Copier copier(between(file.fd.get(), full.get()));
  try {
    run(copier);
    FAIL() << "it is full";
  } catch (const SystemError& e) {
    EXPECT_EQ(e.error_number(), ENOSPC);
    EXPECT_STREQ(e.what(), "stdout: No space left on device");
  }
  EXPECT_EQ(copier.progress().bytes, 0u);
  EXPECT_EQ(copier.progress().method, CopyMethod::copy);
}

// An end that refuses splice in the middle: the flag is of the open file, and anybody may set it.
// What is in the pipe of our own then isn't lost.
TEST(Copier, AFileThatBeginsToAppendLosesNothing) {
  const std::string content = random_bytes(kBytes);
  const ScratchFile out;
  TwoEnds in = make_sockets();
  Copier copier(between(in.read.get(), out.fd.get()));
  ASSERT_TRUE(write_all(in.write.get(), content.substr(0, 10'000)));
  while (copier.progress().bytes < 10'000) copier.step();
  ASSERT_EQ(copier.progress().method, CopyMethod::splice_by_pipe);
  ASSERT_EQ(::fcntl(out.fd.get(), F_SETFL, O_APPEND), 0);
  const std::jthread feeder([&] {
    write_all(in.write.get(), std::string_view(content).substr(10'000));
    in.write.reset();
  });
  EXPECT_EQ(run(copier).method, CopyMethod::copy);
  EXPECT_EQ(copier.progress().bytes, content.size());
  EXPECT_TRUE(out.content() == content);
}

int pipe_size(int fd) { return ::fcntl(fd, F_GETPIPE_SZ); }

// How large the pipe that was written to is when all is through it.
int size_after(TwoEnds in, int in_bytes, int out_bytes) {
  TwoEnds out = make_pipe();
  EXPECT_EQ(::fcntl(out.write.get(), F_SETPIPE_SZ, out_bytes), out_bytes);
  const std::jthread reader([fd = std::move(out.read)] { read_all(fd.get()); });
  Copier copier(between(in.read.get(), out.write.get()));
  run(copier);
  EXPECT_TRUE(in_bytes == 0 || pipe_size(in.read.get()) == in_bytes) << "somebody counts on it";
  const int size = pipe_size(out.write.get());
  out.write.reset();
  return size;
}

TEST(Copier, AFileMakesAPipeOfTheUsualSizeLarger) {
  constexpr int kUsualPipe = 64 << 10, kBytesThatAreWorthIt = 3 << 20;
  const auto file = [](size_t bytes) {
    return TwoEnds{UniqueFd(::dup(ScratchFile(random_bytes(bytes)).fd.get())), UniqueFd()};
  };
  EXPECT_EQ(size_after(file(kBytesThatAreWorthIt), 0, kUsualPipe), 256 << 10);
  EXPECT_EQ(size_after(file(1'000), 0, kUsualPipe), kUsualPipe);
  EXPECT_EQ(size_after(file(kBytesThatAreWorthIt), 0, kUsualPipe / 2), kUsualPipe / 2)
      << "by somebody";
  TwoEnds pipe = make_pipe();
  const std::jthread feeder([fd = std::move(pipe.write)] {
    write_all(fd.get(), std::string(kBytesThatAreWorthIt, 'x'));
  });
  EXPECT_EQ(size_after(std::move(pipe), kUsualPipe, kUsualPipe), kUsualPipe);
}

TEST(Copier, StopsAfterSoManyBytesAndTakesNoMore) {
  for (const bool may_splice : {true, false}) {
    const std::string content = random_bytes(300'000);
    const ScratchFile in(content), out;
    CopyOptions options = between(in.fd.get(), out.fd.get());
    options.may_splice = may_splice;
    options.stop_after = 123'457;
    Copier copier(options);
    EXPECT_EQ(run(copier).bytes, 123'457u);
    EXPECT_EQ(::lseek(in.fd.get(), 0, SEEK_CUR), 123'457) << "the next program reads on from there";
    EXPECT_TRUE(out.content() == content.substr(0, 123'457));
  }
}

TEST(Copier, KeepsToALimit) {
  const ScratchFile in(random_bytes(100'000));
  Sink sink = drained(make_pipe());
  CopyOptions options = between(in.fd.get(), sink.fd.get());
  options.limit_bytes_per_s = 500'000;
  const uint64_t begin_ns = monotonic_ns();
  Copier copier(options);
  run(copier);
  EXPECT_GE(monotonic_ns() - begin_ns, kSecond / 5);
  sink.fd.reset();
  EXPECT_EQ(sink.finish().size(), 100'000u);
}

TEST(Copier, ADirectoryIsNoEnd) {
  const UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY));
  const UniqueFd null(::open("/dev/null", O_WRONLY));
  EXPECT_THROW(Copier(between(directory.get(), null.get())), SystemError);
}

// The pipe that it would splice through.
TEST(Copier, WithoutADescriptorItCopies) {
  const std::string content = random_bytes(kBytes);
  const ScratchFile in(content);
  const UniqueFd null(::open("/dev/null", O_WRONLY));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Copier copier(between(in.fd.get(), null.get()));
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(copier.progress().method, CopyMethod::copy);
  EXPECT_TRUE(copier.progress().why.starts_with("a pipe to splice through: Too many open files"));
  EXPECT_EQ(run(copier).bytes, content.size());
}

TEST(Copier, NamesTheEndThatFails) {
  const ScratchFile file("some bytes");
  const UniqueFd null(::open("/dev/null", O_RDONLY));  // not open for writing
  Copier to(between(file.fd.get(), null.get()));
  try {
    run(to);
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_STREQ(e.what(), "stdout: Bad file descriptor");
  }
  const TwoEnds pipe = make_pipe();
  CopyOptions options = between(pipe.write.get(), pipe.write.get());
  options.in_name = "some file";
  Copier from(options);
  try {
    run(from);
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_STREQ(e.what(), "some file: Bad file descriptor");
  }
  const TwoEnds source = make_pipe();
  ASSERT_EQ(::write(source.write.get(), "some", 4), 4);
  Copier wrong_way(between(source.read.get(), pipe.read.get()));
  EXPECT_THROW(run(wrong_way), SystemError);
}

TEST(Copier, AReaderThatWentIsAnError) {
  ::signal(SIGPIPE, SIG_IGN);
  const ScratchFile file(random_bytes(100'000));
  TwoEnds pipe = make_pipe();
  pipe.read.reset();
  Copier copier(between(file.fd.get(), pipe.write.get()));
  try {
    run(copier);
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_EQ(e.error_number(), EPIPE);
  }
  ::signal(SIGPIPE, SIG_DFL);
}

// A copy in a thread, whom signals can be sent.
class Runner {
 public:
  explicit Runner(const CopyOptions& options) : copier_(options) {
    thread_ = std::jthread([this] {
      tid_ = ::gettid();
      run(copier_);
      ended_ = true;
    });
  }

  void signal(int number) { ::pthread_kill(thread_.native_handle(), number); }
  bool ended() const { return ended_; }
  void join() { thread_.join(); }
  const Copier& copier() const { return copier_; }

  // 'S': it sleeps.
  char state() const { return field(3).front(); }
  // How often it has slept so far.
  std::string sleeps() const {
    std::ifstream status(task() + "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("voluntary_ctxt_switches")) return line;
    return "";
  }

 private:
  std::string task() const { return "/proc/self/task/" + std::to_string(tid_.load()) + "/"; }
  std::string field(int wanted) const {
    std::ifstream stat(task() + "stat");
    std::string text = "?";
    for (int i = 0; i < wanted; ++i) stat >> text;
    return text;
  }

  Copier copier_;
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> ended_ = false;
  std::jthread thread_;
};

void ignore_nothing(int) {}

struct InterruptedCopy : testing::Test {
  InterruptedCopy() {
    struct sigaction action {};
    action.sa_handler = ignore_nothing;  // no SA_RESTART
    ::sigaction(SIGUSR1, &action, &before);
  }
  ~InterruptedCopy() override { ::sigaction(SIGUSR1, &before, nullptr); }

  struct sigaction before {};
};

TEST_F(InterruptedCopy, SignalsLoseNothing) {
  for (const NamedSource& from : kSources) {
    for (const NamedSink& to : kSinks) {
      for (const bool may_splice : {true, false}) {
        SCOPED_TRACE(std::string(from.name) + " to " + to.name + (may_splice ? "" : ", copied"));
        Source source = from.make();
        Sink sink = to.make();
        CopyOptions options = between(source.fd.get(), sink.fd.get());
        options.may_splice = may_splice;
        Runner runner(options);
        while (!runner.ended()) {
          runner.signal(SIGUSR1);
          ::usleep(50);  // so that something moves in between
        }
        runner.join();
        sink.fd.reset();
        EXPECT_TRUE(sink.finish() == source.content);
      }
    }
  }
}

TEST_F(InterruptedCopy, ASignalEndsAWait) {
  const TwoEnds in = make_pipe(), out = make_pipe();
  Copier copier(between(in.read.get(), out.write.get()));
  const pthread_t self = ::pthread_self();
  std::jthread sender([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      ::pthread_kill(self, SIGUSR1);
      ::poll(nullptr, 0, 1);
    }
  });
  EXPECT_FALSE(copier.step().ended) << "it would wait for ever";
  sender.request_stop();
  sender.join();
  EXPECT_EQ(copier.progress().bytes, 0u);
}

void dont_block(int fd) { ASSERT_EQ(::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK), 0); }

// It sleeps, and nothing wakes it.
void expect_it_waits(const Runner& runner) {
  ASSERT_TRUE(eventually([&] { return runner.state() == 'S'; }));
  std::string before;
  EXPECT_TRUE(eventually([&] {
    const std::string now = runner.sleeps();
    return std::exchange(before, now) == now;
  })) << "it goes round and round";
}

TEST(NonblockingCopy, WaitsWithoutSpinning) {
  for (const bool may_splice : {true, false}) {
    TwoEnds in = make_pipe(), out = make_pipe();
    dont_block(in.read.get());
    dont_block(out.write.get());
    const int flags_in = ::fcntl(in.read.get(), F_GETFL);
    CopyOptions options = between(in.read.get(), out.write.get());
    options.may_splice = may_splice;
    Runner runner(options);
    expect_it_waits(runner);
    EXPECT_EQ(runner.copier().waits_for(), CopySide::in);
    const std::string content = random_bytes(kBytes);
    std::jthread feeder([&] {
      write_all(in.write.get(), content);
      in.write.reset();
    });
    ASSERT_TRUE(eventually([&] { return runner.copier().waits_for() == CopySide::out; }));
    expect_it_waits(runner);
    std::string arrived;
    std::jthread reader([&] { arrived = read_all(out.read.get()); });
    runner.join();
    EXPECT_EQ(::fcntl(in.read.get(), F_GETFL), flags_in) << "they are others', too";
    out.write.reset();
    reader.join();
    EXPECT_TRUE(arrived == content);
  }
}

TEST(NonblockingCopy, ASlowReaderOfASocketGetsAll) {
  Source source = file_source(random_bytes(kBytes));
  TwoEnds ends = make_sockets();
  dont_block(ends.write.get());
  Sink sink = drained(std::move(ends), 1'000);
  Copier copier(between(source.fd.get(), sink.fd.get()));
  run(copier);
  sink.fd.reset();
  EXPECT_TRUE(sink.finish() == source.content);
}

TEST(Copier, SeesWhichEndItWaitsFor) {
  const TwoEnds in = make_pipe(), out = make_pipe();
  Copier copier(between(in.read.get(), out.write.get()));
  EXPECT_EQ(copier.waits_for(), CopySide::in);
  write_all(in.write.get(), "x");
  EXPECT_EQ(copier.waits_for(), CopySide::none);
  dont_block(out.write.get());
  while (write_all(out.write.get(), std::string(4096, 'x'))) continue;
  EXPECT_EQ(copier.waits_for(), CopySide::out);
}

// An offset, and a count, that need more than 32 bits.
TEST(Copier, CrossesFourGigabytes) {
  constexpr off_t kFourGiB = off_t{1} << 32, kAround = 300'000;
  const ScratchFile in, out;
  const std::string around = random_bytes(2 * kAround);
  ASSERT_EQ(::pwrite(in.fd.get(), around.data(), around.size(), kFourGiB - kAround), 2 * kAround);
  for (const bool may_splice : {true, false}) {
    ::lseek(in.fd.get(), kFourGiB - kAround, SEEK_SET);
    ::lseek(out.fd.get(), kFourGiB - kAround, SEEK_SET);
    CopyOptions options = between(in.fd.get(), out.fd.get());
    options.may_splice = may_splice;
    Copier copier(options);
    EXPECT_EQ(run(copier).bytes, uint64_t(2 * kAround));
    std::string arrived(around.size(), '\0');
    ASSERT_EQ(::pread(out.fd.get(), arrived.data(), arrived.size(), kFourGiB - kAround),
              2 * kAround);
    EXPECT_TRUE(arrived == around);
    ASSERT_EQ(::ftruncate(out.fd.get(), 0), 0);
  }
}

}  // namespace
}  // namespace pipetop

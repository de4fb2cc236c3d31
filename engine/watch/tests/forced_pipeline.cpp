#include "engine/watch/tests/forced_pipeline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <random>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/eventually.h"
#include "engine/tests/run_first.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {
namespace {

constexpr uint64_t kWindow_ns = 2 * kSecond;

// Nothing that compresses well.
std::array<char, 65536> made_up() {
  std::array<char, 65536> bytes;
  std::minstd_rand random(1);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}
std::array<char, 65536> buffer = made_up();

void must(bool ok) {
  if (!ok) _exit(1);
}

void put(size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = write(1, buffer.data(), bytes - done);
    must(n > 0);
    done += static_cast<size_t>(n);
  }
}

// A stage that is forked dies with whoever forked it.
void begin(const ForcedStage& stage) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, stage.name.c_str());
  signal(SIGPIPE, SIG_DFL);
}

void connect(const std::vector<ForcedStage>& stages) {
  int input = open("/dev/null", O_RDONLY);
  for (size_t i = 0; i < stages.size(); ++i) {
    int ends[2] = {-1, -1};
    if (i + 1 < stages.size()) must(pipe(ends) == 0);
    if (fork() == 0) {
      begin(stages[i]);
      dup2(input, 0);
      if (ends[1] >= 0) dup2(ends[1], 1);
      for (const int fd : {input, ends[0], ends[1]})
        if (fd > 2) close(fd);
      stages[i].run();
      _exit(0);
    }
    close(input);
    if (ends[1] >= 0) close(ends[1]);
    input = ends[0];
  }
  if (input >= 0) close(input);
}

}  // namespace

namespace forced {

void burn(uint64_t ns) {
  const auto cpu_ns = [] {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * kSecond + static_cast<uint64_t>(now.tv_nsec);
  };
  for (const uint64_t end_ns = cpu_ns() + ns; cpu_ns() < end_ns;) continue;
}

void nap(uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  nanosleep(&time, nullptr);
}

void nap_on_average(uint64_t ns) {
  static uint64_t late_ns = 0;  // that those before took too long
  const uint64_t begin_ns = monotonic_ns(), made_up_ns = std::min(ns, late_ns);
  nap(ns - made_up_ns);
  late_ns += monotonic_ns() - begin_ns - ns;  // wraps round, as it is meant to
}

void produce() {
  for (;;) put(buffer.size());
}

void consume() {
  while (read(0, buffer.data(), buffer.size()) > 0) continue;
}

void copy_with(const std::function<void()>& in_between) {
  for (;;) {
    const ssize_t n = read(0, buffer.data(), 4096);
    must(n > 0);
    in_between();
    put(static_cast<size_t>(n));
  }
}

void copy(uint64_t work_ns) {
  copy_with([&] { burn(work_ns); });
}

void consume_with(const std::function<void()>& in_between) {
  while (read(0, buffer.data(), 4096) > 0) in_between();
}

void produce_with(const std::function<void()>& in_between) {
  for (;;) {
    in_between();
    put(4096);
  }
}

void run_before_others() { run_first(3); }

ForcedStage exec(std::vector<std::string> words) {
  return {words[0], [words] {
            std::vector<char*> pointers;
            for (const std::string& word : words)
              pointers.push_back(const_cast<char*>(word.c_str()));
            pointers.push_back(nullptr);
            execvp(pointers[0], pointers.data());
            _exit(127);
          }};
}

}  // namespace forced

ForcedPipelines::ForcedPipelines() {
  // What a shell leaves behind comes to us, so that nothing of a test outlives it.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  folder_ = testing::TempDir() + "pipetopXXXXXX";
  if (!mkdtemp(folder_.data())) ADD_FAILURE() << "no folder";
}

void ForcedPipelines::SetUp() {
  std::string reason;
  try {
    observe::make_bpf_pipe_scanner();
    observe::make_stage_observer();
    return;
  } catch (const Error& refused) {
    reason = refused.what();
  }
  if (bpf_is_required()) FAIL() << reason;
  GTEST_SKIP() << reason;
}

std::string ForcedPipelines::details_of(const Pipeline& view) {
  std::string text = view.verdict.because + "\n";
  for (const std::string& clause : view.verdict.evidence) text += "- " + clause + "\n";
  for (const Stage& stage : view.stages) {
    text += stage.name;
    if (const auto& shares = stage.shares; shares.has_value()) {
      text += fmt::format(" cpu {:.2f} runnable {:.2f} reading {:.2f} writing {:.2f}",
                          shares->on_cpu, shares->runnable, shares->reading, shares->writing);
      for (size_t i = 0; i < shares->elsewhere.size(); ++i)
        if (shares->elsewhere[i] > 0)
          text +=
              fmt::format(" {} {:.2f}", name_of(static_cast<WaitsFor>(i)), shares->elsewhere[i]);
    }
    text += "\n";
  }
  for (const Pipe& pipe : view.pipes) {
    text += fmt::format("pipe {} {}", fmt::join(active_stages(pipe.writers), ","),
                        fmt::join(active_stages(pipe.readers), ","));
    if (pipe.level.has_value())
      text += fmt::format(" empty {:.2f} full {:.2f} {}", pipe.level->empty_share,
                          pipe.level->full_share, pipe.level->samples);
    text += "\n";
  }
  return text;
}

void ForcedPipelines::TearDown() {
  watcher.reset();
  if (root_ > 0) {
    kill(-root_, SIGCONT);
    kill(-root_, SIGKILL);
    while (waitpid(-root_, nullptr, 0) > 0) continue;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  std::filesystem::remove_all(folder_);
}

void ForcedPipelines::root(const std::function<void()>& run) {
  const pid_t parent = getpid();
  root_ = fork();
  if (root_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    close(null);
    if (chdir(folder_.c_str()) != 0) _exit(1);
    run();
    for (;;) pause();
  }
  setpgid(root_, root_);  // whoever comes first
  watcher = std::make_unique<Watcher>(WatchOptions{.window_ns = kWindow_ns, .sees_self = true});
  watcher->open_tree(root_);
}

void ForcedPipelines::shell(const std::string& script) {
  root(forced::exec({"bash", "-c", script + "\nwait"}).run);
}

void ForcedPipelines::chain(const std::vector<ForcedStage>& stages) {
  root([&] { connect(stages); });
}

std::shared_ptr<const Snapshot> ForcedPipelines::tick() {
  poll(nullptr, 0, 50);
  return last = watcher->tick(monotonic_ns());
}

std::shared_ptr<const Snapshot> ForcedPipelines::until(
    const std::function<bool(const Snapshot&)>& is_so) {
  EXPECT_TRUE(eventually([&] { return is_so(*tick()); }, [] {}, kReadingPatience_ns))
      << (last->watched ? last->watched->verdict.because : "no pipeline");
  return last;
}

void ForcedPipelines::open_books() {
  books_.clear();
  for (const Stage& stage : last->watched->stages)
    if (!stage.gone) books_.emplace(stage.id.pid, stage.id.pid);
}

testing::AssertionResult ForcedPipelines::all_of(
    const std::string& name, const std::function<bool(const SchedstatWindow&)>& is_so) const {
  std::string text;
  bool all = true;
  for (const auto& [pid, book] : books_)
    for (const Stage& stage : last->watched->stages) {
      if (stage.id.pid != pid || (!name.empty() && stage.name != name)) continue;
      text += fmt::format(" {} {}: on a CPU {:.2f}, waits for one {:.2f};", stage.name, pid,
                          book.on_cpu(), book.runnable());
      all &= is_so(book);
    }
  return (all && !text.empty() ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "by schedstat:" << text;
}

testing::AssertionResult ForcedPipelines::works(const std::string& name) const {
  return all_of(name, [](const SchedstatWindow& book) { return book.busy() > 0.85; });
}
testing::AssertionResult ForcedPipelines::sleeps(const std::string& name) const {
  return all_of(name, [](const SchedstatWindow& book) { return book.asleep() > 0.7; });
}
testing::AssertionResult ForcedPipelines::hardly_runs(const std::string& name) const {
  return all_of(name, [](const SchedstatWindow& book) { return book.on_cpu() < 0.05; });
}
testing::AssertionResult ForcedPipelines::all_sleep() const {
  return all_of("", [](const SchedstatWindow& book) { return book.asleep() > 0.95; });
}

testing::AssertionResult ForcedPipelines::have_their_cpus() const {
  return all_of("", [](const SchedstatWindow& book) { return book.runnable() < 0.03; });
}

Verdict ForcedPipelines::found() {
  uint64_t since_ns = 0;
  std::string before;
  until([&](const Snapshot& s) {
    if (!s.watched || s.watched->window_ns < kWindow_ns) return false;
    const Verdict& now = s.watched->verdict;
    const std::string text = text_of(now, *s.watched);
    if (text != before || now.kind == Verdict::Kind::unknown) {
      since_ns = s.now_ns;
      open_books();
    }
    before = text;
    return s.now_ns - since_ns >= kWindow_ns;
  });
  return last->watched ? last->watched->verdict : Verdict{};
}

std::string ForcedPipelines::text_of(const Verdict& bottleneck, const Pipeline& view) {
  std::string text(name_of(bottleneck.kind));
  if (!bottleneck.stage) return text;
  const auto stage = std::ranges::find(view.stages, *bottleneck.stage, &Stage::id);
  return text + " " + (stage == view.stages.end() ? "?" : stage->name);
}

std::string ForcedPipelines::verdict() {
  const Verdict bottleneck = found();
  if (!last->watched) return "nothing";
  RecordProperty("said", bottleneck.because);
  return text_of(bottleneck, *last->watched);
}

pid_t ForcedPipelines::pid_of(const std::string& name) {
  pid_t pid = 0;
  until([&](const Snapshot& s) {
    if (!s.watched) return false;
    for (const Stage& stage : s.watched->stages)
      if (stage.name == name && !stage.gone) pid = stage.id.pid;
    return pid != 0;
  });
  return pid;
}

}  // namespace pipetop

#include "engine/tests/run_tests.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/system_files.h"
#include "engine/process/proc_files.h"

namespace pipetop {
namespace {

constexpr int kWindows = 3;  // of a measured test, that count
// All those that don't count may take so long together: what keeps a state from being forced, such
// as another test, may end. With a pause after each.
constexpr uint64_t kUnforced_ns = 120 * kSecond, kPause_ns = kSecond;
constexpr unsigned kHung_s = 170;  // longer than a test waits for anything
constexpr int kExitSkipped = 77, kExitUnforced = 75;
constexpr const char* kWindow = "PIPETOP_WINDOW";  // its number, in the process of a later one

// ---- what a failed test tells ----

std::list<const ToldOnFailure*>& told() {
  static std::list<const ToldOnFailure*> all;
  return all;
}

// CPU time of all processes, by pid.
std::map<pid_t, uint64_t> cpu_ticks() {
  std::map<pid_t, uint64_t> ticks;
  NumberedNames pids("/proc");
  while (const auto pid = pids.next())
    if (const auto stat = read_task_stat(*pid)) ticks[*pid] = stat->cpu_ticks;
  return ticks;
}

// Who used a CPU just now, the busiest first, and how busy the machine is.
std::string beside() {
  constexpr uint64_t kLook_ns = 300 * kMs;
  constexpr size_t kMost = 12;
  const auto before = cpu_ticks();
  usleep(kLook_ns / 1000);
  std::vector<std::pair<uint64_t, pid_t>> busy;
  for (const auto& [pid, ticks] : cpu_ticks())
    if (const auto found = before.find(pid); found != before.end() && ticks > found->second)
      busy.push_back({ticks - found->second, pid});
  std::ranges::sort(busy, std::greater{});
  if (busy.size() > kMost) busy.resize(kMost);
  std::string text = fmt::format("beside it: load {}, CPU pressure {}, I/O pressure {}\n",
                                 first_line(read_head("/proc/loadavg")),
                                 first_line(read_head("/proc/pressure/cpu")),
                                 first_line(read_head("/proc/pressure/io")));
  for (const auto& [ticks, pid] : busy) {
    std::string command = read_proc_file(pid, "cmdline");
    std::ranges::replace(command, '\0', ' ');
    if (command.empty()) command = first_line(read_proc_file(pid, "comm"));
    text += fmt::format("{:5.0f} % of a CPU  {}  {}\n",
                        100.0 * double(ticks * ns_per_tick()) / double(kLook_ns), pid,
                        command.substr(0, 300));
  }
  return text;
}

void tell_all() {
  std::string text;
  for (const ToldOnFailure* one : told()) text += one->tell()() + "\n";
  std::fputs((text + beside()).c_str(), stdout);
  std::fflush(stdout);
}

std::string name_of(const testing::TestInfo& test) {
  return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

// Nothing can be relied on any more, but it ends anyway.
void on_hang(int) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::printf("\n%s: still running after %u s\n", test ? name_of(*test).c_str() : "?", kHung_s);
  std::fflush(stdout);
  tell_all();
  _exit(1);
}

class FailureTeller : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    told_ = false;
    owner_ = getpid();
    std::signal(SIGALRM, on_hang);
    alarm(kHung_s);
  }
  // While all that the test made is still there.
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed() || told_ || getpid() != owner_) return;
    told_ = true;
    tell_all();
  }
  void OnTestEnd(const testing::TestInfo&) override { alarm(0); }

  bool told_ = false;
  pid_t owner_ = 0;
};

// ---- windows ----

bool is_measured(const testing::TestInfo& test) {
  return std::string_view(test.test_suite_name()).find("Measured") != std::string_view::npos;
}

bool was_forced(const testing::TestResult& result) {
  for (int i = 0; i < result.total_part_count(); ++i)
    if (std::string_view(result.GetTestPartResult(i).message()).find(kNotForced) !=
        std::string_view::npos)
      return false;
  return true;
}

// The exit status of this program when it runs that test alone.
int run_window(const std::string& test, int number) {
  std::printf("\nwindow %d of %s\n", number, test.c_str());
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv(kWindow, std::to_string(number).c_str(), 1);
    const std::string filter = "--gtest_filter=" + test;
    execl("/proc/self/exe", testing::internal::GetArgvs()[0].c_str(), filter.c_str(),
          "--gtest_brief=1", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Whether one of the windows held; the first one has been.
bool holds(const testing::TestInfo& test) {
  const std::string name = name_of(test);
  bool held = !test.result()->Failed();
  int unforced = !held && !was_forced(*test.result()), windows = 1;
  uint64_t unforced_ns = 0;
  while (!held && windows - unforced < kWindows && unforced_ns < kUnforced_ns) {
    const uint64_t began_ns = monotonic_ns();
    const int status = run_window(name, ++windows);
    held = status == 0;
    if (status != kExitUnforced) continue;
    ++unforced;
    usleep(kPause_ns / 1000);
    unforced_ns += monotonic_ns() - began_ns;
  }
  const std::string line =
      fmt::format("{} {} {} {}\n", name, held ? "held" : "failed", windows, unforced);
  if (windows > 1) std::printf("windows: %s", line.c_str());
  if (const char* path = std::getenv("PIPETOP_WINDOWS"))
    if (std::FILE* file = std::fopen(path, "a")) {
      std::fputs(line.c_str(), file);
      std::fclose(file);
    }
  return held;
}

// Whether all that ran passed, measured tests in one of their windows.
bool all_held() {
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  bool held = !tests.ad_hoc_test_result().Failed();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    held &= !suite.ad_hoc_test_result().Failed();
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (!test.should_run() || test.result()->Skipped()) continue;
      held &= is_measured(test) ? holds(test) : test.result()->Passed();
    }
  }
  return held;
}

}  // namespace

ToldOnFailure::ToldOnFailure(std::function<std::string()> tell) : tell_(std::move(tell)) {
  told().push_back(this);
}
ToldOnFailure::~ToldOnFailure() { told().remove(this); }

int run_tests(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  testing::UnitTest::GetInstance()->listeners().Append(new FailureTeller);
  const bool failed = RUN_ALL_TESTS() != 0;
  if (std::getenv(kWindow)) {
    for (int i = 0; i < tests.total_test_suite_count(); ++i)
      for (int j = 0; j < tests.GetTestSuite(i)->total_test_count(); ++j)
        if (!was_forced(*tests.GetTestSuite(i)->GetTestInfo(j)->result())) return kExitUnforced;
    return failed;
  }
  if (!all_held()) return 1;
  if (failed || tests.successful_test_count() > 0 || tests.skipped_test_count() == 0) return 0;
  return bpf_is_required() && tests.skipped_test_count() > 1 ? 1 : kExitSkipped;
}

}  // namespace pipetop

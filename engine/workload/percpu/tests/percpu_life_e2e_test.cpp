// Workers and engines that are killed: what takes their place, and what is left.
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "engine/base/system_files.h"
#include "engine/tests/support/child.h"
#include "engine/workload/percpu/tests/percpu_fixture.h"

namespace pipetop::percpu {
namespace {

TEST_F(PercpuTest, AKilledWorkerIsReplacedAndCountsOn) {
  Settings s = percpu_settings();
  s.percpu.workers = 2;
  start(s);
  const Snapshot before = insert();
  for (size_t i = 0; i < 2; ++i) {
    const Snapshot running = insert();
    const int pid = running.parts[i].pid;
    ASSERT_EQ(kill(pid, SIGKILL), 0);
    until([&](const Snapshot& t) { return t.parts[i].pid != pid && t.parts[i].pid > 0; });
    const Snapshot settled = settle();
    const Snapshot after = until([&](const Snapshot& t) {
      return t.parts[i].total.items > settled.parts[i].total.items + 500;
    });
    EXPECT_EQ(inserter(after).restarts, i + 1);
    EXPECT_EQ(inserter(after).state, ProcessState::flowing);
    EXPECT_GT(after.throughput.total_items, before.throughput.total_items);
  }
}

TEST_F(PercpuTest, StopsWithAllThatWasCounted) {
  start(percpu_settings());
  insert();
  engine->stop();
  const uint64_t total = engine->tick().throughput.total_items;
  EXPECT_GT(total, 0u);
  const Snapshot later = engine->tick();
  EXPECT_EQ(later.throughput.total_items, total);
  EXPECT_EQ(later.parts[0].total.items, total);
}

// "net:[4026532208]" of a process; "" when it has none.
std::string network_of(const std::string& pid) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + pid + "/ns/net", error).string();
}

bool is_anybodys(const std::string& network) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (network_of(entry.path().filename()) == network) return true;
  return false;
}

// An engine in a process of its own.
class EngineProcess : public Child {
 public:
  explicit EngineProcess(const Settings& settings) : Child([&] { return run(settings); }) {}

  // Networks of its children that are not ours.
  std::vector<std::string> networks() const {
    std::vector<std::string> found;
    const std::string ours = network_of("self");
    for (const std::string& child : children()) {
      const std::string network = network_of(child);
      if (!network.empty() && network != ours) found.push_back(network);
    }
    return found;
  }

  std::vector<std::string> children() const {
    const std::string own = std::to_string(pid());
    std::ifstream file("/proc/" + own + "/task/" + own + "/children");
    return {std::istream_iterator<std::string>(file), {}};
  }

  // A line for each child: its state, network, and where in the kernel it is.
  std::string what_children_do() const {
    std::string lines;
    for (const std::string& child : children()) {
      const std::string stat = read_head("/proc/" + child + "/stat");
      lines +=
          fmt::format("{} {}{}\n", network_of(child), stat, read_head("/proc/" + child + "/stack"));
    }
    return lines;
  }

 private:
  static int run(const Settings& settings) {
    EngineOptions options;
    options.settings = settings;
    options.bpf = BpfUse::off;
    Engine engine(options);
    for (;; usleep(2000)) {
      engine.handle_events();
      engine.tick();
    }
  }
};

void expect_nothing_left(const Settings& settings) {
  EngineProcess engine(settings);
  ASSERT_TRUE(eventually([&] { return engine.networks().size() == settings.percpu.workers; }))
      << engine.what_children_do();
  const auto networks = engine.networks();
  const auto workers = engine.children();
  for (const std::string& network : networks) EXPECT_TRUE(is_anybodys(network));
  engine.end();
  EXPECT_TRUE(eventually([&] {
    return std::ranges::none_of(workers, [](const auto& pid) { return !network_of(pid).empty(); });
  }));
  for (const std::string& network : networks) EXPECT_FALSE(is_anybodys(network)) << network;
}

TEST_F(PercpuTest, NothingIsLeftOfAKilledEngine) {
  Settings s = percpu_settings();
  s.percpu.workers = 2;
  expect_nothing_left(s);
}

// As sudo says who called: the workers are theirs, in user namespaces.
class PercpuSudoTest : public PercpuTest {
 protected:
  void SetUp() override {
    PercpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else; run as root";
    setenv("SUDO_UID", "65534", 1);
    setenv("SUDO_GID", "65534", 1);
    skip_or_fail(why_no_user_namespace());
  }
  void TearDown() override {
    engine.reset();
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
  }
};

TEST_F(PercpuSudoTest, RulesGoInWithFilters) {
  start(percpu_settings());
  const Snapshot s = insert();
  EXPECT_EQ(inserter(s).technique[0], "mirred (with u32 filters)");
  EXPECT_NE(figure(s, "percpu_bytes_per_rule").status, ReadingStatus::warming);
}

TEST_F(PercpuSudoTest, NothingIsLeftOfAKilledEngine) { expect_nothing_left(percpu_settings()); }

}  // namespace
}  // namespace pipetop::percpu

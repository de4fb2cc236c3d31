#include "engine/watch/process_tree.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/watch/tests/fake_machine.h"

namespace pipetop {
namespace {

class ProcessTreeTest : public testing::Test {
 protected:
  static WatchParts made_parts(ProcessTreeTest& test) {
    WatchParts parts;
    parts.read_stat = [&test](pid_t pid) -> std::optional<TaskStat> {
      const auto found = test.stats_.find(pid);
      return found == test.stats_.end() ? std::nullopt : std::optional(found->second);
    };
    parts.read_facts = [&test](pid_t) {
      return ProcessFacts{.command = test.command_, .cpus = {}};
    };
    parts.children_of = [&test](pid_t pid) { return test.children_[pid]; };
    parts.now_ns = [&test] { return test.now_ns_; };
    parts.boot_ns = [&test] { return test.now_ns_; };  // both clocks began together
    parts.cpu_ns = [] { return uint64_t{0}; };
    return parts;
  }

  void start(pid_t pid, pid_t parent, const std::string& name) {
    TaskStat stat;
    std::copy(name.begin(), name.end(), stat.name.begin());
    stat.state = 'S';
    stat.start_ticks = now_ns_ / ns_per_tick();
    stats_[pid] = stat;
    children_[parent].push_back(pid);
  }
  void end(pid_t pid, pid_t parent) {
    stats_.erase(pid);
    std::erase(children_[parent], pid);
  }
  void pass(uint64_t ns) {
    for (const uint64_t until_ns = now_ns_ + ns; now_ns_ < until_ns;) {
      now_ns_ += 100 * kMs;
      tree_.look(now_ns_);
    }
  }
  static Pipeline pipeline(const std::vector<pid_t>& pids, const ProcessTreeTest& test) {
    Pipeline seen;
    for (const pid_t pid : pids)
      seen.stages.emplace_back().id = {pid, test.stats_.at(pid).start_ticks};
    for (size_t i = 0; i + 1 < pids.size(); ++i) {
      Pipe& pipe = seen.pipes.emplace_back();
      pipe.writers.emplace_back().stage = i;
      pipe.readers.emplace_back().stage = i + 1;
    }
    return seen;
  }
  // "0 make 1/1 100 %" a row: depth, name, how many live of all, and the share of the time.
  std::vector<std::string> rows() const {
    const ProcessTreeView view = tree_.view({});
    std::vector<std::string> rows;
    for (const TreeRow& row : view.rows)
      rows.push_back(std::to_string(row.depth) + " " + row.name + " " + std::to_string(row.live) +
                     "/" + std::to_string(row.runs) + " " +
                     std::to_string(row.ran_ns * 100 / view.length_ns) + " %");
    return rows;
  }

  using Rows = std::vector<std::string>;
  std::map<pid_t, TaskStat> stats_;
  std::map<pid_t, std::vector<pid_t>> children_;
  std::string command_;  // of each
  uint64_t now_ns_ = 1000 * kSecond;
  WatchParts parts_ = made_parts(*this);
  ProcessTree tree_ = [this] {
    start(10, 1, "make");
    return ProcessTree(parts_, {10, now_ns_ / ns_per_tick()});
  }();
};

TEST_F(ProcessTreeTest, ChildrenFollowTheirParents) {
  start(11, 10, "sh");
  start(12, 11, "cc1");
  start(13, 10, "ld");
  pass(kSecond);
  EXPECT_EQ(rows(),
            (Rows{"0 make 1/1 100 %", "1 sh 1/1 100 %", "2 cc1 1/1 100 %", "1 ld 1/1 100 %"}));
}

TEST_F(ProcessTreeTest, ThoseOfOneNameAreOneRowAndTheirTimeCountsOnce) {
  start(11, 10, "cc1");
  start(12, 10, "cc1");
  pass(2 * kSecond);
  end(11, 10);
  end(12, 10);
  pass(2 * kSecond);
  start(13, 10, "cc1");
  pass(4 * kSecond);
  EXPECT_EQ(rows(), (Rows{"0 make 1/1 100 %", "1 cc1 1/3 75 %"}));
}

TEST_F(ProcessTreeTest, APipelineIsOneRow) {
  start(11, 10, "tar");
  start(12, 10, "xz");
  start(13, 10, "sleep");
  pass(kSecond);
  tree_.connect(pipeline({11, 12}, *this));
  EXPECT_EQ(rows(), (Rows{"0 make 1/1 100 %", "1 tar | xz 1/1 100 %", "1 sleep 1/1 100 %"}));
  end(11, 10);
  pass(kSecond);
  EXPECT_EQ(rows()[1], "1 tar | xz 1/1 100 %") << "one of its stages lives";
  end(12, 10);
  pass(2 * kSecond);
  EXPECT_EQ(rows()[1], "1 tar | xz 0/1 50 %");
}

TEST_F(ProcessTreeTest, OfSeveralRunsThoseThatLiveAreCounted) {
  uint64_t seconds = 0;
  for (const pid_t first : {11, 21, 31}) {
    start(first, 10, "tar");
    start(first + 1, 10, "xz");
    pass(++seconds * kSecond);
    tree_.connect(pipeline({first, first + 1}, *this));
    EXPECT_TRUE(rows()[1].starts_with("1 tar | xz 1/")) << rows()[1];
    end(first, 10);
    end(first + 1, 10);
    pass(++seconds * kSecond);
  }
  EXPECT_TRUE(rows()[1].starts_with("1 tar | xz 0/3")) << rows()[1];
}

TEST_F(ProcessTreeTest, AnExecChangesTheName) {
  start(11, 10, "bash");
  pass(kSecond);
  std::fill(stats_[11].name.begin(), stats_[11].name.end(), '\0');
  stats_[11].name[0] = 'x';
  pass(kSecond);
  EXPECT_EQ(rows()[1], "1 x 1/1 100 %");
}

TEST_F(ProcessTreeTest, AProgramThatHasJustBegunHasNoWordsYet) {
  start(11, 10, "sleep");
  pass(100 * kMs);
  EXPECT_EQ(rows()[1], "1 sleep 1/1 100 %");
  command_ = "sleep 1";
  pass(100 * kMs);
  EXPECT_EQ(rows()[1], "1 sleep 1 1/1 100 %");
}

TEST_F(ProcessTreeTest, AnOrphanStaysInItsPlace) {
  start(11, 10, "sh");
  start(12, 11, "daemon");
  pass(kSecond);
  end(11, 10);
  children_[1].push_back(12);
  pass(kSecond);
  EXPECT_EQ(rows(), (Rows{"0 make 1/1 100 %", "1 sh 0/1 50 %", "2 daemon 1/1 100 %"}));
  EXPECT_EQ(tree_.living().size(), 2u);
}

// Each stage of a pipeline for its part of the time.
TEST_F(ProcessTreeTest, TheBottleneckIsWhoWasBlamedMost) {
  start(11, 10, "sh");
  start(12, 10, "xz");
  pass(kSecond / 2);
  tree_.connect(pipeline({11, 12}, *this));
  const auto blame = [&](pid_t pid, int times) {
    for (int i = 0; i < times; ++i) {
      const ProcessId id{pid, stats_.at(pid).start_ticks};
      tree_.blame({&id, 1}, now_ns_);
      pass(kSecond / 2);
    }
  };
  blame(11, 5);  // of the first one nobody knows how long
  blame(12, 12);
  const TreeRow row = tree_.view({}).rows[1];
  EXPECT_EQ(row.bottleneck, "xz");
  EXPECT_EQ(row.ran_ns, 9 * kSecond);
  EXPECT_EQ(row.bottleneck_ns, 9 * kSecond * 12 / 16);
}

TEST_F(ProcessTreeTest, ItIsOverWhenNobodyLives) {
  start(11, 10, "sh");
  pass(2 * kSecond);
  end(11, 10);
  end(10, 1);
  pass(8 * kSecond);
  EXPECT_EQ(rows(), (Rows{"0 make 0/1 100 %", "1 sh 0/1 100 %"}));
}

TEST_F(ProcessTreeTest, CpuTimeIsThatOfAll) {
  start(11, 10, "cc1");
  start(12, 10, "cc1");
  pass(kSecond);
  stats_[11].cpu_ticks = 150;
  stats_[12].cpu_ticks = 50;
  pass(kSecond);
  EXPECT_EQ(tree_.view({}).rows[1].cpu_ns, 200 * ns_per_tick());
  end(11, 10);
  pass(kSecond);
  EXPECT_EQ(tree_.view({}).rows[1].cpu_ns, 200 * ns_per_tick());
}

}  // namespace
}  // namespace pipetop

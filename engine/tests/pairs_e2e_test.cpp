#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

Settings pairs(uint32_t count) {
  Settings s = stamped();
  s.pipe.pairs = count;
  return s;
}

class PairsTest : public EngineTest {
 protected:
  // For the life of this object, at most so many more descriptors can be opened.
  class FewDescriptors {
   public:
    explicit FewDescriptors(int more) {
      ::getrlimit(RLIMIT_NOFILE, &before_);
      const UniqueFd next(::dup(STDERR_FILENO));  // the lowest that is free
      const rlimit few = {static_cast<rlim_t>(next.get() + more), before_.rlim_max};
      ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

   private:
    rlimit before_ = {};
  };

  // Until each of so many pairs has moved `bytes` in all.
  Snapshot all_flow(size_t count, uint64_t bytes = 1 << 20) {
    return until([&](const Snapshot& s) {
      return s.effective.settled && s.parts.size() == count &&
             std::ranges::all_of(s.parts,
                                 [&](const PartReadings& p) { return p.total.items >= bytes; });
    });
  }
};

TEST_F(PairsTest, ComeAndGoWhileDataFlows) {
  start(pairs(1));
  const int first = all_flow(1).parts[0].pid;
  engine->apply(pairs(3), "three");
  const Snapshot three = all_flow(3);
  EXPECT_EQ(three.parts[0].pid, first) << "the first one is left alone";
  EXPECT_EQ(writer(three).processes, 3);
  const uint64_t total = three.throughput.total_items;
  engine->apply(pairs(1), "one");
  const Snapshot one = flow();
  EXPECT_EQ(one.parts.size(), 1u);
  EXPECT_EQ(one.parts[0].pid, first);
  EXPECT_GE(one.throughput.total_items, total) << "what the others moved still counts";
  expect_no_damage(one);
}

TEST_F(PairsTest, EachIsCheckedByItself) {
  start(pairs(2));
  expect_no_damage(all_flow(2));
}

TEST_F(PairsTest, AWorkerOfAnyIsReplaced) {
  start(pairs(2));
  const int victim = all_flow(2).parts[1].pid;
  ::kill(victim, SIGKILL);
  const Snapshot after = until([&](const Snapshot& s) {
    return s.effective.settled && s.parts[1].pid > 0 && s.parts[1].pid != victim;
  });
  EXPECT_EQ(reader(after).restarts, 1u);
  const uint64_t before = after.parts[1].total.items;
  until([&](const Snapshot& s) { return s.parts[1].total.items > before + (1 << 20); });
}

TEST_F(PairsTest, AnotherWorkloadIsAnotherEngine) {
  start(pairs(1));
  Settings other;
  other.workload = WorkloadKind::page_cache;
  EXPECT_THROW(engine->apply(other, "page-cache"), Error);
  flow();
}

// Wherever the descriptors run out: at the pipe, the writer or the reader.
TEST_F(PairsTest, APairIsAddedWholeOrNotAtAll) {
  start(pairs(1));
  all_flow(1);
  int refusals = 0;
  for (bool added = false; !added;) {
    try {
      const FewDescriptors few(refusals);
      engine->apply(pairs(2), "pairs 2");
      added = true;
    } catch (const Error&) {
      ++refusals;
    }
    const Snapshot s = engine->tick();
    const int pairs_now = added ? 2 : 1;
    EXPECT_EQ(s.requested.pipe.pairs, uint32_t(pairs_now)) << refusals;
    EXPECT_EQ(writer(s).processes, pairs_now) << refusals;
    EXPECT_EQ(reader(s).processes, pairs_now) << refusals;
  }
  EXPECT_GE(refusals, 5) << "two at the pipe, one at the writer, two at the reader";
  all_flow(2);
}

}  // namespace
}  // namespace pipetop

#include "tui/command_line/share_means.h"

#include <gtest/gtest.h>

namespace pipetop::tui {
namespace {

TEST(ShareMeans, AverageWhatIsKnown) {
  ShareMeans means;
  WorkerView worker;
  worker.on_cpu_share = Reading<double>::warming("too early");
  worker.blocked_share = Reading<double>::unavailable("no schedstat");
  means.add(worker);
  EXPECT_EQ(means.means().on_cpu.reason, "too early");
  for (const double share : {0.2, 0.4}) {
    worker.on_cpu_share = Reading<double>::of(share);
    means.add(worker);
  }
  EXPECT_DOUBLE_EQ(*means.means().on_cpu, 0.3);
  EXPECT_EQ(means.means().blocked.reason, "no schedstat");
}

}  // namespace
}  // namespace pipetop::tui

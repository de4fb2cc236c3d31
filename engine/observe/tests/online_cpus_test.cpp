#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/clock.h"
#include "engine/observe/perf_events.h"

namespace pipetop::observe {
namespace {

class OnlineCpusTest : public testing::Test {
 protected:
  OnlineCpusTest() { close(mkstemp(file_.data())); }
  ~OnlineCpusTest() override { unlink(file_.c_str()); }
  void set_online(const char* cpus) const { std::ofstream(file_) << cpus << "\n"; }

  std::string file_ = std::filesystem::temp_directory_path() / "pipetop-test-XXXXXX";
};

TEST_F(OnlineCpusTest, AChangeIsSaidOnce) {
  set_online("0-255");
  OnlineCpus cpus(file_);
  EXPECT_EQ(cpus.change(1 * kSecond), "");
  set_online("0-7,9-255");
  EXPECT_EQ(cpus.change(2 * kSecond),
            "CPUs 0-7,9-255 are online now, not 0-255: new ones are not sampled; "
            "restart pipetop");
  EXPECT_EQ(cpus.change(3 * kSecond), "");
  set_online("0-255");
  EXPECT_NE(cpus.change(4 * kSecond), "") << "its event is gone";
}

TEST_F(OnlineCpusTest, IsReadAtMostOnceASecond) {
  set_online("0");
  OnlineCpus cpus(file_);
  EXPECT_EQ(cpus.change(kSecond), "");
  set_online("0-1");
  EXPECT_EQ(cpus.change(2 * kSecond - 1), "");
  EXPECT_NE(cpus.change(2 * kSecond), "");
}

}  // namespace
}  // namespace pipetop::observe

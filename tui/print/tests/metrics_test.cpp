// The text that Prometheus reads.
#include "tui/print/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "engine/watch/tests/fake_machine.h"

namespace pipetop::tui {
namespace {

struct MetricsTest : testing::Test {
  MetricsTest() {
    machine.add(10, "ta\"r\\");
    machine.add(11, "gzip");
    machine.connect(100, 10, 11);
    machine.pipe(100).bytes_per_s = 1e6;
    machine.pipe(100).used_share = 1;
    machine.runs(11);
    machine.waits(10, WaitsFor::pipe_write, 1);
  }
  std::string text(MetricsFormat format, size_t most_series = 200) {
    PipelineTotals totals({.most_series = most_series}, machine.parts());
    for (int i = 0; i < 3; ++i) {
      totals.pass(machine.now_ns);
      machine.pass(5 * kSecond);
    }
    return metrics_text(totals, {.cpu_s = 1.5, .memory_bytes = 2e7, .start_s = 1e9}, format);
  }
  FakeMachine machine;
};

TEST_F(MetricsTest, PlainTextOfPrometheus) {
  const std::string all = text(MetricsFormat::prometheus);
  for (const char* part :
       {"# HELP pipetop_pipe_bytes_total Bytes put into these pipes.\n"
        "# TYPE pipetop_pipe_bytes_total counter\n"
        "pipetop_pipe_bytes_total{pipeline=\"ta\\\"r\\\\|gzip\",cgroup=\"/\","
        "writer=\"ta\\\"r\\\\\",reader=\"gzip\"} 99",  // of ten million
        "\npipetop_pipe_full_seconds_total{pipeline=\"ta\\\"r\\\\|gzip\",cgroup=\"/\","
        "writer=\"ta\\\"r\\\\\",reader=\"gzip\"} 5\n",
        "\npipetop_stage_on_cpu_seconds_total{pipeline=\"ta\\\"r\\\\|gzip\",cgroup=\"/\","
        "stage=\"gzip\"} 5\n",
        "\npipetop_bottleneck{pipeline=\"ta\\\"r\\\\|gzip\",cgroup=\"/\",kind=\"stage\","
        "stage=\"gzip\"} 1\n",
        "# TYPE pipetop_build_info gauge\n", "\npipetop_bpf 1\n", "\npipetop_clocks 1\n",
        "\nprocess_cpu_seconds_total 1.5\n", "\nprocess_resident_memory_bytes 20000000\n"})
    EXPECT_NE(all.find(part), all.npos) << part << all;
  EXPECT_EQ(all.find("\"other\""), all.find("\"other\", because")) << "all have room";
  EXPECT_EQ(all.find("# EOF"), all.npos);
}

TEST_F(MetricsTest, OpenMetrics) {
  const std::string all = text(MetricsFormat::open_metrics);
  EXPECT_NE(all.find("# TYPE pipetop_pipe_bytes counter\n# UNIT pipetop_pipe_bytes bytes\n"
                     "pipetop_pipe_bytes_total{"),
            all.npos);
  EXPECT_NE(all.find("# TYPE pipetop_build info\npipetop_build_info{version="), all.npos);
  EXPECT_TRUE(all.ends_with("\n# EOF\n"));
}

// Each family once, and each series.
TEST_F(MetricsTest, NothingIsGivenTwice) {
  for (const MetricsFormat format : {MetricsFormat::prometheus, MetricsFormat::open_metrics}) {
    std::istringstream lines(text(format));
    std::set<std::string> seen;
    size_t samples = 0;
    for (std::string line; std::getline(lines, line);) {
      const bool is_sample = !line.starts_with("#");
      const std::string key =
          is_sample ? line.substr(0, line.rfind(' ')) : line.substr(0, line.find(' ', 8));
      EXPECT_TRUE(seen.insert(key).second) << line;
      samples += is_sample;
    }
    EXPECT_GT(samples, 30u);
  }
}

TEST_F(MetricsTest, WhatHasNoRoomIsOther) {
  machine.add(20, "cat");
  machine.add(21, "wc");
  machine.connect(200, 20, 21);
  const std::string all = text(MetricsFormat::prometheus, 1);
  EXPECT_NE(all.find("pipetop_pipes{pipeline=\"other\",cgroup=\"\",writer=\"\",reader=\"\"} 1\n"),
            all.npos)
      << all;
  EXPECT_NE(all.find("\npipetop_summed_pipelines 1\n"), all.npos);
}

TEST(MetricsFormats, AreAsAccepted) {
  const auto is_open = [](std::string_view accept) {
    return format_accepted(accept) == MetricsFormat::open_metrics;
  };
  EXPECT_TRUE(
      is_open("application/openmetrics-text; version=1.0.0; charset=utf-8;q=0.5, "
              "text/plain;version=0.0.4;q=0.3, */*;q=0.1"));
  EXPECT_TRUE(is_open("application/openmetrics-text"));
  EXPECT_FALSE(is_open("text/plain;version=0.0.4, application/openmetrics-text;q=0.5"));
  EXPECT_FALSE(is_open("application/openmetrics-text;q=0"));
  EXPECT_FALSE(is_open("application/vnd.google.protobuf;q=1,*/*"));
  EXPECT_FALSE(is_open(""));
  EXPECT_FALSE(is_open(",,;;q=,"));
}

}  // namespace
}  // namespace pipetop::tui

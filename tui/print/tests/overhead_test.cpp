#include "engine/experiment/overhead.h"

#include <gtest/gtest.h>

#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

TEST(OverheadDocument, SaysHowOftenItSampledAndTheRange) {
  Overhead overhead;
  overhead.event = {.name = "cpu-clock", .hz = 999, .share = 0.1};
  overhead.rounds = {{10, 9.9, 9}, {10, 9.8, 9.5}, {20, 19, 19.8}};
  const Document document = overhead_document({{"vmsplice_read", overhead}});
  EXPECT_NE(document.human.find("\n"
                                "vmsplice_read, 999 Hz 10 % of the time, 3 rounds, 10.0 GiB/s "
                                "unobserved\n"
                                "  observers on / off            0.950  [0.925 .. 0.970]  0.900 to "
                                "0.990\n"
                                "  timer interrupts alone / off  0.980  [0.965 .. 0.985]  0.950 to "
                                "0.990\n"),
            std::string::npos)
      << document.human;
  const Json& found = document.tree["overhead"][0];
  EXPECT_EQ(found["hz"], 999);
  EXPECT_EQ(found["time_share"], 0.1);
  EXPECT_EQ(found["observers"]["ratio_range"], Json({0.9, 0.99}));
}

}  // namespace
}  // namespace pipetop::tui

#include "engine/meter/price_meter.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

using When = PriceMeter::When;

class FedPipe {
 public:
  // Moves items for a while, which the meter has been told of.
  void flow(uint64_t ms, uint64_t items_per_ms, When next) {
    total_ = total_ + Progress{ms * items_per_ms, ms * kMs};
    meter.add(total_, next);
  }
  // A second with a slice in it; the rates of the two.
  void second(uint64_t in_slice, uint64_t between) {
    flow(400, between, When::observed);
    flow(100, in_slice, When::unobserved);
    flow(500, between, When::unobserved);
  }
  const Progress& total() const { return total_; }

  PriceMeter meter;

 private:
  Progress total_{12'345, 678 * kMs};
};

TEST(PriceMeter, TheShareThatIsLostOverAll) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 5; ++i) pipe.second(80, 100);
  ASSERT_TRUE(pipe.meter.price().has_value()) << pipe.meter.price().reason;
  EXPECT_NEAR(*pipe.meter.price(), 0.02, 1e-9);
  EXPECT_DOUBLE_EQ(*pipe.meter.unobserved(1000), 100);
}

TEST(PriceMeter, ItCanBeNegative) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 5; ++i) pipe.second(120, 100);
  EXPECT_NEAR(*pipe.meter.price(), -0.02, 1e-9);
}

TEST(PriceMeter, IsUnknownUntilThereWereSomeSlices) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(pipe.meter.price().has_value());
    EXPECT_FALSE(pipe.meter.unobserved(1).has_value());
    pipe.second(80, 100);
  }
  EXPECT_TRUE(pipe.meter.price().has_value());
  pipe.meter.clear();
  EXPECT_FALSE(pipe.meter.price().has_value());
}

TEST(PriceMeter, ThatNothingMovesSaysNothing) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 6; ++i) pipe.second(0, 0);
  EXPECT_FALSE(pipe.meter.price().has_value());
}

TEST(PriceMeter, TimeThatIsNeitherDoesNotCount) {
  FedPipe pipe;
  pipe.flow(1000, 7, When::unobserved);
  for (int i = 0; i < 5; ++i) pipe.second(80, 100);
  pipe.flow(100, 100, When::neither);
  pipe.flow(3000, 1, When::unobserved);
  const double price = *pipe.meter.price();
  pipe.meter.skip(pipe.total() + Progress{5'000'000, 1 * kMs});
  EXPECT_DOUBLE_EQ(*pipe.meter.unobserved(1000), 100);
  EXPECT_DOUBLE_EQ(*pipe.meter.price(), price);
}

}  // namespace
}  // namespace pipetop

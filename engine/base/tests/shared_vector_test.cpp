#include "engine/base/shared_vector.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

TEST(SharedVector, IsReadAsAVector) {
  const SharedVector<int> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
  const SharedVector<int> some = {1, 2, 3};
  const std::vector<int>& plain = some;
  EXPECT_EQ(plain, (std::vector{1, 2, 3}));
  EXPECT_EQ(some.size(), 3u);
  EXPECT_EQ(some[1], 2);
  EXPECT_EQ(some.back(), 3);
}

TEST(SharedVector, CopiesShareUntilOneChanges) {
  SharedVector<int> a = {1, 2};
  const SharedVector<int> b = a;
  EXPECT_EQ(a.get().data(), b.get().data());
  a.push_back(3);
  a[0] = 9;
  EXPECT_EQ(a.get(), (std::vector{9, 2, 3}));
  EXPECT_EQ(b.get(), (std::vector{1, 2}));
  const int* before = a.get().data();
  a[1] = 8;
  EXPECT_EQ(a.get().data(), before) << "nobody else has it";
  a.clear();
  EXPECT_TRUE(a.empty());
}

}  // namespace
}  // namespace pipetop

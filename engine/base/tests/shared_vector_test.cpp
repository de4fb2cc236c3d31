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

std::vector<int> values(const Series<int>& series) {
  const std::span<const int> span = series;
  return {span.begin(), span.end()};
}

TEST(Series, ACopyStaysAsItIs) {
  Series<int> series;
  EXPECT_TRUE(values(series).empty());
  for (int i = 0; i < 10; ++i) series.push_back(i);
  const Series<int> copy = series;
  for (int i = 10; i < 1000; ++i) {
    series.push_back(i);
    series.pop_front();
  }
  EXPECT_EQ(values(copy), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(values(series).front(), 990);
  EXPECT_EQ(series.front(), 990);
  EXPECT_EQ(series.back(), 999);
  EXPECT_EQ(series.size(), 10u);
}

TEST(Series, CopiesGoOnApart) {
  Series<int> a;
  a.push_back(1);
  Series<int> b = a;
  a.push_back(2);
  b.push_back(3);
  EXPECT_EQ(values(a), (std::vector<int>{1, 2}));
  EXPECT_EQ(values(b), (std::vector<int>{1, 3}));
}

TEST(Series, CopiesShareTheirMemory) {
  Series<int> series;
  series.push_back(1);
  const Series<int> copy = series;
  series.push_back(2);
  EXPECT_EQ(&copy.front(), &series.front());
}

}  // namespace

}  // namespace pipetop

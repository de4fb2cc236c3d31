#include "engine/recording/fields.h"

#include <gtest/gtest.h>

#include <string_view>

namespace pipetop::recording {
namespace {

// "(Bound)7" if no enumerator has that value, else its name.
template <auto kValue>
constexpr std::string_view text_of() {
  return __PRETTY_FUNCTION__;
}
template <auto kValue>
constexpr bool is_named() {
  const std::string_view text = text_of<kValue>();
  const size_t value = text.find("kValue = ");
  return text[value + 9] != '(';
}

template <class... Enum>
void expect_last(Enum... values) {
  (..., [](auto value) {
    using E = decltype(value);
    constexpr E last = last_value(E{});
    EXPECT_TRUE(is_named<last>()) << text_of<last>();
    constexpr E next = static_cast<E>(static_cast<int>(last) + 1);
    EXPECT_FALSE(is_named<next>()) << text_of<next>() << ": say so in last_value()";
  }(values));
}

TEST(RecordedFields, TheLastValuesAreTheLast) {
  expect_last(WriteWith{}, ReadWith{}, Wait{}, Pages{}, Buffers{}, Placement{}, Payload{}, Files{},
              Profile{}, WorkloadKind{}, Observing{}, Role{}, ProcessState{}, FigureKind{},
              ZeroCopy{}, Bound{}, Severity{}, BpfCounters{}, ShowPart{}, RecordedMark::Kind{},
              WaitsFor{}, Access{}, StageState::Kind{}, Bottleneck::Kind{});
}

struct Grown {
  int one = 0;
  std::string two;
  std::vector<int> three;
  std::array<double, 3> four{};
};

TEST(RecordedFields, MembersAreCounted) {
  EXPECT_EQ(kMembers<Grown>, 4u);
  EXPECT_EQ(kMembers<Integrity>, 8u);
  EXPECT_EQ(kMembers<Snapshot>, kFieldCount<Snapshot>);
}

}  // namespace
}  // namespace pipetop::recording

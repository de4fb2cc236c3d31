#include "engine/recording/fields.h"

#include <gtest/gtest.h>

#include "engine/base/enumerator.h"

namespace pipetop::recording {
namespace {

template <class... Enum>
void expect_last(Enum... values) {
  (..., [](auto value) {
    using E = decltype(value);
    constexpr E last = last_value(E{});
    EXPECT_TRUE(is_enumerator<last>()) << enumerator_text<last>();
    constexpr E next = static_cast<E>(static_cast<int>(last) + 1);
    EXPECT_FALSE(is_enumerator<next>()) << enumerator_text<next>() << ": say so in last_value()";
  }(values));
}

TEST(RecordedFields, TheLastValuesAreTheLast) {
  expect_last(WriteWith{}, ReadWith{}, Wait{}, Pages{}, Buffers{}, Placement{}, Payload{}, Files{},
              Profile{}, WorkloadKind{}, Observing{}, Role{}, ProcessState{}, FigureKind{},
              ZeroCopy{}, Verdict::Kind{}, Severity{}, BpfCounters{}, ShowPart{},
              RecordedMark::Kind{}, SceneWait::For{}, WaitsFor{}, Access{}, StageState::Kind{});
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

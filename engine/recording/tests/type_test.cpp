#include "engine/recording/type.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/recording/codec.h"

namespace pipetop::recording {
namespace {

struct Grown {
  int one = 0;
  std::string two;
  std::vector<int> three;
  std::array<double, 3> four{};
};
constexpr auto fields(const Grown*) {
  using T = Grown;
  return Fields<&T::one, &T::two, &T::three, &T::four>();
}
struct Lacking {
  int one = 0;
  std::string two;
};
constexpr auto fields(const Lacking*) { return Fields<&Lacking::one>(); }

TEST(RecordedType, ATableThatLacksAMemberIsRefused) {
  EXPECT_EQ(members<Grown>(), 4u);
  EXPECT_TRUE(kComplete<Grown>);
  EXPECT_FALSE(kComplete<Lacking>);
}

TEST(RecordedType, ItsMembersHaveTheirNamesAndPlaces) {
  const Type& type = type_of<Integrity>();
  EXPECT_EQ(type.name, "pipetop::Integrity");
  ASSERT_EQ(type.fields.size(), 8u);
  EXPECT_EQ(type.fields[1].name, "misplaced") << "of its base";
  EXPECT_EQ(type.fields[1].type->name, "u64");
  EXPECT_EQ(type.fields[1].offset, offsetof(WorkerIntegrity, misplaced));
  EXPECT_EQ(type.fields[7].name, "wrong_share");
  EXPECT_EQ(type.fields[7].type->name, "reading of f64");
  EXPECT_EQ(type_of<Grown>().fields[3].type->name, "array of 3 f64");
}

TEST(RecordedType, TheLastValueOfAnEnumerationIsTheLast) {
  EXPECT_EQ(last_value<WaitsFor>(), kWaits - 1);
  EXPECT_EQ(last_value<SlotKind>(), kSlotKinds - 1);
  EXPECT_EQ(last_value<Verdict::Kind>(), int(kVerdictKinds) - 1);
}

// What a pipetop wrote whose structs had less, or others.
Layout layout_of(std::string_view name, const std::vector<std::array<std::string, 2>>& members) {
  ByteWriter out;
  out.number(uint32_t{1});
  out.text(name);
  out.number(static_cast<uint32_t>(members.size()));
  for (const auto& [member, type] : members) out.text(member), out.text(type);
  ByteReader in(out.bytes());
  return Layout::read(in);
}

TEST(RecordedType, AMemberThatWasNotRecordedKeepsItsDefault) {
  const Layout layout = layout_of("pipetop::SceneWait", {{"ns", "u64"}});
  const SharedValues shared;
  Budget budget(1000);
  ByteWriter out;
  out.number(uint64_t{77});
  ByteReader in(out.bytes());
  SceneWait wait{SceneWait::For::key, 1};
  Decoder(shared, layout, budget).get(in, wait);
  EXPECT_EQ(wait.ns, 77u);
  EXPECT_EQ(wait.what, SceneWait::For::key);
}

TEST(RecordedType, WhatIsNotKnownIsNotRead) {
  EXPECT_THROW(layout_of("pipetop::SceneWait", {{"new", "u64"}}), Error);
  EXPECT_THROW(layout_of("pipetop::SceneWait", {{"ns", "f64"}}), Error);
  EXPECT_THROW(layout_of("pipetop::New", {}), Error);
}

}  // namespace
}  // namespace pipetop::recording

#include <gtest/gtest.h>

#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/widgets/ladder.h"

namespace pipetop::tui {
namespace {

const Settings& rung(size_t n) { return built_in_presets()[n].settings; }

TEST(PresetName, ThePaceIsNoPartOfIt) {
  const auto presets = built_in_presets();
  Settings s = rung(2);
  EXPECT_EQ(name_of(presets, s), "vmsplice_read");
  s.pipe.slow_motion = true;
  EXPECT_EQ(preset_of(presets, s), "vmsplice_read");
  EXPECT_EQ(name_of(presets, s), "vmsplice_read · slow motion");
  s.pipe.single_step = true;
  EXPECT_EQ(name_of(presets, s), "vmsplice_read · single steps");
  s.pipe.gift = true;
  EXPECT_EQ(name_of(presets, s), "custom · single steps");
  s.observers = Observing::off;
  s.pipe = rung(0).pipe;
  EXPECT_EQ(name_of(presets, s), "write_read");
}

TEST(PresetName, APresetInSlowMotionHasItsOwnName) {
  Preset slow{"slowly", "", rung(2), 0};
  slow.settings.pipe.slow_motion = true;
  EXPECT_EQ(name_of({&slow, 1}, slow.settings), "slowly");
}

TEST(TakenBack, OnlyWhatWasChangedByHand) {
  Settings busy = rung(0);
  busy.pipe.writer_wait = busy.pipe.reader_wait = Wait::busy;
  EXPECT_EQ(taken_back(rung(0), busy, rung(2)), "wait busy → block");
  EXPECT_EQ(taken_back(rung(0), rung(0), rung(6)), "") << "all of it is the step";
  EXPECT_EQ(taken_back(rung(5), rung(5), rung(4)), "");
  Settings by_hand = rung(0);
  by_hand.pipe.write_with = WriteWith::vmsplice;
  EXPECT_EQ(taken_back(rung(0), by_hand, rung(2)), "") << "it stays";
  by_hand.pipe.write_with = WriteWith::tee;
  EXPECT_EQ(taken_back(rung(0), by_hand, rung(2)), "") << "the step sets it anyway";
  EXPECT_EQ(taken_back(rung(0), by_hand, rung(0)), "write_with tee → write");
}

TEST(TakenBack, RolesThatDifferAreSaidApart) {
  Settings mixed = rung(0);
  mixed.pipe.reader_wait = Wait::poll;
  EXPECT_EQ(taken_back(rung(0), mixed, rung(2)), "reader.wait poll → block");
  Settings pinned = rung(0);
  pinned.pipe.placement = Placement::cpus;
  pinned.pipe.writer_cpu = 1;
  EXPECT_EQ(taken_back(rung(0), pinned, rung(2)), "placement cpus → near, writer.cpu 1 → none");
}

}  // namespace
}  // namespace pipetop::tui

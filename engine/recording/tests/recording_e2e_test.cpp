// What a real engine measures comes back as it was.
#include <string>
#include <vector>

#include "engine/recording/recorder.h"
#include "engine/recording/recording.h"
#include "engine/recording/tests/same_snapshots.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

using RecordingOfAnEngine = EngineTest;

TEST_F(RecordingOfAnEngine, EveryTickOfEveryRungComesBack) {
  start(article_presets()[0].settings, BpfUse::automatic);
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  std::vector<Snapshot> live;
  uint64_t last_ns = 0;
  const auto tick_for = [&](uint64_t ns) {
    const uint64_t end_ns = serve().now_ns + ns;
    for (Snapshot s = serve(); s.now_ns < end_ns; s = serve()) {
      if (s.now_ns < last_ns + 50'000'000) continue;
      last_ns = s.now_ns;
      recorder.add(s);
      live.push_back(std::move(s));
    }
  };
  for (const Preset& rung : article_presets()) {
    engine->apply(rung.settings, "preset " + rung.name, "1");
    tick_for(700'000'000);
  }
  recorder.finish();
  Recording read = Recording::of_bytes("test", bytes);
  ASSERT_EQ(read.frames(), live.size());
  for (size_t i = 0; i < live.size(); ++i)
    ASSERT_TRUE(recording::same(read.frame(i), live[i])) << i;
  EXPECT_GE(read.marks().size(), article_presets().size());
}

}  // namespace
}  // namespace pipetop

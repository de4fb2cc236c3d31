#include "engine/recording/recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/recording/chunk.h"
#include "engine/recording/recorder.h"
#include "engine/recording/tests/random_values.h"
#include "engine/recording/tests/same_snapshots.h"

namespace pipetop {
namespace {

using recording::RandomValues;
using recording::same;

std::vector<Snapshot> random_snapshots(size_t count, unsigned seed, uint64_t rarely) {
  RandomValues values(seed);
  std::vector<Snapshot> all;
  Snapshot s;
  for (size_t i = 0; i < count; ++i) {
    values.change(s, rarely);
    all.push_back(s);
  }
  return all;
}

std::string file_with(const std::vector<Snapshot>& all, const RecordingHeader& header = {}) {
  std::string bytes;
  Recorder recorder(header, [&](std::string_view block) { bytes += block; });
  for (const Snapshot& s : all) recorder.add(s);
  recorder.finish();
  EXPECT_EQ(recorder.bytes(), bytes.size());
  return bytes;
}

TEST(Recording, EverySnapshotComesBackExactly) {
  for (const uint64_t rarely : {2, 10, 100}) {
    const auto all = random_snapshots(150, static_cast<unsigned>(rarely), rarely);
    Recording read = Recording::of_bytes("test", file_with(all));
    ASSERT_EQ(read.frames(), all.size());
    EXPECT_EQ(read.damage(), "");
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_TRUE(same(read.frame(i), all[i])) << "frame " << i << ", one of " << rarely;
  }
}

TEST(Recording, FramesCanBeReadInAnyOrder) {
  const auto all = random_snapshots(200, 7, 10);
  Recording read = Recording::of_bytes("test", file_with(all));
  RandomValues random(1);
  for (int i = 0; i < 100; ++i) {
    const size_t at = random.below(all.size());
    ASSERT_TRUE(same(read.frame(at), all[at])) << at;
    const double seconds = double(all[at].now_ns - all[0].now_ns) / 1e9;
    ASSERT_TRUE(same(read.snapshot_at(seconds + 0.001), all[at])) << seconds;
  }
  EXPECT_TRUE(same(read.snapshot_at(-5), all.front()));
  EXPECT_TRUE(same(read.snapshot_at(1e300), all.back()));
  EXPECT_TRUE(same(read.frame(1'000'000), all.back()));
}

TEST(Recording, TheHeaderSaysWhereItComesFrom) {
  RecordingHeader header;
  header.unix_s = 1'700'000'000;
  header.frames_per_s = 10;
  header.roof_gib_per_s = Reading<double>::of(102);
  Preset preset{"mine", "My own", {}, 3.5};
  preset.settings.pipe.write_with = WriteWith::tee;
  header.presets = {preset};
  Snapshot s;
  s.now_ns = 5;
  s.requested.pipe.read_with = ReadWith::splice;
  HostInfo host;
  host.kernel = "6.18";
  host.mitigations = {{"meltdown", "Not affected"}};
  s.host = std::make_shared<const HostInfo>(host);
  const Recording read = Recording::of_bytes("test", file_with({s}, header));
  EXPECT_EQ(read.version(), kVersion);
  EXPECT_EQ(read.header().unix_s, header.unix_s);
  EXPECT_EQ(read.header().frames_per_s, 10u);
  EXPECT_EQ(read.header().settings, s.requested);
  ASSERT_EQ(read.header().presets.size(), 1u);
  EXPECT_EQ(read.header().presets[0].title, "My own");
  EXPECT_EQ(read.header().presets[0].settings, preset.settings);
  EXPECT_EQ(*read.header().roof_gib_per_s, 102);
  EXPECT_EQ(read.header().host.kernel, "6.18");
  EXPECT_EQ(read.header().host.mitigations.at(0).flaw, "meltdown");
}

Snapshot moment(uint64_t now_ns, uint32_t segment = 1, uint64_t begin_ns = 1) {
  Snapshot s;
  s.now_ns = now_ns;
  s.throughput.current.number = segment;
  s.throughput.current.begin_ns = begin_ns;
  s.throughput.current.label = "segment " + std::to_string(segment);
  return s;
}

TEST(Recording, KeepsTwentyFramesASecondAndEveryChange) {
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  for (uint64_t ms = 1000; ms < 2000; ++ms) recorder.add(moment(ms * 1'000'000));
  recorder.add(moment(1'999'500'000, 2, 1'999'400'000));
  recorder.add(moment(1'999'400'000, 2, 1'999'400'000));  // time does not go back
  recorder.finish();
  const Recording read = Recording::of_bytes("test", bytes);
  EXPECT_EQ(read.frames(), 28u) << "three quarters of 50 ms apart, and the change";
  ASSERT_EQ(read.marks().size(), 2u);
  EXPECT_EQ(read.marks()[1].label, "segment 2");
  EXPECT_EQ(read.marks()[1].at_ns, 1'999'400'000u);
}

TEST(Recording, ScenesHaveTheirTitles) {
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) { bytes += block; });
  recorder.add(moment(1'000'000'000));
  Scene scene;
  scene.title = "Lending pages";
  scene.caption = "vmsplice puts the\nwriter's pages into the ring";
  scene.view = ShowPart::functions;
  scene.highlight = "gup_fast_fallback";
  scene.notes = "The reader still copies.";
  scene.wait = {SceneWait::For::time, 30'000'000'000};
  recorder.begin_scene(2'000'000'000, 3, scene);
  recorder.add(moment(3'000'000'000, 2, 2'000'000'001));
  recorder.finish();
  const Recording read = Recording::of_bytes("test", bytes);
  ASSERT_EQ(read.marks().size(), 3u);
  const RecordedMark& mark = read.marks()[1];
  EXPECT_EQ(mark.kind, RecordedMark::Kind::scene);
  EXPECT_EQ(mark.number, 3u);
  EXPECT_EQ(mark.label, "Lending pages");
  EXPECT_EQ(mark.caption, scene.caption);
  EXPECT_EQ(mark.view, ShowPart::functions);
  EXPECT_EQ(mark.highlight, "gup_fast_fallback");
  EXPECT_EQ(mark.notes, scene.notes);
  EXPECT_EQ(mark.wait.what, SceneWait::For::time);
  EXPECT_EQ(mark.wait.ns, scene.wait.ns);
}

TEST(Recording, ABlockIsWrittenEveryTwoSeconds) {
  size_t blocks = 0;
  Recorder recorder({}, [&](std::string_view) { ++blocks; });
  uint64_t ms = 1000;
  for (; ms <= 3000; ms += 50) recorder.add(moment(ms * 1'000'000));
  EXPECT_EQ(blocks, 2u) << "the header, and two seconds";
  for (; ms <= 11'000; ms += 50) recorder.add(moment(ms * 1'000'000));
  EXPECT_EQ(blocks, 6u);
}

TEST(Recording, AFullDiskEndsIt) {
  std::string bytes;
  Recorder recorder({}, [&](std::string_view block) {
    if (bytes.size() > 10'000) throw Error("disk: No space left on device");
    bytes += block;
  });
  const auto all = random_snapshots(1000, 3, 10);
  EXPECT_THROW(
      {
        for (const Snapshot& s : all) recorder.add(s);
      },
      Error);
  const size_t size = bytes.size();
  recorder.add(all.back());
  recorder.finish();
  EXPECT_EQ(bytes.size(), size) << "nothing more is tried";
  Recording read = Recording::of_bytes("test", bytes);
  EXPECT_EQ(read.damage(), "");
  EXPECT_TRUE(same(read.frame(read.frames() - 1), all[read.frames() - 1]));
}

TEST(Recording, AHistoryIsStoredOnce) {
  std::vector<Snapshot> all;
  Snapshot s;
  for (uint64_t i = 1; i <= 3000; ++i) s.throughput.history.push_back({i, double(i) / 7});
  for (uint64_t i = 0; i < 1200; ++i) {
    s.now_ns = (i + 1) * 50'000'000;
    if (i % 2) s.throughput.history.push_back({3001 + i, double(i) / 3});
    if (i % 2) s.throughput.history.pop_front();
    all.push_back(s);
  }
  const std::string bytes = file_with(all);
  EXPECT_LT(bytes.size(), 60'000u);
  Recording read = Recording::of_bytes("test", bytes);
  EXPECT_TRUE(same(read.frame(1199), all[1199]));
  EXPECT_TRUE(same(read.frame(600), all[600]));
}

// Several pipes, each with its own; one is gone for a while.
TEST(Recording, TheSeriesOfPipesAreStoredOnce) {
  std::vector<Snapshot> all;
  Snapshot s;
  s.watched.emplace();
  s.watched->pipes.resize(3);
  for (uint64_t i = 1; i <= 1200; ++i) {
    s.now_ns = i * 50'000'000;
    for (size_t p = 0; p < 3; ++p) {
      Pipe& pipe = s.watched->pipes[p];
      pipe.id.inode = p;
      pipe.rates.push_back({i, p == 2 ? 0 : double(i * (p + 1)) / 7});  // one is idle
      pipe.fill.push_back({i, p == 1 ? 0 : double(i * (p + 1)) / 11});
      if (pipe.rates.size() > 600) pipe.rates.pop_front(), pipe.fill.pop_front();
    }
    all.push_back(s);
    if (i % 300 > 250) all.back().watched->pipes.erase(all.back().watched->pipes.begin());
  }
  const std::string bytes = file_with(all);
  EXPECT_LT(bytes.size(), 160'000u);
  Recording read = Recording::of_bytes("test", bytes);
  for (const size_t i : {1199u, 600u, 270u, 299u, 0u})
    EXPECT_TRUE(same(read.frame(i), all[i])) << i;
}

TEST(Recording, AnEndOfNoStageIsDamage) {
  Snapshot s = moment(1'000'000'000);
  s.watched.emplace();
  s.watched->stages.resize(2);
  s.watched->pipes.resize(1);
  s.watched->pipes[0].writers.resize(1);
  s.watched->pipes[0].writers[0].stage = 1;
  EXPECT_EQ(Recording::of_bytes("test", file_with({s})).damage(), "");
  s.watched->pipes[0].writers[0].stage = 2;
  EXPECT_THROW(Recording::of_bytes("test", file_with({s})), Error);
}

std::string refusal_of(std::string bytes) {
  try {
    Recording::of_bytes("file", std::move(bytes));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Recording, WhatIsNoneIsRefused) {
  const std::string whole = file_with(random_snapshots(3, 1, 10));
  EXPECT_EQ(refusal_of(""), "file: it is no pipetop recording");
  EXPECT_EQ(refusal_of("#!/bin/sh\n"), "file: it is no pipetop recording");
  EXPECT_EQ(refusal_of("pipetop recording 3\n"),
            "file: format 3, but this pipetop reads 2: install a newer one");
  EXPECT_EQ(refusal_of("pipetop recording 1\n"),
            "file: format 1, of an older pipetop: replay it with that, or record it again");
  EXPECT_EQ(refusal_of("pipetop recording 2\n"), "file: its header is missing");
  EXPECT_EQ(refusal_of(whole.substr(0, 60)), "file: the last block is cut off");
  EXPECT_THROW(Recording("/nonexistent/file.ptop"), Error);
  EXPECT_THROW(Recording("/dev/null"), Error);
  EXPECT_THROW(Recording("/tmp"), Error);
}

// What replay keeps in memory has a limit, whatever the size of the file.
TEST(Recording, SixHoursAndAThousandChangesAreReplayed) {
  constexpr uint64_t kSecond_ns = 1'000'000'000, kSeconds = 6 * 3600;
  std::string bytes;
  RecordingHeader header;
  header.frames_per_s = 1;
  Recorder recorder(header, [&](std::string_view block) { bytes += block; });
  auto tree = std::make_shared<CallTree>();
  for (uint32_t i = 0; i < 500; ++i)
    tree->nodes.push_back({Function("f" + std::to_string(i)), CallNode::kNone, i, i});
  OccupancyHistory history;
  history.column_ns = kSecond_ns / 5;
  Snapshot s;
  for (uint64_t second = 1; second <= kSeconds; ++second) {
    s.now_ns = second * kSecond_ns;
    for (uint64_t i = 0; i < 10; ++i)
      s.throughput.history.push_back({s.now_ns + i, double(second)});
    while (s.throughput.history.size() > 3000) s.throughput.history.pop_front();
    for (uint64_t i = 0; i < 5; ++i) history.columns.push_back({s.now_ns + i, 1, {}});
    while (history.columns.size() > 600) history.columns.pop_front();
    s.ring.history = std::make_shared<const OccupancyHistory>(history);
    if (second % 20 == 0) {
      auto closed = std::make_shared<Segment>(s.throughput.current);
      closed->roles[0].functions = Reading<FunctionTable>::of({.tree = tree});
      s.throughput.segments.push_back(std::move(closed));
      s.throughput.current.begin_ns = s.now_ns;
      ++s.throughput.current.number;
    }
    recorder.add(s);
  }
  recorder.finish();
  Recording read = Recording::of_bytes("test", bytes);
  EXPECT_EQ(read.damage(), "");
  ASSERT_EQ(read.frames(), kSeconds);
  EXPECT_TRUE(same(read.frame(kSeconds - 1), s));
}

}  // namespace
}  // namespace pipetop

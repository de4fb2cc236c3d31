#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/recording/recording.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/command_line/result_files.h"
#include "tui/dashboard/source.h"
#include "tui/print/document.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

Snapshot snapshot_at(uint64_t ms, uint32_t segment = 1) {
  Snapshot s = example_snapshot();
  s.now_ns = 60 * kSecond + ms * kMs;
  s.throughput.current.number = segment;
  s.throughput.current.begin_ns = 60 * kSecond + (segment == 1 ? 0 : 1000 * kMs);
  s.throughput.current.label = segment == 1 ? "start" : "write_with vmsplice";
  s.throughput.current.key = segment == 1 ? "" : "v";
  return s;
}

// Two seconds, with a change after the first.
void record(RecordingFile& file) {
  for (uint64_t ms = 0; ms <= 2000; ms += 50) file.add(snapshot_at(ms, ms < 1000 ? 1 : 2));
}

class InScratch : public testing::Test {
 protected:
  InScratch() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(scratch_.path());
  }
  ~InScratch() override { std::filesystem::current_path(before_); }

  size_t files() const {
    const auto all = std::filesystem::directory_iterator(scratch_.path());
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

  ScratchDirectory scratch_;
  std::filesystem::path before_;
  Config config_ = default_config();
};

using RecordingFileTest = InScratch;

TEST_F(RecordingFileTest, HoldsWhatTheReplayNeeds) {
  RecordingFile file(config_, 102, "a.ptop");
  EXPECT_TRUE(file.on());
  record(file);
  file.finish();
  EXPECT_FALSE(file.on());
  const Recording read("a.ptop");
  EXPECT_EQ(read.frames(), 41u);
  EXPECT_EQ(read.header().presets.size(), config_.presets.size());
  EXPECT_EQ(*read.header().roof_gib_per_s, 102);
  EXPECT_EQ(read.header().host.kernel, "6.18.44");
  EXPECT_NEAR(double(read.header().unix_s), double(::time(nullptr)), 60);
}

TEST_F(RecordingFileTest, AKeyBeginsNewFilesAndReplacesNone) {
  EXPECT_TRUE(name_at(1'800'000'000, ".ptop").starts_with("pipetop-2027011"));
  EXPECT_TRUE(name_at(1'800'000'000, ".ptop").ends_with("00.ptop"));
  RecordingFile file(config_, {}, "");
  EXPECT_FALSE(file.on());
  EXPECT_EQ(files(), 0u);
  for (size_t n = 1; n <= 3; ++n) {
    const std::string began = file.toggle();
    EXPECT_TRUE(began.starts_with("recording to pipetop-2")) << began;
    EXPECT_TRUE(file.on());
    record(file);
    const std::string said = file.toggle();
    EXPECT_TRUE(said.starts_with("recorded: pipetop replay pipetop-2")) << said;
    EXPECT_EQ(files(), n);
    EXPECT_EQ(Recording(said.substr(said.rfind(' ') + 1)).frames(), 41u);
  }
}

TEST_F(RecordingFileTest, WhatWasNotFinishedIsKept) {
  {
    RecordingFile file(config_, {}, "a.ptop");
    record(file);
  }
  EXPECT_EQ(Recording("a.ptop").frames(), 41u);
}

TEST_F(RecordingFileTest, AFullDiskEndsIt) {
  RecordingFile file(config_, {}, "/dev/full");
  EXPECT_THROW(file.add(snapshot_at(0)), Error);
  EXPECT_FALSE(file.on());
  file.add(snapshot_at(50));
  file.finish();
}

TEST_F(RecordingFileTest, APlaceThatCannotBeWrittenIsSaidAtOnce) {
  EXPECT_THROW(RecordingFile(config_, {}, "/nonexistent/a.ptop"), Error);
  EXPECT_THROW(RecordingFile(config_, {}, "."), Error);
  if (geteuid() == 0) return;
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::owner_read);
  RecordingFile file(config_, {}, "");
  EXPECT_THROW(file.toggle(), Error);
  EXPECT_FALSE(file.on());
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::owner_all);
}

TEST_F(RecordingFileTest, TheDocumentSaysWhatItHolds) {
  RecordingFile file(config_, {}, "a.ptop");
  record(file);
  Scene scene;
  scene.title = "Lending pages";
  file.begin_scene(60 * kSecond + 2010 * kMs, 1, scene);
  file.add(snapshot_at(2050, 2));
  file.finish();
  Recording read("a.ptop");
  const Document document = recording_document(read);
  for (const char* part : {"Linux 6.18.44", "2.0 s", "42 frames", "start", "write_with vmsplice",
                           "scene 1: Lending pages", "62.1"})
    EXPECT_NE(document.human.find(part), std::string::npos) << part << "\n" << document.human;
  const auto json = nlohmann::json::parse(json_text(document));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["frames"], 42);
  EXPECT_EQ(json["duration_ns"], 2'050'000'000);
  EXPECT_TRUE(json["damage"].is_null());
  ASSERT_EQ(json["chapters"].size(), 3u);
  EXPECT_EQ(json["chapters"][1]["key"], "v");
  EXPECT_EQ(json["chapters"][1]["begin_s"], 1.0);
  EXPECT_EQ(json["chapters"][1]["gib_per_s"]["mean"], 62.1);
  EXPECT_EQ(json["chapters"][2]["kind"], "scene");
}

TEST_F(RecordingFileTest, TheDocumentOfAWatchedPipelineNamesIt) {
  RecordingFile file(config_, {}, "a.ptop");
  Snapshot s = snapshot_at(0);
  Pipeline& watched = s.watched.emplace();
  watched.stages.resize(2);
  watched.stages[0].name = "tar";
  watched.stages[1].name = "zstd";
  watched.pipes.resize(1);
  watched.pipes[0].writers.resize(1);
  watched.pipes[0].readers.resize(1);
  watched.pipes[0].readers[0].stage = 1;
  watched.measured = watched.pipes[0].id = {14, 501};
  Snapshot first = snapshot_at(0);
  first.watched.emplace().stages.resize(1);
  first.watched->stages[0].name = "sh";
  file.add(first);
  for (uint64_t ms = 50; ms < 400; ms += 50) {
    const uint64_t now_ns = snapshot_at(ms).now_ns;
    s.now_ns = now_ns;
    file.add(s);
  }
  file.finish();
  Recording read("a.ptop");
  const Document document = recording_document(read);
  EXPECT_NE(document.human.find("rates of pipe 501"), std::string::npos) << document.human;
  EXPECT_NE(document.human.find("pipeline tar | zstd"), std::string::npos) << document.human;
  const auto json = nlohmann::json::parse(json_text(document));
  EXPECT_EQ(json["pipeline"], "tar | zstd");
  EXPECT_EQ(json["measured_pipe"], 501);
  EXPECT_TRUE(json["workload"].is_null());
}

}  // namespace
}  // namespace pipetop::tui

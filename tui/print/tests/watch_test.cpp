#include "tui/print/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tui/draw/text.h"
#include "tui/print/tests/watch_example.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kOver_ns = 1'000'000'000;

WatchPrint how(PipeSort sort = PipeSort::rate) {
  return {.begin_ns = 98'000'000'000, .over_ns = kOver_ns, .sort = sort};
}

int widest(const std::string& text) {
  std::istringstream lines(text);
  int most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
}

TEST(PrintWatch, ATableHasARowForEachPipe) {
  EXPECT_EQ(
      watch_document(example_pipes(), how()).human,
      "3 pipes, over 1.0 s; ~ is estimated; without 12 idle sockets; 1 process not "
      "readable\n"
      "\n"
      "writer       state    reader         state      size  queued  empty  full         rate"
      "  pipe\n"
      "1201:1 seq   blocked  1202:0 gzip    running  64 KiB  64 KiB    0 %  97 %  ~75.5 MiB/s\n"
      "1202:1 gzip  running  1203:0 wc      blocked  64 KiB     0 B  100 %   0 %   19.5 KiB/s\n"
      "?                     (88:3 logger)  poll          ?       ?      ?     ?            ?"
      "  /tmp/queue\n");
}

TEST(PrintWatch, ATableFitsItsTerminal) {
  Snapshot s = example_pipes();
  for (PipeRow& row : s.table.rows.own())
    for (Stage& stage : row.stages) stage.name = "fifteen-letters";
  for (const int columns : {200, 120, 100, 80, 70}) {
    WatchPrint narrow = how();
    narrow.columns = columns;
    const std::string text = watch_document(s, narrow).human;
    const std::string rows = text.substr(text.find("\n\n"));
    EXPECT_LE(widest(rows), columns) << text;
    EXPECT_NE(rows.find("full"), rows.npos) << text;
    EXPECT_EQ(rows.find("queued") != rows.npos, columns >= 100) << text;
  }
}

TEST(PrintWatch, ATableSaysWhatIsMissingAndWhatIsLeftOut) {
  Snapshot s = example_pipes();
  s.no_bpf = "no BPF; sudo pipetop";
  s.table.source = ScanSource::proc;
  s.table.idle_sockets = {};
  WatchPrint filtered = how();
  filtered.filter = "queue";
  const Document document = watch_document(s, filtered);
  EXPECT_TRUE(
      document.human.starts_with("1 of 3 pipes, over 1.0 s; ~ is estimated; 1 process "
                                 "not readable\nseen by /proc only: no BPF; sudo pipetop\n"))
      << document.human;
  EXPECT_EQ(document.tree["source"], "proc");
  EXPECT_EQ(document.tree["source_reason"], "no BPF; sudo pipetop");
  EXPECT_TRUE(document.tree["idle_sockets"].is_null());
  EXPECT_EQ(document.tree["idle_sockets_reason"], "no BPF; sudo pipetop");
  EXPECT_EQ(document.tree["pipes"].size(), 1u);
  filtered.filter = "no such";
  EXPECT_EQ(std::ranges::count(watch_document(s, filtered).human, '\n'), 2) << "no empty table";
}

TEST(PrintWatch, AContainerIsFoundAndTold) {
  Snapshot s = example_pipes();
  s.table.rows.own()[1].stages[0].cgroup = "docker 0123456789ab";
  WatchPrint filtered = how();
  filtered.filter = "docker";
  const Document document = watch_document(s, filtered);
  ASSERT_EQ(document.tree["pipes"].size(), 1u);
  EXPECT_NE(document.tree.dump().find("\"cgroup\":\"docker 0123456789ab\""), std::string::npos);
}

TEST(PrintWatch, TheJsonHasThreadsQuotasAndPidsInside) {
  Snapshot s = example_pipes();
  s.watched = example_pipeline();
  Stage& stage = s.watched->stages[0];
  const Json alone = watch_document(s, how()).tree["stages"][0];
  for (const char* absent : {"thread_list", "threads_left_out", "pid_inside"})
    EXPECT_FALSE(alone.contains(absent)) << absent;
  stage.threads = 300;
  stage.pid_inside = 7;
  stage.quota_cpus = 0.5;
  StageThread& thread = stage.thread_list.emplace_back();
  thread.tid = 4712;
  thread.name = "in";
  thread.reads = true;
  thread.shares = Reading<StageShares>::of({.on_cpu = 0.75, .reading = 0.25});
  thread.pipes = {{{15, 501}, false, 0.25}};
  stage.thread_list.emplace_back().shares = Reading<StageShares>::warming("not counted");
  const Json json = watch_document(s, how()).tree["stages"][0];
  EXPECT_EQ(json["pid_inside"], 7);
  EXPECT_EQ(json["limits"]["quota"]["cpus"], 0.5);
  EXPECT_TRUE(json["limits"]["quota"]["throttled_share"].is_null()) << "no period has ended";
  EXPECT_EQ(json["threads_left_out"], 298);
  const Json& first = json["thread_list"][0];
  EXPECT_EQ(first["tid"], 4712);
  EXPECT_EQ(first["role"], "reads");
  EXPECT_EQ(first["shares"]["on_cpu_share"], 0.75);
  EXPECT_EQ(first["pipes"], (Json{{{"device", 15}, {"inode", 501}, {"reading_share", 0.25}}}));
  const Json& unknown = json["thread_list"][1];
  EXPECT_TRUE(unknown["shares"].is_null() && unknown["role"].is_null());
  EXPECT_EQ(unknown["role_reason"], "not counted");
}

TEST(PrintWatch, EndsThatAreLeftOutAreSaid) {
  Snapshot s = example_pipes();
  EXPECT_EQ(watch_document(s, how()).tree["left_out"], Json::array());
  s.table.left_out = {{{4711, 1}, 3}, {{4712, 1}, 100}};
  const Document document = watch_document(s, how());
  const std::string said = "103 pipe ends are left out: process 4712 and 1 more hold too many\n";
  EXPECT_NE(document.human.find(said), said.npos) << document.human;
  EXPECT_EQ(document.tree["left_out"],
            (Json{{{"pid", 4711}, {"ends", 3}}, {{"pid", 4712}, {"ends", 100}}}));
  s.watched = example_pipeline();
  EXPECT_TRUE(watch_document(s, how()).human.starts_with(said));
}

TEST(PrintWatch, TheJsonHasWhatIsChangedInOtherProcesses) {
  Snapshot s = example_pipes();
  EXPECT_EQ(watch_document(s, how()).tree["interventions"], Json::array());
  s.interventions.emplace_back().text = "pipe 501: 64 KiB -> 1 MiB";
  WatchPrint after_others = how();
  after_others.leftovers = {"process 123: nice 0 -> 10"};
  EXPECT_EQ(watch_document(s, after_others).tree["interventions"],
            (Json{{{"text", "process 123: nice 0 -> 10"}, {"leftover", true}},
                  {{"text", "pipe 501: 64 KiB -> 1 MiB"}, {"leftover", false}}}));
}

TEST(PrintWatch, NoTextIsMadeForJsonLines) {
  Snapshot s = example_pipes();
  WatchPrint lines = how();
  lines.text = false;
  EXPECT_EQ(watch_document(s, lines).human, "");
  s.watched = example_pipeline();
  EXPECT_EQ(watch_document(s, lines).human, "");
}

TEST(PrintWatch, TheJsonOfATableHoldsEverything) {
  const Document document = watch_document(example_pipes(), how());
  const Json& tree = document.tree;
  EXPECT_EQ(document.type, "pipes");
  EXPECT_EQ(tree["t_ns"], 2'000'000'000u);
  EXPECT_EQ(tree["over_ns"], kOver_ns);
  EXPECT_EQ(tree["scan_ns"], 1'500'000u);
  EXPECT_EQ(tree["idle_sockets"], 12);
  EXPECT_EQ(tree["unreadable_processes"], 1);
  EXPECT_EQ(tree["counts_bytes"], false);
  ASSERT_EQ(tree["pipes"].size(), 3u);
  const Json& first = tree["pipes"][0];
  EXPECT_EQ(first["inode"], 501);
  EXPECT_EQ(first["device"], 14);
  EXPECT_TRUE(first["path"].is_null());
  EXPECT_EQ(first["path_reason"], "it is no FIFO");
  EXPECT_EQ(first["age_ns"], 12'000'000'000u);
  EXPECT_EQ(first["capacity_bytes"], 65'536);
  EXPECT_EQ(first["queued_bytes"], 65'536);
  EXPECT_EQ(first["ring"], (Json{{"slots", 16}, {"used", 16}}));
  EXPECT_EQ(first["occupancy"]["full_share"], 0.97);
  EXPECT_EQ(first["occupancy"]["samples"], 900);
  EXPECT_EQ(first["exact"], false);
  EXPECT_EQ(first["bytes_range"], (Json{{"low", 0.98}, {"high", 1.03}}));
  EXPECT_EQ(first["open_to_read"], 1);
  const Json& writer = first["writers"][0];
  EXPECT_EQ(writer["pid"], 1201);
  EXPECT_EQ(writer["fd"], 1);
  EXPECT_EQ(writer["active"], true);
  EXPECT_TRUE(writer["bytes"].is_null());
  EXPECT_EQ(writer["bytes_reason"], "bytes are not counted; give --exact");
  const Json& stage = first["stages"][writer["stage"].get<size_t>()];
  EXPECT_EQ(stage["command"], "seq 100000000");
  EXPECT_EQ(stage["doing"]["state"], "waiting");
  EXPECT_EQ(stage["doing"]["waits_for"], name_of(WaitsFor::pipe_write));
  EXPECT_EQ(stage["doing"]["pipe"]["inode"], 501);
  EXPECT_EQ(stage["shares"]["writing_share"], 0.92);
  EXPECT_EQ(stage["cpu_ns"], 960'000'000u);
}

TEST(PrintWatch, WhatIsUnknownIsNullWithAReason) {
  const Document document = watch_document(example_pipes(), how());
  const Json& pipe = document.tree["pipes"][2];
  EXPECT_EQ(pipe["path"], "/tmp/queue");
  for (const char* name : {"capacity_bytes", "queued_bytes", "ring", "occupancy", "bytes_per_s",
                           "bytes", "open_to_write"}) {
    EXPECT_TRUE(pipe.contains(name) && pipe[name].is_null()) << name;
    EXPECT_FALSE(pipe.value(name + std::string("_reason"), "").empty()) << name;
  }
  EXPECT_TRUE(pipe["writers"].empty());
  EXPECT_EQ(pipe["readers"][0]["active"], false);
}

// Nobody reads or writes it, so it is said wherever the pipe is.
TEST(PrintWatch, ALockedPipeIsNamed) {
  Snapshot s = example_pipes();
  Pipe& pipe = s.table.rows.own()[0].pipe;
  pipe.ring.reset();
  pipe.capacity.reset();
  pipe.queued.reset();
  pipe.lock = PipeLock{{1201, 8201}, "seq", "splice"};
  s.table.rows.own()[2].pipe.lock.emplace();
  for (const int columns : {80, 120}) {
    WatchPrint wide = how();
    wide.columns = columns;
    const std::string text = watch_document(s, wide).human;
    for (const char* line : {"\npipe 501 (seq 1201 to gzip 1202) is locked: a splice of 1201 (seq) "
                             "holds it\n",
                             "\n/tmp/queue (unknown to unknown) is locked\n"})
      EXPECT_NE(text.find(line), text.npos) << line << text;
  }
  const Json json = watch_document(s, how()).tree;
  const Json& first = json["pipes"][0];
  EXPECT_EQ(first["locked"], true);
  EXPECT_EQ(first["locked_by"], (Json{{"pid", 1201}, {"name", "seq"}, {"call", "splice"}}));
  EXPECT_TRUE(first["queued_bytes"].is_null());
  EXPECT_EQ(first["queued_bytes_reason"], "locked: a splice of 1201 (seq) holds it");
  EXPECT_EQ(json["pipes"][1]["locked"], false);
  EXPECT_FALSE(json["pipes"][1].contains("locked_by"));
  EXPECT_EQ(json["pipes"][2]["locked"], true);
  EXPECT_TRUE(json["pipes"][2]["locked_by"].is_null());
  s.watched = example_pipeline();
  s.watched->pipes[0] = pipe;
  EXPECT_NE(watch_document(s, how()).human.find(", locked: a splice of 1201 (seq) holds it, "),
            std::string::npos);
}

TEST(PrintWatch, APipelineNamesWhatHoldsItUp) {
  Snapshot s = example_pipes();
  s.watched = example_pipeline();
  WatchPrint over = how();
  over.over_ns = 5'000'000'000;
  const Document document = watch_document(s, over);
  EXPECT_EQ(document.type, "pipeline");
  EXPECT_EQ(document.human,
            "seq | gzip | wc, over 5.0 s\n"
            "bottleneck: gzip; it works on a CPU 97 % of the time\n"
            "  its input is full 97 % of the time\n"
            "  its output is empty 100 %\n"
            "\n"
            "    pid  stage            CPU  CPU time  runnable  reading  writing  elsewhere\n"
            "   1201  seq 100000000    8 %    0.96 s       0 %      0 %     92 %\n"
            "      |  64 KiB ring, empty 0 %, full 97 %, 64 KiB queued, ~75.5 MiB/s (-2 to +3 %), "
            "~906 MiB so far\n"
            "   1202  gzip -9         97 %   11.64 s       2 %      0 %      0 %  disk 1 %\n"
            "      |  64 KiB ring, empty 100 %, full 0 %, 0 B queued, 19.5 KiB/s, 234 KiB so far\n"
            "   1203  wc -c              ?         ?         ?        ?        ?\n");
}

TEST(PrintWatch, TheJsonOfAPipelineHoldsItsBottleneck) {
  Snapshot s = example_pipes();
  s.watched = example_pipeline();
  const Document document = watch_document(s, how());
  EXPECT_TRUE(document.human.starts_with("seq | gzip | wc, over 1.0 s\n")) << document.human;
  WatchPrint longer = how();
  longer.over_ns = 7'000'000'000;
  EXPECT_TRUE(watch_document(s, longer).human.find(", over 7.0 s (shares: 5.0 s)\n") !=
              std::string::npos);
  const Json& tree = document.tree;
  EXPECT_EQ(tree["over_ns"], kOver_ns);
  EXPECT_EQ(tree["title"], "seq | gzip | wc");
  EXPECT_EQ(tree["window_ns"], 5'000'000'000u);
  EXPECT_EQ(tree["bottleneck"]["kind"], name_of(Verdict::Kind::stage));
  EXPECT_EQ(tree["bottleneck"]["pid"], 1202);
  EXPECT_EQ(tree["bottleneck"]["evidence"].size(), 2u);
  ASSERT_EQ(tree["stages"].size(), 3u);
  EXPECT_EQ(tree["stages"][1]["shares"]["elsewhere"]["disk_share"], 0.01);
  EXPECT_TRUE(tree["stages"][2]["shares"].is_null());
  EXPECT_EQ(tree["stages"][2]["shares_reason"], "seen once");
  EXPECT_TRUE(tree["stages"][0].contains("functions"));
  ASSERT_EQ(tree["pipes"].size(), 2u);
  EXPECT_EQ(tree["pipes"][1]["exact"], true);
  EXPECT_EQ(tree["pipes"][1]["readers"][0]["bytes"], 240'000);
}

// tee >(b) | a, and two writers of one pipe.
TEST(PrintWatch, ARingThatIsNotBetweenNeighboursNamesItsEnds) {
  Pipeline p = example_pipeline();
  p.pipes[0].readers.front().stage = 2;
  p.pipes[1].writers.push_back(p.pipes[0].writers.front());
  const std::string text = pipeline_text(p, 120);
  EXPECT_NE(text.find("to wc 1203: 64 KiB ring"), text.npos) << text;
  EXPECT_NE(text.find("from gzip 1202, seq 1201: 64 KiB ring"), text.npos) << text;
  p.pipes[0].writers.clear();
  p.pipes[0].kernel_writers = 0;
  EXPECT_NE(pipeline_text(p, 120).find("from nobody to wc 1203: "), text.npos);
  p.pipes[0].kernel_writers = {};
  EXPECT_NE(pipeline_text(p, 120).find("from unknown to wc 1203: "), text.npos);
}

TEST(PrintWatch, AStageThatEndedBeforeTheOthersIsMarked) {
  Pipeline p = example_pipeline();
  p.stages[0].gone = true;
  EXPECT_NE(pipeline_text(p, 120).find("92 %  exited\n"), std::string::npos);
  for (Stage& stage : p.stages) stage.gone = true;
  EXPECT_EQ(pipeline_text(p, 120).find("exited"), std::string::npos);
}

TEST(PrintWatch, ACommandEndsWithASummary) {
  CommandResult result;
  result.words = {"sh", "-c", "seq 100000000 | gzip -9 | wc -c"};
  result.now_ns = 100'000'000'000;
  result.duration_ns = 12'310'000'000;
  result.cpu_ns = 12'700'000'000;
  result.exit_code = 3;
  result.begin_ns = 87'690'000'000;
  result.runs.push_back({example_pipeline(), {1, 1, 1}, 1, {88'000'000'000, 100'000'000'000}});
  const Document document = command_document(result, 120);
  EXPECT_TRUE(document.human.starts_with(
      "sh -c 'seq 100000000 | gzip -9 | wc -c': 12.31 s, 12.70 s of CPU, exit status 3\n\nseq | "))
      << document.human;
  EXPECT_EQ(document.type, "summary");
  EXPECT_EQ(document.tree["command"].size(), 3u);
  EXPECT_EQ(document.tree["exit_status"], 3);
  EXPECT_TRUE(document.tree["signal"].is_null());
  EXPECT_EQ(document.tree["pipeline"]["bottleneck"]["pid"], 1202);
  EXPECT_EQ(document.tree["pipeline"]["pipes"][0]["age_ns"], 12'000'000'000u);
}

TEST(PrintWatch, ASummaryOfSeveralPipelinesIsByTime) {
  CommandResult result;
  result.words = {"sh", "script"};
  result.begin_ns = 80'000'000'000;
  result.duration_ns = 20'000'000'000;
  Pipeline longer = example_pipeline(), shorter = example_pipeline();
  longer.window_ns = 12'000'000'000;
  shorter.window_ns = 1'000'000'000;
  shorter.stages[0].name = "tar";
  result.runs.push_back({shorter, {57, 1, 1}, 2, {81'000'000'000, 84'000'000'000}});
  result.runs.push_back({longer, {57, 1, 1}, 1, {88'000'000'000, 100'000'000'000}});
  const Document document = command_document(result, 120);
  EXPECT_NE(document.human.find("8.0 s  12.0 s   60 %     1  seq | gzip | wc\n"),
            document.human.npos)
      << document.human;
  EXPECT_NE(document.human.find("57x seq"), document.human.npos) << document.human;
  EXPECT_EQ(document.human.find("57x tar"), document.human.npos) << "it ran for a moment";
  const Json& tree = document.tree;
  EXPECT_EQ(tree["pipeline"]["title"], "seq | gzip | wc") << "the longest one";
  ASSERT_EQ(tree["pipelines"].size(), 2u);
  EXPECT_EQ(tree["pipelines"][0]["begin_ns"], 1'000'000'000u);
  EXPECT_EQ(tree["pipelines"][0]["end_ns"], 4'000'000'000u);
  EXPECT_EQ(tree["pipelines"][0]["time_share"], 0.05);
  EXPECT_EQ(tree["pipelines"][0]["runs"], 2);
  EXPECT_EQ(tree["pipelines"][0]["stages"][0]["processes"], 57);
}

TEST(PrintWatch, ACommandThatWasNotSeenSaysWhy) {
  CommandResult result;
  result.words = {"true"};
  result.exit_code = 137;
  result.signal = 9;
  result.reason = "no BPF; sudo pipetop";
  const Document document = command_document(result, 120);
  EXPECT_EQ(document.human,
            "true: 0.00 s, 0.00 s of CPU, ended by signal 9\nno BPF; sudo pipetop\n"
            "no pipe seen: none was made, or it ended too soon\n");
  EXPECT_EQ(document.tree["signal"], 9);
  EXPECT_TRUE(document.tree["pipeline"].is_null());
  EXPECT_TRUE(document.tree.contains("pipeline_reason"));
  EXPECT_TRUE(document.tree["pipelines"].empty());
}

TEST(PrintWatch, WhatProgramsAreCalledEndsNoLine) {
  CommandResult result;
  result.words = {"echo", "a\n\x1b[2Jb"};
  const std::string text = command_document(result, 120).human;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos);
}

}  // namespace
}  // namespace pipetop::tui

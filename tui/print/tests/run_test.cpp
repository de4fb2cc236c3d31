#include <gtest/gtest.h>

#include "engine/workload/table/workloads.h"
#include "tui/print/document.h"
#include "tui/print/tests/example.h"

namespace pipetop::tui {
namespace {

Document example_interval() {
  const RunResult r = example_result();
  return interval_document(r.begin, r.begin, r.end);
}

TEST(PrintHuman, SummarisesARun) {
  EXPECT_EQ(
      run_text(example_result()),
      R"(custom: write_with vmsplice, read_with splice, reader.wait busy, pages thp, pipe_size 4MiB
  12.5 GiB/s ± 0.12   median 12.4, 12.0 to 13.0 in 17 intervals of 100 ms
  25 GiB in 2.00 s
effective zero copy, writer vmsplice, block on CPU 0; reader splice → /dev/null, block on CPU 1
  pipe_size: 4MiB requested, 128KiB effective: above the limit; raise it
ring      32 slots, 128 KiB; 53 % used, empty 40 %, full 25 % of 4000 samples (switches, 999 Hz); user pages 100 %
verdict   lock-bound: writer spins on the pipe's mutex 39 %
advice    try buf_size 1MiB
writer    100 k calls/s, 131 KiB per call, EAGAIN 10.0 %, short 25.0 %, on CPU 90 %, runnable 2 %, blocked 8 %
reader    1.00 M calls/s, 13.1 KiB per call, EAGAIN 10.0 %, short 25.0 %
functions by cpu-clock at 999 Hz
  writer: 1000 samples, ±3.1, 3 lost                reader: no samples yet
   self  child  function
   39.1   45.0  mutex_spin_on_owner
   10.0  100.0  a_name_that_is_far_too_long_for~
    0.9    0.9  [user]
)");
  EXPECT_EQ(example_interval().human, "   2.0 s      12.5 GiB/s\n");
}

TEST(PrintHuman, SaysWhatIsUnknown) {
  RunResult r = example_result();
  r.end.throughput.current.rate = Reading<RateStats>::warming("too short");
  r.end.ring.occupancy = Reading<Occupancy>::unavailable("no BTF; boot another");
  r.end.event = Reading<SamplingEvent>::unavailable("denied; sudo");
  r.end.verdict = Reading<Verdict>::unavailable("slow motion");
  const std::string text = run_text(r);
  for (const char* words :
       {"(median and spread unknown: too short)", "occupancy unknown: no BTF; boot another",
        "functions unknown: denied; sudo\n", "verdict   none: slow motion\n"})
    EXPECT_NE(text.find(words), text.npos) << text;
}

TEST(PrintHuman, AsksForALongerRunIfAVerdictNeedsIt) {
  RunResult r = example_result();
  r.end.verdict = Reading<Verdict>::warming("too few samples yet: reader: 332 of 400 samples");
  const std::string reason = "too few samples yet: reader: 332 of 400 samples; run longer";
  EXPECT_NE(run_text(r).find("verdict   none: " + reason + "\n"), std::string::npos);
  EXPECT_EQ(run_json(r)["verdict_reason"], reason);
}

TEST(PrintHuman, TellsPollsFromOtherCalls) {
  RunResult r = example_result();
  r.end.workers[0].counts.polls = r.begin.workers[0].counts.polls + 60'000;
  r.end.workers[0].counts.helper_calls = r.begin.workers[0].counts.helper_calls + 20'000;
  const std::string text = run_text(r);
  EXPECT_NE(text.find("writer    140 k calls/s, 30.0 k of them polls, 131 KiB per call"), text.npos)
      << text;
  const Json writer = Json::parse(json_text(run_document(r)))["writer"];
  EXPECT_EQ(writer["polls"], 60'000);
  EXPECT_EQ(writer["helper_calls"], 20'000);
}

TEST(PrintHuman, SaysThatSchedstatOverstates) {
  RunResult r = example_result();
  r.end.workers[0].times_source = "sched_switch";
  EXPECT_FALSE(run_json(r)["writer"].contains("times_note"));
  r.end.workers[0].times_source = "schedstat";
  EXPECT_TRUE(run_json(r)["writer"].contains("times_note"));
  EXPECT_NE(run_text(r).find("on CPU at most 90 %, runnable 2 %, blocked 8 %"), std::string::npos);
}

TEST(PrintCsv, BeginsWithTheArticlesColumns) {
  EXPECT_EQ(csv_header(run_document(example_result()).columns),
            "gibibytes_per_second,bytes_to_pipe,buf_size,pipe_size,busy_loop,poll,huge_page,"
            "check_huge_page,write_with_vmsplice,read_with_splice,gift,lock_memory,"
            "dont_touch_pages,same_buffer,name,duration_ns,bytes,median,stddev,min,max,pages,wait,"
            "payload,placement,writer_cpu,reader_cpu,effective_pipe_bytes,zero_copy,huge,"
            "steal_share,verdict,buffers,slow_motion,write_with,read_with,writer.wait,reader.wait,"
            "touch_pages,writer.cpu,reader.cpu,pairs,observers,plus_minus,noise\n");
  EXPECT_EQ(csv_rows(run_document(example_result())),
            "12.500000,26843545600,262144,4194304,0,0,1,0,1,1,0,0,0,0,custom,2000000000,"
            "26843545600,12.400000,0.250000,12.000000,13.000000,thp,block/busy,constant,near,0,1,"
            "131072,zero-copy,1,0.010000,lock-bound,separate,0,vmsplice,splice,block,busy,1,,,1,on,"
            "0.125000,\n");
}

TEST(PrintCsv, LeavesUnknownsEmpty) {
  RunResult r = example_result();
  r.bytes_wanted = 7;
  r.end.throughput.current.rate = Reading<RateStats>::warming("too short");
  r.end.workers[0].last_cpu = Reading<int>::warming("");
  r.end.effective.pipe.huge = Reading<bool>::warming("");
  r.steal_share = Reading<double>::warming("");
  r.end.verdict = Reading<Verdict>::warming("");
  EXPECT_EQ(
      csv_rows(run_document(r)),
      "12.500000,7,262144,4194304,0,0,1,0,1,1,0,0,0,0,custom,2000000000,26843545600,,,,,thp,"
      "block/busy,constant,near,,1,131072,zero-copy,,,,separate,0,vmsplice,splice,block,busy,1,,"
      ",1,on,,\n");
}

// A run of another workload, whose figures a pipe has not.
RunResult run_of(WorkloadKind kind) {
  RunResult r = example_result();
  for (Snapshot* snapshot : {&r.begin, &r.end, &r.last}) {
    snapshot->requested = {};
    snapshot->requested.workload = kind;
    snapshot->effective.settings = snapshot->requested;
    snapshot->workers[0].name = role_name(snapshot->requested, Role{});
    snapshot->workers[1] = {};
  }
  r.end.figures = {{"cached", "cached_share", FigureKind::share, Reading<double>::of(0.5)}};
  return r;
}

TEST(PrintCsv, HasTheUnitAndTheKnobsOfThePageCache) {
  const Document document = run_document(run_of(WorkloadKind::page_cache));
  EXPECT_EQ(
      csv_text(document),
      "gib_per_s,name,duration_ns,bytes,median,stddev,min,max,client_cpu,"
      "effective_pipe_bytes,zero_copy,huge,steal_share,verdict,cached_share,clients,files,"
      "file_size,chunk_size,gang_size,observers,plus_minus,noise\n"
      "12.500000,custom,2000000000,26843545600,12.400000,0.250000,12.000000,13.000000,0,"
      "131072,zero-copy,1,0.010000,lock-bound,0.500000,1,same,1073741824,65536,16,on,0.125000,\n");
}

TEST(PrintCsv, HasTheUnitAndTheKnobsOfPercpu) {
  RunResult r = run_of(WorkloadKind::percpu);
  r.settings = r.end.requested;
  r.end.throughput.total_items = 200'000;
  EXPECT_EQ(
      csv_text(run_document(r)),
      "krules_per_s,name,duration_ns,rules,median,stddev,min,max,inserter_cpu,steal_share,"
      "cached_share,workers,profile,no_percpu,requested_rules,batch,observers,plus_minus,noise\n"
      "100.000000,custom,2000000000,200000,12.400000,0.250000,12.000000,13.000000,0,"
      "0.010000,0.500000,1,mirred,0,30000,1,on,0.125000,\n");
}

TEST(PrintJson, KeepsTheOrderOfTheSchema) {
  std::vector<std::string> keys;
  const Json json = Json::parse(json_text(run_document(example_result())));
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  const std::vector<std::string> expected = {
      "schema",      "name",  "version",   "host",      "requested",        "effective",
      "duration_ns", "bytes", "gib_per_s", "writer",    "reader",           "parts",
      "figures",     "ring",  "functions", "integrity", "integrity_reason", "verdict",
      "noise"};
  EXPECT_EQ(keys, expected);
}

TEST(PrintJson, TypesValuesByTheTable) {
  const Json json = Json::parse(json_text(run_document(example_result())));
  const Json& requested = json["requested"];
  EXPECT_EQ(requested["write_with"], "vmsplice");
  EXPECT_EQ(requested["gift"], false);
  EXPECT_EQ(requested["buf_size"], 262144);
  EXPECT_TRUE(requested["buf_size"].is_number_integer());
  EXPECT_TRUE(requested["wait"].is_null());
  EXPECT_EQ(requested["wait_reason"], "the roles differ");
  EXPECT_EQ(requested["writer.cpu_reason"], "not chosen");
  EXPECT_EQ(json["effective"]["pipe_size"], 131072);
  EXPECT_EQ(knobs_json({})["pipe_size"], "auto");
  Settings pinned;
  pinned.pipe.writer_cpu = 3;
  EXPECT_EQ(knobs_json(pinned)["writer.cpu"], 3);
}

TEST(PrintJson, CountsOverTheMeasurementAndTheLifetime) {
  const Json json = run_json(example_result());
  EXPECT_EQ(json["bytes"], 25ull << 30);
  EXPECT_EQ(json["gib_per_s"]["mean"], 12.5);
  EXPECT_EQ(json["reader"]["syscalls"], 2'000'000);
  EXPECT_EQ(json["reader"]["lifetime"]["bytes"], 27ull << 30);
  EXPECT_EQ(json["writer"]["context_switches"], 2000);
  EXPECT_EQ(json["ring"]["occupancy"]["histogram"].size(), size_t(kOccupancyBins));
  const Json row = json["functions"]["writer"]["rows"][0];
  EXPECT_EQ(row.dump(), R"({"name":"mutex_spin_on_owner","self_share":0.391,"children_share":0.45,)"
                        R"("self_samples":391,"children_samples":450})");
}

// An absent value has a reason, whatever the value is.
void expect_reasons_of_nulls(const Json& json) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (value.is_null()) {
        EXPECT_TRUE(json.contains(key + "_reason")) << key;
      }
    }
  }
  if (!json.is_structured()) return;  // which would iterate over itself
  for (const auto& value : json) expect_reasons_of_nulls(value);
}

TEST(PrintJson, EveryNullHasAReason) {
  expect_reasons_of_nulls(run_json(example_result()));
  RunResult r = example_result();
  r.end.throughput.current.rate = Reading<RateStats>::warming("too short");
  r.end.ring.occupancy = Reading<Occupancy>::unavailable("none");
  r.end.ring.kinds = Reading<std::array<double, kSlotKinds>>::unavailable("none");
  r.end.event = Reading<SamplingEvent>::unavailable("none");
  r.end.effective.pipe.huge = Reading<bool>::unavailable("none");
  r.end.workers[0].last_cpu = Reading<int>::unavailable("none");
  r.steal_share = Reading<double>::unavailable("none");
  r.end.verdict = Reading<Verdict>::unavailable("none");
  expect_reasons_of_nulls(run_json(r));
}

TEST(PrintJson, AVerdictHasItsEvidence) {
  EXPECT_EQ(run_json(example_result())["verdict"].dump(),
            R"({"kind":"lock-bound","because":"writer spins on the pipe's mutex 39 %",)"
            R"("advice":"try buf_size 1MiB"})");
}

TEST(PrintJson, ARestartedProcessHasNoDifference) {
  RunResult r = example_result();
  r.end.workers[0].context_switches = Reading<uint64_t>::of(1);
  EXPECT_EQ(run_json(r)["writer"]["context_switches_reason"], "the process was restarted");
}

// Which may have more switches than the one before it, but not those of both.
TEST(PrintJson, TotalsOfALongSuccessorAreNoDifference) {
  RunResult r = example_result();
  WorkerReadings &before = r.begin.workers[0], &after = r.end.workers[0];
  for (const auto total : {&WorkerReadings::context_switches, &WorkerReadings::voluntary_switches,
                           &WorkerReadings::involuntary_switches, &WorkerReadings::page_faults,
                           &WorkerReadings::wakeups}) {
    before.*total = Reading<uint64_t>::of(10);
    after.*total = Reading<uint64_t>::of(25);
  }
  after.restarts = before.restarts + 1;
  const Json writer = run_json(r)["writer"];
  for (const char* name :
       {"context_switches", "voluntary_switches", "involuntary_switches", "page_faults"}) {
    EXPECT_TRUE(writer[name].is_null()) << name;
    EXPECT_EQ(writer[std::string(name) + "_reason"], "the process was restarted");
  }
  EXPECT_EQ(writer["wakeups"], 15) << "counted per role";
}

TEST(PrintJson, CallsRulesRules) {
  RunResult r = example_result();
  EXPECT_FALSE(run_json(r)["writer"].contains("rules"));
  r.end.requested.workload = WorkloadKind::percpu;
  const uint64_t rules = r.end.workers[0].counts.items - r.begin.workers[0].counts.items;
  const Json line = interval_document(r.begin, r.begin, r.end).tree;
  EXPECT_EQ(line["inserter"].value("rules", uint64_t{0}), rules);
  EXPECT_FALSE(line["inserter"].contains("bytes")) << "there are none";
  const Json lifetime = run_json(r)["writer"]["lifetime"];
  EXPECT_EQ(lifetime.value("rules", uint64_t{0}), 27ull << 30);
  EXPECT_FALSE(lifetime.contains("bytes"));
}

// Of all of the run, while its last second was quiet.
TEST(PrintJson, SaysWhatDisturbedTheRun) {
  RunResult r = example_result();
  EXPECT_EQ(run_json(r)["noise"]["words"], "");
  EXPECT_TRUE(run_json(r)["noise"]["throttling"].is_null());
  r.segment.roles[0].shares.runnable = Reading<double>::of(0.72);
  r.cpu_pressure = Reading<double>::of(0.9);
  r.around.neighbours = {{"yes", 7, 0.99}};
  const Json noise = run_json(r)["noise"];
  EXPECT_EQ(noise["words"],
            "other programs use the CPUs: writer runnable 72 %, yes (PID 7) 1.0 CPUs");
  EXPECT_EQ(noise["cpu_pressure_share"], 0.9);
  EXPECT_EQ(noise["neighbours"][0]["cpus_in_use"], 0.99);
  const std::string csv = csv_rows(run_document(r));
  EXPECT_TRUE(csv.ends_with(",\"" + noise["words"].get<std::string>() + "\"\n")) << csv;
}

TEST(PrintJson, ExplainsRunnableByTheWakeupsOfTheRun) {
  RunResult r = example_result();
  r.segment.roles[0].shares.runnable = Reading<double>::of(0.2);
  r.begin.workers[0].voluntary_switches = Reading<uint64_t>::of(0);
  r.end.workers[0].voluntary_switches = Reading<uint64_t>::of(30'000);  // in two seconds
  EXPECT_EQ(run_json(r)["noise"]["words"], "");
  r.end.workers[0].voluntary_switches = Reading<uint64_t>::of(10'000);
  EXPECT_NE(run_json(r)["noise"]["words"], "");
}

TEST(PrintJson, NamesTheRateBetweenTicks) {
  RunResult r = example_result();
  r.end.event.value->between_ticks = Reading<double>::of(12.75);
  EXPECT_EQ(run_json(r)["functions"]["between_ticks_gib_per_s"], 12.75);
  EXPECT_NE(run_text(r).find("(12.8 GiB/s between ticks)"), std::string::npos) << run_text(r);
}

TEST(PrintJson, SaysWhoseSleepsAreShown) {
  RunResult r = example_result();
  EXPECT_FALSE(run_json(r)["writer"].contains("blocked_note"));
  r.end.workers[0].processes = 2;
  EXPECT_EQ(run_json(r)["writer"]["blocked_note"], "of the first of several processes");
}

TEST(PrintJson, SaysWhereAWorkerWasBlocked) {
  RunResult r = example_result();
  WorkerReadings& writer = r.end.workers[0];
  r.begin.workers[0].wakeups = Reading<uint64_t>::of(10);
  writer.wakeups = Reading<uint64_t>::of(25);
  r.begin.workers[0].involuntary_switches = Reading<uint64_t>::of(1);
  writer.involuntary_switches = Reading<uint64_t>::of(3);
  writer.times_source = "sched_switch";
  auto tree = std::make_shared<CallTree>();
  tree->nodes = {{Function("pipe_write"), CallNode::kNone, 600, 800},
                 {Function("mutex_lock"), 0, 200, 200}};
  tree->total = 800;
  Reading<BlockedTable>& blocked = r.segment.roles[0].blocked;
  blocked = Reading<BlockedTable>::of({800, 15, 0, tree});
  const Json json = run_json(r)["writer"];
  EXPECT_EQ(json["wakeups"], 15);
  EXPECT_EQ(json["involuntary_switches"], 2);
  EXPECT_EQ(json["times_source"], "sched_switch");
  EXPECT_EQ(json["blocked"].dump(),
            R"({"ns":800,"times":15,"lost":0,"tree":[{"name":"pipe_write","self_ns":600,)"
            R"("total_ns":800,"self_share":0.75,"total_share":1.0,"children":[)"
            R"({"name":"mutex_lock","self_ns":200,"total_ns":200,"self_share":0.25,)"
            R"("total_share":0.25,"children":[]}]}]})");
  blocked = Reading<BlockedTable>::unavailable("denied; sudo");
  writer.times_source.clear();
  const Json without = run_json(r)["writer"];
  EXPECT_EQ(without["blocked_reason"], "denied; sudo");
  EXPECT_TRUE(without.contains("times_source_reason"));
}

TEST(PrintJson, SharesAreOfTheWholeRun) {
  RunResult r = example_result();
  r.end.workers[0].shares.on_cpu = Reading<double>::of(0.504);  // of its last second
  EXPECT_EQ(run_json(r)["writer"]["on_cpu_share"], 0.9);
}

TEST(PrintJson, BytesThatAreNoTextDoNotBreakIt) {
  RunResult r = example_result();
  r.segment.roles[0].functions.value->tree = flat_tree({{"\xff\xfe", 1, 1}});
  EXPECT_TRUE(Json::accept(json_text(run_document(r))));
}

TEST(PrintJsonl, AnIntervalsRateIsOverTheClockThatCounts) {
  RunResult r = example_result();
  r.end.throughput.clock_ns = kSecond;  // of two
  const Json interval = interval_document(r.begin, r.begin, r.end).tree;
  EXPECT_EQ(interval["gib_per_s"], 25.0);
  EXPECT_EQ(interval["gib_per_s"], run_json(r)["gib_per_s"]["mean"]);
  r.end.throughput.clock_ns = 0;
  const Document none = interval_document(r.begin, r.begin, r.end);
  EXPECT_TRUE(none.tree["gib_per_s"].is_null());
  EXPECT_EQ(none.human, "   2.0 s         ? GiB/s\n");
}

TEST(PrintJsonl, IsOneLineEach) {
  EXPECT_EQ(json_line(example_interval()),
            R"({"schema":1,"type":"interval","t_ns":2000000000,"duration_ns":2000000000,)"
            R"("bytes":26843545600,"gib_per_s":12.5,)"
            R"("writer":{"syscalls":200000,"bytes":26843545600,"eagain":20000,"polls":0,)"
            R"("helper_calls":0,"short":50000,)"
            R"("interrupted":0},)"
            R"("reader":{"syscalls":2000000,"bytes":26843545600,"eagain":200000,"polls":0,)"
            R"("helper_calls":0,"short":500000,)"
            R"("interrupted":0}})"
            "\n");
  const std::string line = json_line(run_document(example_result()));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_TRUE(line.starts_with(R"({"schema":1,"type":"summary","name":"custom")"));
}

}  // namespace
}  // namespace pipetop::tui

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/base/clock.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kStart = 100 * kSecond;

FunctionTable table() {
  FunctionTable t;
  t.samples = 1000;
  t.lost = 2;
  std::vector<FunctionRow> rows;
  for (uint64_t i = 0; i < 10; ++i)
    rows.push_back({Function("f" + std::to_string(i)).name(), 100 - i, 500});
  t.tree = flat_tree(rows);
  return t;
}

Segment known() {
  Segment s;
  s.number = 3;
  s.label = "preset a, \"b\"\nc";
  s.key = ",";
  s.requested.pipe.write_with = WriteWith::vmsplice;
  s.requested.pipe.reader_wait = Wait::busy;
  s.effective = s.requested;
  s.effective.pipe.pipe_size = s.pipe_bytes = 131072;
  s.begin_ns = kStart + kSecond / 2;
  s.duration_ns = 2 * kSecond;
  s.items = 12345;
  s.rate = Reading<RateStats>::of({12.5, 12.4, 0.25, 12.0, 13.0, 17, 0.125});
  for (SegmentRole& role : s.roles)
    role = {{Reading<double>::of(0.7), Reading<double>::of(0.1), Reading<double>::of(0.2)},
            Reading<FunctionTable>::of(table()),
            Reading<BlockedTable>::warming("too short")};
  Occupancy occupancy;
  occupancy.samples = 4000;
  occupancy.mean_share = 0.5;
  occupancy.empty_share = 0.4;
  occupancy.full_share = 0.3;
  s.occupancy = Reading<Occupancy>::of(occupancy);
  s.kinds = Reading<std::array<double, kSlotKinds>>::of({0, 0.25, 0.75, 0, 0, 0});
  return s;
}

Segment unknown() {
  Segment s = known();
  s.rate = Reading<RateStats>::warming("too short");
  const auto share = Reading<double>::unavailable("no /proc");
  s.roles.fill({{share, share, share},
                Reading<FunctionTable>::unavailable("no BPF"),
                Reading<BlockedTable>::unavailable("no BPF")});
  s.occupancy = Reading<Occupancy>::warming("none yet");
  s.kinds = Reading<std::array<double, kSlotKinds>>::unavailable("no BPF");
  return s;
}

// One line of CSV, unquoted, as RFC 4180 has it.
std::vector<std::string> parse_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  EXPECT_EQ(line.back(), '\n');
  return fields;
}

std::map<std::string, std::string> row_of(const Segment& segment) {
  const auto names = parse_csv(csv_header(segment_columns({})));
  const auto values = parse_csv(csv_rows(segment_document(segment, kStart)));
  EXPECT_EQ(names.size(), values.size());
  std::map<std::string, std::string> row;
  for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) row[names[i]] = values[i];
  EXPECT_EQ(row.size(), names.size()) << "two columns have one name";
  return row;
}

TEST(PrintSegment, CsvSaysAllThatIsKnown) {
  const auto row = row_of(known());
  const std::map<std::string, std::string> expected = {
      {"number", "3"},
      {"label", "preset a, \"b\"?c"},
      {"key", ","},
      {"begin_s", "0.500000"},
      {"seconds", "2.000000"},
      {"bytes", "12345"},
      {"mean", "12.500000"},
      {"median", "12.400000"},
      {"stddev", "0.250000"},
      {"min", "12.000000"},
      {"max", "13.000000"},
      {"samples", "17"},
      {"requested_write_with", "vmsplice"},
      {"requested_wait", ""},
      {"requested_reader.wait", "busy"},
      {"requested_gift", "false"},
      {"requested_buf_size", "262144"},
      {"requested_pipe_size", "auto"},
      {"requested_writer.cpu", ""},
      {"effective_pipe_size", "131072"},
      {"pipe_bytes", "131072"},
      {"writer_on_cpu_share", "0.700000"},
      {"writer_runnable_share", "0.100000"},
      {"reader_blocked_share", "0.200000"},
      {"writer_samples", "1000"},
      {"reader_lost", "2"},
      {"writer_functions",
       "f0=0.1000;f1=0.0990;f2=0.0980;f3=0.0970;f4=0.0960;f5=0.0950;f6=0.0940;f7=0.0930"},
      {"occupancy_mean", "0.500000"},
      {"occupancy_empty_share", "0.400000"},
      {"occupancy_full_share", "0.300000"},
      {"occupancy_samples", "4000"},
      {"kinds_copy", "0.250000"},
      {"kinds_user_page", "0.750000"},
      {"kinds_zero_page", "0.000000"},
  };
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(row.contains(name)) << name;
    EXPECT_EQ(row.at(name), value) << name;
  }
  for (const Knob& knob : knobs_of(WorkloadKind::pipe))
    for (const char* prefix : {"requested_", "effective_"})
      EXPECT_TRUE(row.contains(prefix + std::string(knob.name))) << prefix << knob.name;
}

// Another workload has its own unit, knobs and roles, and nothing of a ring.
TEST(PrintSegment, CsvHasTheColumnsOfTheWorkload) {
  Segment s;
  s.requested.workload = s.effective.workload = WorkloadKind::percpu;
  s.items = 77;
  s.rate = Reading<RateStats>::of({12.5, 12.4, 0.25, 12.0, 13.0, 17, 0.125});
  EXPECT_EQ(csv_text(segment_document(s, 0)),
            "number,label,key,begin_s,seconds,rules,mean,median,stddev,min,max,samples,"
            "requested_workers,requested_profile,requested_no_percpu,requested_rules,"
            "requested_batch,effective_workers,effective_profile,effective_no_percpu,"
            "effective_rules,effective_batch,inserter_on_cpu_share,inserter_runnable_share,"
            "inserter_blocked_share,inserter_samples,inserter_lost,inserter_functions,"
            "requested_observers,effective_observers,change_factor,change_cause,change_evidence,"
            "plus_minus\n"
            "0,,,0.000000,0.000000,77,12.500000,12.400000,0.250000,12.000000,13.000000,17,1,"
            "mirred,false,30000,1,1,mirred,false,30000,1,,,,,,,on,on,,,,0.125000\n");
}

TEST(PrintSegment, CsvLeavesUnknownsEmpty) {
  const auto row = row_of(unknown());
  for (const char* name : {"mean", "samples", "writer_on_cpu_share", "writer_samples",
                           "reader_functions", "occupancy_mean", "occupancy_samples", "kinds_copy"})
    EXPECT_EQ(row.at(name), "") << name;
  EXPECT_EQ(row.at("bytes"), "12345");
}

TEST(PrintSegment, JsonHasEveryFunction) {
  const std::string line = json_line(segment_document(known(), kStart));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["type"], "segment");
  EXPECT_EQ(json["number"], 3);
  EXPECT_EQ(json["label"], "preset a, \"b\"\nc");
  EXPECT_EQ(json["begin_s"], 0.5);
  EXPECT_EQ(json["seconds"], 2.0);
  EXPECT_EQ(json["gib_per_s"]["median"], 12.4);
  EXPECT_EQ(json["gib_per_s"]["samples"], 17);
  EXPECT_EQ(json["requested"]["pipe_size"], "auto");
  EXPECT_EQ(json["effective"]["pipe_size"], 131072);
  EXPECT_EQ(json["pipe_bytes"], 131072);
  EXPECT_EQ(json["reader"]["blocked_share"], 0.2);
  EXPECT_EQ(json["occupancy"]["full_share"], 0.3);
  EXPECT_EQ(json["kinds"]["user_page"], 0.75);
  const Json& functions = json["writer"]["functions"];
  EXPECT_EQ(functions["samples"], 1000);
  EXPECT_EQ(functions["lost"], 2);
  EXPECT_EQ(functions["rows"].size(), 10u);
  EXPECT_EQ(functions["rows"][0].dump(), R"({"name":"f0","self_share":0.1,"children_share":0.5})");
}

TEST(PrintSegment, SaysWhatTheChangeDidAndWhy) {
  Segment s = known();
  s.change = Reading<Change>::of({.before = 2.5,
                                  .after = 12.5,
                                  .factor = 5,
                                  .cause = "the reader no longer copies",
                                  .evidence = "_copy_to_iter 13.5 → 0 %",
                                  .function = "_copy_to_iter",
                                  .low = 4.5,
                                  .high = 5.5});
  RoleTotals totals;
  totals.counts.items = 4096;
  totals.counts.syscalls = 17;
  totals.sleeps = 3;
  for (SegmentRole& role : s.roles) role.totals = Reading<RoleTotals>::of(totals);
  const Json json = Json::parse(json_line(segment_document(s, kStart)));
  EXPECT_EQ(json["change"].dump(),
            R"({"factor":5.0,"before":2.5,"after":12.5,"cause":"the reader no longer copies",)"
            R"("evidence":"_copy_to_iter 13.5 → 0 %","function":"_copy_to_iter",)"
            R"("differs":true,"interval":[4.5,5.5]})");
  EXPECT_EQ(json["reader"]["calls"]["syscalls"], 17);
  EXPECT_EQ(json["reader"]["calls"]["sleeps"], 3);
  EXPECT_EQ(json["reader"]["calls"]["bytes"], 4096);
  EXPECT_TRUE(json["reader"]["calls"]["wakeups"].is_null());
  const auto row = row_of(s);
  EXPECT_EQ(row.at("change_factor"), "5.000000");
  EXPECT_EQ(row.at("change_cause"), "the reader no longer copies");
}

TEST(PrintSegment, JsonSaysWhyItDoesNotKnow) {
  const Json json = Json::parse(json_line(segment_document(unknown(), kStart)));
  EXPECT_TRUE(json["gib_per_s"].is_null());
  EXPECT_EQ(json["gib_per_s_reason"], "too short");
  EXPECT_EQ(json["writer"]["on_cpu_share_reason"], "no /proc");
  EXPECT_EQ(json["reader"]["functions_reason"], "no BPF");
  EXPECT_EQ(json["occupancy_reason"], "none yet");
  EXPECT_EQ(json["kinds_reason"], "no BPF");
}

}  // namespace
}  // namespace pipetop::tui

#include "engine/experiment/limits.h"

#include <gtest/gtest.h>

#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

Reading<Spread> spread(double median) {
  return Reading<Spread>::of({.median = median,
                              .lower = median - 1,
                              .upper = median + 2,
                              .least = median - 1,
                              .most = median + 2,
                              .count = 36});
}

Limits example_limits() {
  Limits l;
  l.rounds = 9;
  l.steal_share = Reading<double>::of(0.01);
  l.cpu = 0;
  l.other_cpu = 1;
  l.syscall_ns = spread(165);
  l.wakeup_two_cpus_ns = spread(21'300);
  l.wakeup_one_cpu_ns = spread(2'520);
  const LentPagesKind thp{Pages::thp, Touched::yes}, hugetlb{Pages::hugetlb, Touched::yes};
  const auto none = Reading<Spread>::unavailable("no free huge pages");
  l.pages = {{thp, 512 * 1024, spread(13), spread(8), spread(30)},
             {hugetlb, 512 * 1024, none, none, none}};
  l.tee_ns = spread(21);
  l.move_ns = spread(5);
  l.gup_test = {{Pages::k4, Reading<Spread>::unavailable("no gup_test"), none}};
  l.copies = {{4096, spread(9.77), spread(9.22)}};
  l.rings = {{thp, 1 << 20, spread(12), spread(7), spread(28)}};
  const double page = 4096 / 1.073741824;  // ns, at 1 GiB/s
  l.roof = Reading<Roof>::of({{1 << 20, page / 95}, {1 << 18, page / 102}, {1 << 18, page / 141}});
  LimitsRun run;
  run.name = "busy_loop_huge";
  run.gib_per_s = spread(61.2);
  run.vmsplice_ns = Reading<double>::of(13.8);
  run.release_ns = Reading<double>::of(31);
  l.runs = {run, run};
  l.runs[1].one_cpu = true;
  l.runs[1].vmsplice_ns = Reading<double>::unavailable("no BPF");
  return l;
}

HostInfo limits_host() {
  HostInfo host;
  host.kernel = "6.18";
  host.cpu = "AMD EPYC";
  host.cpus = 2;
  return host;
}

TEST(PrintLimits, TablesWithUnitsAndReasons) {
  EXPECT_EQ(
      limits_document(limits_host(), example_limits()).human,
      "AMD EPYC, 2 CPUs, Linux 6.18\n9 rounds, interleaved: medians, with the middle half in "
      "brackets\n\ncalls\n  empty system call        165 ns [164 ns .. 167 ns]\n  wakeup, CPU 0 to "
      "1       21.3 us [21.3 us .. 21.3 us]\n  wakeup on one CPU        2.52 us [2.52 us .. 2.52 "
      "us]\n\npages, ring of 512KiB      vmsplice, ns/page         get pages, at least       "
      "splice to /dev/null\n  thp                        13.0 [12.0 .. 15.0]        8.0 [7.0 .. "
      "10.0]        30.0 [29.0 .. 32.0]\n  hugetlb                  unavailable: no free huge "
      "pages\n\nslots, the same ring       ns/slot\n  filled by tee              21.0 [20.0 .. "
      "23.0]\n  moved to another pipe       5.0 [4.0 .. 7.0]\n\ngup_test of the kernel     get, "
      "ns/page              put\n  all                      unavailable: no gup_test\n\ncopies     "
      "                in by write, GiB/s        out by read, GiB/s\n  4KiB                       "
      "9.77 [8.77 .. 11.8]       9.22 [8.22 .. 11.2]\n\nrings, thp pages           vmsplice, "
      "ns/page         splice to /dev/null\n  1MiB                       12.0 [11.0 .. 14.0]       "
      "28.0 [27.0 .. 30.0]\n\nroof (upper bound) of one pipe, thp pages, from the lower "
      "quartiles\n  one CPU                    95.0 GiB/s, 40.2 ns/page, ring of 1MiB: both calls "
      "added up\n  two CPUs                    102 GiB/s, 37.4 ns/page, ring of 256KiB: cost of a "
      "page under the mutex\n  two CPUs, no mutex          141 GiB/s, 27.1 ns/page, ring of "
      "256KiB: the slower side alone\n\ncurrent best               GiB/s                     of "
      "the roof               sampled vmsplice + splice, ns/page\n  busy_loop_huge             "
      "61.2 [60.2 .. 63.2]     60 % of two CPUs          13.8 + 31.0\n  busy_loop_huge             "
      "61.2 [60.2 .. 63.2]     64 % of one CPU           ?\n  not sampled: no BPF\n");
}

TEST(PrintLimits, WithoutAnythingThereAreReasons) {
  Limits l;
  l.roof = Reading<Roof>::warming("ended before it was measured");
  l.syscall_ns = Reading<Spread>::warming("ended before it was measured");
  const std::string text = limits_document(limits_host(), l).human;
  EXPECT_NE(text.find("empty system call        unavailable: ended before"), text.npos) << text;
  EXPECT_NE(text.find("roof: unavailable: ended before"), text.npos) << text;
  EXPECT_NE(text.find("wakeup on another CPU"), text.npos) << text;
}

TEST(PrintLimits, JsonHasAllOfIt) {
  const Json json = Json::parse(json_text(limits_document(limits_host(), example_limits())));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["host"]["steal_share"], 0.01);
  EXPECT_EQ(json["syscall_ns"]["median"], 165);
  EXPECT_EQ(json["syscall_ns"]["quartiles"], Json::parse("[164.0, 167.0]"));
  EXPECT_EQ(json["pages"][0]["name"], "thp");
  EXPECT_EQ(json["pages"][0]["vmsplice_ns_per_page"]["figures"], 36);
  EXPECT_TRUE(json["pages"][1]["get_ns_per_page"].is_null());
  EXPECT_EQ(json["pages"][1]["get_ns_per_page_reason"], "no free huge pages");
  EXPECT_EQ(json["copies"][0]["in_gib_per_s"]["median"], 9.77);
  EXPECT_EQ(json["roof"]["pages"], "thp");
  EXPECT_NEAR(double(json["roof"]["two_cpus"]["gib_per_s"]), 102, 1e-3);
  EXPECT_NEAR(double(json["runs"][0]["of_roof_share"]), 0.6, 1e-6);
  EXPECT_EQ(json["runs"][1]["roof"], "one_cpu");
  EXPECT_EQ(json["runs"][1]["requested"]["write_with"], "write");
  EXPECT_EQ(json["runs"][1]["sampled_vmsplice_ns_per_page_reason"], "no BPF");
}

}  // namespace
}  // namespace pipetop::tui

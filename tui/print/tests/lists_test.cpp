#include <gtest/gtest.h>

#include <array>

#include "engine/experiment/doctor.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

TEST(ChangedKnobs, NamesWhatDiffers) {
  Settings s;
  EXPECT_EQ(changed_knobs(s), "all defaults");
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  EXPECT_EQ(changed_knobs(s), "wait busy");
  s.pipe.reader_wait = Wait::block;
  EXPECT_EQ(changed_knobs(s), "writer.wait busy");
  s = {};
  s.pipe.placement = Placement::cpus;
  s.pipe.writer_cpu = 1;
  EXPECT_EQ(changed_knobs(s), "writer.cpu 1");
  s.pipe.placement = Placement::far;
  EXPECT_EQ(changed_knobs(s), "placement far");
}

TEST(PrintPresets, ListsThem) {
  const auto presets = article_presets();
  EXPECT_EQ(presets_document(presets.subspan(2, 2)).human,
            "vmsplice_read       vmsplice, read\n"
            "                      write_with vmsplice\n"
            "vmsplice_read_huge  vmsplice, read, huge pages\n"
            "                      write_with vmsplice, pages thp\n");
  const Json json = Json::parse(json_text(presets_document(presets)));
  EXPECT_EQ(json["presets"].size(), 7u);
  EXPECT_EQ(json["presets"][6]["article_gib_per_s"], 62.5);
  EXPECT_TRUE(json["presets"][1]["article_gib_per_s"].is_null());
  EXPECT_EQ(json["presets"][6]["settings"]["wait"], "busy");
}

TEST(PrintDoctor, SaysWhyAndWhatToTry) {
  HostInfo host;
  host.kernel = "6.18";
  host.cpu = "AMD EPYC";
  host.cpus = 2;
  const std::array<Check, 2> checks = {
      Check{"pipe", CheckResult::works, "64KiB", "", ""},
      Check{"huge pages", CheckResult::missing, "0 free", "none are reserved", "sysctl x=1"}};
  EXPECT_EQ(
      doctor_document(host, checks).human,
      "AMD EPYC, 2 CPUs, Linux 6.18\n\nworks    pipe        64KiB\nmissing  huge pages  0 free\n   "
      "                  why: none are reserved\n                     try: sysctl x=1\n");
  const Json json = Json::parse(json_text(doctor_document(host, checks)));
  EXPECT_EQ(json["checks"][1]["result"], "missing");
  EXPECT_EQ(json["checks"][1]["remedy"], "sysctl x=1");
}

TEST(PrintDoctor, TellsWhoIsNotRootInOneLine) {
  constexpr const char* kLine =
      "functions and slots need root: sudo pipetop, or see pipetop help privileges";
  const std::array<Check, 2> checks = {
      Check{"pipe", CheckResult::works, "64KiB", "", ""},
      Check{"functions", CheckResult::missing, "none", "needs root", "sudo pipetop"}};
  const std::string text = doctor_document({}, checks).human;
  EXPECT_NE(text.find(std::string("\n") + kLine + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("try: "), std::string::npos) << "said already\n" << text;
  EXPECT_EQ(Json::parse(json_text(doctor_document({}, checks)))["lost_without_root"], kLine);
  const auto others = std::span(checks).first(1);
  EXPECT_EQ(doctor_document({}, others).human.find("root"), std::string::npos);
  EXPECT_TRUE(Json::parse(json_text(doctor_document({}, others)))["lost_without_root"].is_null());
}

}  // namespace
}  // namespace pipetop::tui

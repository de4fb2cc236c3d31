#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/result_files.h"
#include "tui/print/document.h"
#include "tui/print/tests/ladder_result.h"

namespace pipetop::tui {
namespace {

std::string error_of(const LadderRequest& request) {
  try {
    const LadderFiles files(request);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(LadderFiles, EachHasItsPlace) {
  LadderRequest request;
  request.csv = request.json = "-";
  EXPECT_EQ(error_of(request), "--csv and --json would both go to stdout");
  request.json = "";
  request.csv = request.svg = "out";
  EXPECT_EQ(error_of(request), "--csv and --svg would both go to out");
  request.svg = "./out";
  EXPECT_EQ(error_of(request), "--csv and --svg would both go to ./out");
  request.svg = "/no/such/place";
  request.csv = "";
  EXPECT_EQ(error_of(request), "/no/such/place: No such file or directory");
}

TEST(LadderFiles, AppearInTheEndAndStdoutHasTheTable) {
  const ScratchDirectory directory;
  LadderRequest request;
  request.csv = directory.file("a.csv");
  request.json = directory.file("a.json");
  request.svg = directory.file("a.svg");
  LadderFiles files(request);
  EXPECT_FALSE(std::filesystem::exists(request.csv));
  const LadderReport result = example_ladder();
  const Document document = ladder_document(result, GlyphSet::ascii);
  testing::internal::CaptureStdout();
  files.write(result, GlyphSet::ascii, Interrupts());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), document.human);
  EXPECT_EQ(content_of(request.csv), csv_text(document));
  EXPECT_EQ(content_of(request.json), json_text(document));
  EXPECT_EQ(content_of(request.svg), ladder_svg(result));
}

TEST(LadderFiles, AFileOnStdoutTakesTheTablesPlace) {
  LadderRequest request;
  request.csv = "-";
  LadderFiles files(request);
  EXPECT_FALSE(files.table_is_seen());
  testing::internal::CaptureStdout();
  files.write(example_ladder(), GlyphSet::ascii, Interrupts());
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            csv_text(ladder_document(example_ladder(), GlyphSet::ascii)));
}

TEST(LadderFiles, OneThatFailsCostsNoOther) {
  const ScratchDirectory directory;
  LadderRequest request;
  request.csv = "/dev/full";
  request.json = directory.file("a.json");
  LadderFiles files(request);
  const LadderReport result = example_ladder();
  const Document document = ladder_document(result, GlyphSet::ascii);
  testing::internal::CaptureStdout();
  EXPECT_THROW(files.write(result, GlyphSet::ascii, Interrupts()), Error);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), document.human);
  EXPECT_EQ(content_of(request.json), json_text(document));
}

}  // namespace
}  // namespace pipetop::tui

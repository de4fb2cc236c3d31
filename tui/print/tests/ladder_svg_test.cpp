#include <gtest/gtest.h>

#include <algorithm>

#include "tui/print/document.h"
#include "tui/print/tests/ladder_result.h"
#include "tui/print/tests/xml_reader.h"

namespace pipetop::tui {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

size_t count(const XmlDocument& document, const std::string& attribute) {
  return size_t(std::ranges::count(document.attributes, attribute));
}

TEST(LadderSvg, IsWellFormedWhateverItSays) {
  for (const LadderReport& report : {example_ladder(), spoilt_ladder(), LadderReport{}}) {
    const XmlDocument document = read_xml(ladder_svg(report));
    EXPECT_EQ(document.error, "");
    ASSERT_FALSE(document.elements.empty());
    EXPECT_EQ(document.elements.front(), "svg");
  }
}

TEST(LadderSvg, NeedsNothingButItself) {
  const std::string svg = ladder_svg(spoilt_ladder());
  const XmlDocument document = read_xml(svg);
  for (const char* element : {"script", "image", "use", "a", "foreignObject", "link"})
    EXPECT_EQ(std::ranges::count(document.elements, element), 0) << element;
  for (const char* part : {"href", "@import", "@font-face", "xlink", "data:"})
    EXPECT_FALSE(has(svg, part)) << part;
  // The only address is the name of the format, the only url() a part of itself.
  EXPECT_EQ(svg.find("http"), svg.find("http://www.w3.org/2000/svg"));
  EXPECT_EQ(svg.find("http"), svg.rfind("http"));
  for (size_t at = svg.find("url("); at != svg.npos; at = svg.find("url(", at + 1))
    EXPECT_EQ(svg.substr(at, 25), "url(#pipetop-chart-hatch)");
  EXPECT_TRUE(has(svg, "@media (prefers-color-scheme: dark)"));
}

TEST(LadderSvg, HasABarARungAndTheArticlesBesideIt) {
  const XmlDocument document = read_xml(ladder_svg(example_ladder()));
  EXPECT_EQ(count(document, "class=bar"), 3u + 1);      // and the legend's
  EXPECT_EQ(count(document, "class=article"), 2u + 1);  // it prints none of write_read_huge
  EXPECT_EQ(count(document, "class=value"), 3u);
  for (const char* words :
       {"AMD EPYC, 2 CPUs, KVM, Linux 6.18.44", "write, read, huge pages", "10.0GiB/s  ×4.9",
        "no figure in the article", "12.7", "middle half of the rounds", "seed 42",
        "write_read_huge fell below write_read by 37.5 %"})
    EXPECT_TRUE(has(document.text, words)) << words << "\n" << document.text;
  EXPECT_FALSE(has(document.text, "Untrustworthy"));
}

TEST(LadderSvg, SaysWhatSpoilsIt) {
  const XmlDocument document = read_xml(ladder_svg(spoilt_ladder()));
  for (const char* words : {"<write> & \"read\", with a title", "Untrustworthy: the host stole",
                            "every rung with --pipe_size 4MiB", "ended early, after 3 of 6 runs",
                            "too <large>", "none of its runs was completed"})
    EXPECT_TRUE(has(document.text, words)) << words << "\n" << document.text;
}

// A bar and its whisker are measured in pixels.
TEST(LadderSvg, LengthsAreInProportion) {
  const XmlDocument document = read_xml(ladder_svg(example_ladder()));
  std::vector<double> widths;
  for (size_t i = 0; i + 4 < document.attributes.size(); ++i)
    if (document.attributes[i] == "class=bar" && document.attributes[i + 4] == "height=30.0")
      widths.push_back(std::stod(document.attributes[i + 3].substr(6)));
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[2] / widths[0], 5, 0.01);    // 10 and 2 GiB/s
  EXPECT_NEAR(widths[0] / widths[1], 1.6, 0.01);  // 2 and 1.25
}

}  // namespace
}  // namespace pipetop::tui

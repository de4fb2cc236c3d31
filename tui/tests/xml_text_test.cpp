#include <gtest/gtest.h>

#include "tui/draw/text.h"
#include "tui/print/tests/xml_reader.h"

namespace pipetop::tui {
namespace {

TEST(XmlText, EscapesWhatHasAMeaning) {
  EXPECT_EQ(xml_text("a <b> & \"c\""), "a &lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(xml_text("± × …"), "± × …");
}

TEST(XmlText, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(xml_text("\xff"), "\uFFFD");
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // half of a surrogate pair
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\uFFFD");              // U+FFFE
}

// The reader of the other tests must be able to say no.
TEST(XmlReader, TellsWhatIsNotWellFormed) {
  EXPECT_EQ(read_xml("<a b=\"&lt;\"><c/>x &amp; y</a>\n").error, "");
  for (const char* text : {"", "<a>", "<a></b>", "<a/><a/>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>",
                           "<a>x & y</a>", "<a>\x1b</a>", "<a b=\"<\"/>"})
    EXPECT_NE(read_xml(text).error, "") << text;
}

}  // namespace
}  // namespace pipetop::tui

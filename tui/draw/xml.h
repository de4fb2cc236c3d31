// Text inside of XML documents.
#pragma once

#include <string>
#include <string_view>

namespace pipetop::tui {

// For content and quoted attributes. What XML cannot contain (control characters and invalid
// UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace pipetop::tui

// Text as XML holds it.
#pragma once

#include <string>
#include <string_view>

namespace pipetop::tui {

// For content and for quoted attributes. What XML cannot hold at all, control
// characters and bytes that are no UTF-8, becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace pipetop::tui

// Whether a value of an enumeration has a name: to prove that a table has a row for each.
#pragma once

#include <string_view>

namespace pipetop {

// "(Access)7" if no enumerator has that value, else its name; both within more text.
template <auto kValue>
constexpr std::string_view enumerator_text() {
  return __PRETTY_FUNCTION__;
}
template <auto kValue>
constexpr bool is_enumerator() {
  constexpr std::string_view kBefore = "kValue = ", kText = enumerator_text<kValue>();
  return kText[kText.find(kBefore) + kBefore.size()] != '(';
}

}  // namespace pipetop

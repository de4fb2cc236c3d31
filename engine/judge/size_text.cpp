#include "engine/judge/size_text.h"

#include "engine/base/text.h"

namespace pipetop {

std::string size_text(uint64_t bytes) {
  std::string text = format_size(bytes);
  text.insert(text.find_first_not_of("0123456789"), " ");
  return text;
}

}  // namespace pipetop

// "full > 90 % for 30s": what a pipe is watched for, by scripts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/pipeline.h"

namespace pipetop {

struct UntilCondition {
  enum class Quantity : uint8_t { full, empty, used, rate, queued };
  Quantity quantity = Quantity::full;
  bool above = true;
  double value = 0;     // a share, 0 to 1; bytes per second; bytes
  uint64_t for_ns = 0;  // without a break

  std::string text;  // as it was given
};

// "full", "empty" or "used" (shares, "90 %"), "rate" ("10MiB", per second) or "queued" ("64KiB");
// ">" or "<"; and "for 30s" if need be. Throws Error.
UntilCondition parse_until(std::string_view text);

// Whether a pipe of the open pipeline meets it. A rate is that of a second or, where bytes come in
// lumps or are estimated so that it can't be told from that, of up to eight: all that it may be has
// to meet the condition.
class UntilWatch {
 public:
  explicit UntilWatch(UntilCondition condition) : condition_(std::move(condition)) {}

  // A later look. What shows that a pipe has met it for so long: "yes -> gzip: full 93 to 100 % for
  // 30.0 s"; nothing while none does. What is not known meets nothing, and begins it anew.
  std::optional<std::string> add(uint64_t now_ns, const Pipeline& seen);

  const UntilCondition& condition() const { return condition_; }

 private:
  struct Stretch {
    uint64_t since_ns;
    double least, most;
  };

  UntilCondition condition_;
  std::map<PipeId, Stretch> met_;
};

}  // namespace pipetop

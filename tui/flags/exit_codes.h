// The meaning of the exit status, for --help and the manual.
#pragma once

#include <array>
#include <string_view>

namespace pipetop::tui {

struct ExitCode {
  std::string_view code;  // "3", or "128+N"
  std::string_view help;
};

inline constexpr auto kExitCodes = std::to_array<ExitCode>({
    {"0", "ok"},
    {"1", "usage or bad config"},
    {"2", "a worker failed"},
    {"3", "a resource or permission was refused"},
    {"4", "the kernel lacks the feature"},
    {"7", "result untrustworthy"},
    {"128+N", "ended by signal N"},
});

}  // namespace pipetop::tui

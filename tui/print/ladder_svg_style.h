// The look of the ladder's picture, light and dark.
#pragma once

namespace pipetop::tui {

// Scoped to its own class, so that a page may hold the picture inline. Each role has
// one rule, and one more in the dark.
inline constexpr const char* kLadderStyle = R"(<style>
.pipetop-ladder { font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.pipetop-ladder .ground { fill: #ffffff; }
.pipetop-ladder text { fill: #1b1f24; font-size: 20px; }
.pipetop-ladder .title { font-size: 34px; font-weight: 700; }
.pipetop-ladder .value { font-size: 24px; font-weight: 700; }
.pipetop-ladder .quiet { fill: #57606a; font-size: 18px; font-weight: 400; }
.pipetop-ladder .warning { fill: #b42318; font-size: 18px; font-weight: 700; }
.pipetop-ladder .reference { fill: #8a4600; font-size: 18px; }
.pipetop-ladder .grid { stroke: #d8dee4; stroke-width: 1; }
.pipetop-ladder .bar { fill: #0b6bcb; }
.pipetop-ladder .article { fill: url(#pipetop-ladder-hatch); stroke: #b35c00; stroke-width: 2; }
.pipetop-ladder .hatch { stroke: #b35c00; stroke-width: 3; }
.pipetop-ladder .casing { stroke: #ffffff; stroke-width: 6; }
.pipetop-ladder .whisker { stroke: #1b1f24; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.pipetop-ladder .ground { fill: #14181d; }
.pipetop-ladder text { fill: #e6edf3; }
.pipetop-ladder .quiet { fill: #9aa4ae; }
.pipetop-ladder .warning { fill: #ff7b72; }
.pipetop-ladder .reference { fill: #ffb057; }
.pipetop-ladder .grid { stroke: #343b44; }
.pipetop-ladder .bar { fill: #4aa3ff; }
.pipetop-ladder .article { stroke: #ffb057; }
.pipetop-ladder .hatch { stroke: #ffb057; }
.pipetop-ladder .casing { stroke: #14181d; }
.pipetop-ladder .whisker { stroke: #ffffff; }
}
</style>
)";

}  // namespace pipetop::tui

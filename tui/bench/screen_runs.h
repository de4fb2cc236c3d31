// Runs of the dashboard on a pseudo-terminal.
#pragma once

#include "engine/model/settings.h"

namespace pipetop::bench {

// The median of the 100 ms rates while the dashboard draws at 120x40 with BPF on.
double screen_rate(const Settings& settings, double seconds);

// From exec of pipetop to a screen on which no panel waits for data any more.
double first_full_frame_ms();

struct ScreenCost {
  double cpu_percent;  // of one CPU, by the main process
  double rss_mib;
};
// At 120x40 and 20 frames a second, on the top rung.
ScreenCost screen_cost(double seconds);

// CPU time of drawing and showing a 200x60 frame whose numbers change.
double frame_cost_ms();

}  // namespace pipetop::bench

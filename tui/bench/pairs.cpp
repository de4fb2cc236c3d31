#include <fmt/core.h>

#include <cstdio>

#include "engine/meter/statistics.h"
#include "tui/bench/bench.h"

namespace pipetop::bench {

void report(const std::string& name, const std::string& figures, const std::string& budget) {
  fmt::print("{:<44} {:<52} {}\n", name, figures, budget);
  std::fflush(stdout);
}

void compare(const std::string& name, int pairs, double budget, const std::function<double()>& a,
             const std::function<double()>& b) {
  std::vector<double> ratios, of_a, of_b;
  for (int i = -1; i < pairs; ++i) {
    const bool a_first = i % 2 == 0;
    double value_a = 0, value_b = 0;
    if (a_first) value_a = a();
    value_b = b();
    if (!a_first) value_a = a();
    if (i < 0) continue;
    of_a.push_back(value_a);
    of_b.push_back(value_b);
    ratios.push_back(value_a / value_b);
  }
  report(name,
         fmt::format("{:.3f}  [{:.3f} .. {:.3f}]  {:.2f} / {:.2f} GiB/s", median(ratios),
                     quantile(ratios, 0), quantile(ratios, 1), median(of_a), median(of_b)),
         fmt::format("budget >= {:.2f}, {} pairs", budget, pairs));
}

}  // namespace pipetop::bench

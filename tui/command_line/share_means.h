// The means of a worker's shares over the ticks of a measurement.
#pragma once

#include <cstdint>

#include "tui/print/run_result.h"

namespace pipetop::tui {

class ShareMeans {
 public:
  void add(const WorkerView& worker);
  WorkerShares means() const;

 private:
  struct Mean {
    double sum = 0;
    uint64_t count = 0;
    Reading<double> last;  // says why, while there is nothing to average

    void add(const Reading<double>& reading);
    Reading<double> value() const;
  };
  Mean on_cpu_, runnable_, blocked_;
};

}  // namespace pipetop::tui

#include "tui/command_line/share_means.h"

namespace pipetop::tui {

void ShareMeans::Mean::add(const Reading<double>& reading) {
  last = reading;
  if (reading.status != ReadingStatus::ok) return;
  sum += *reading;
  ++count;
}

Reading<double> ShareMeans::Mean::value() const {
  return count > 0 ? Reading<double>::of(sum / double(count)) : last;
}

void ShareMeans::add(const WorkerView& worker) {
  on_cpu_.add(worker.on_cpu_share);
  runnable_.add(worker.runnable_share);
  blocked_.add(worker.blocked_share);
}

WorkerShares ShareMeans::means() const {
  return {on_cpu_.value(), runnable_.value(), blocked_.value()};
}

}  // namespace pipetop::tui

#include "engine/workload/workload.h"

namespace pipetop {

Reading<Integrity> Workload::integrity() const {
  return Reading<Integrity>::unavailable("only pages that go through a pipe are checked");
}

Reading<Verdict> Workload::verdict(const Snapshot&) const {
  return Reading<Verdict>::unavailable("a verdict is of the two ends of a pipe");
}

}  // namespace pipetop

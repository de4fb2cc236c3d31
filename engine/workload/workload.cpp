#include "engine/workload/workload.h"

namespace pipetop {

Reading<Integrity> Workload::integrity() const {
  return Reading<Integrity>::unavailable("only the pages of a pipe are checked");
}

Reading<Verdict> Workload::verdict(const Snapshot&) const {
  return Reading<Verdict>::unavailable("the verdict is for pipes only");
}

}  // namespace pipetop

// Who was started by a process, directly or not.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>

#include "engine/model/pipe_scan.h"

namespace pipetop {

class Descendants {
 public:
  using ParentOf = std::function<pid_t(pid_t)>;  // 0: none, or gone

  // `adopter`: its children count, too, because it adopts what the root's children leave behind; 0:
  // nobody.
  Descendants(pid_t root, ParentOf parent_of, pid_t adopter = 0)
      : root_(root), adopter_(adopter), parent_of_(std::move(parent_of)) {}

  pid_t root() const { return root_; }

  // Whether this process is the root or one of its descendants. `parent` is its own, 0 if it is not
  // known. Once it is, it stays one, also when its parents have exited.
  bool contains(ProcessId process, pid_t parent);

 private:
  std::optional<bool> descends(pid_t parent) const;  // nothing: a parent has exited meanwhile

  pid_t root_, adopter_;
  ParentOf parent_of_;
  std::map<ProcessId, bool> known_;
};

}  // namespace pipetop

// Which stages and pipes belong to the open pipeline, from pass to pass. What leaves it, because it
// has exited or been closed, stays for a moment, or for ever.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/watch/graph.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

// Who was started by a process, directly or not.
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

class PipelineMembers {
 public:
  static constexpr uint64_t kStay_ns = 5'000'000'000;
  static constexpr size_t kMostGone = 200;  // stages that are kept although they left

  // Stages, holders and pipes; what a person can look at, and we twenty times a second.
  static constexpr size_t kMost = 256;

  // The part that has most of these pipes, and goes on having them.
  explicit PipelineMembers(std::set<PipeId> pipes) : connected_(std::move(pipes)) {}
  // All pipes between these, and those to others or to itself in which one of these moves data;
  // with the others at the far end, but not those that share the near one: a terminal's or a log's
  // other writers.
  explicit PipelineMembers(Descendants tree) : tree_(std::move(tree)) {}

  // After a pass over the machine.
  void update(const PipeScan& scan, const ScanIndex& index,
              const std::vector<PipelineShape>& shapes, const SeenMoving& moving, uint64_t now_ns);

  // In the order of the flow: those that move data, and those that did.
  std::vector<ProcessId> stages() const;
  // The others that hold an end of its pipes.
  const std::vector<ProcessId>& holders() const { return holders_; }
  std::vector<PipeId> pipes() const;

  // How many stages, holders and pipes there would be besides.
  size_t left_out() const { return left_out_; }

  bool empty() const { return pipes_.empty(); }
  const std::optional<Descendants>& tree() const { return tree_; }

 private:
  template <class Id>
  struct Member {
    Id id;
    uint64_t seen_ns;  // when it was last connected
  };

  // What is connected now, in the order of the flow.
  struct Connected {
    std::vector<ProcessId> stages;
    std::vector<size_t> pipes;  // indices into the scan's
  };

  Connected part_of(const PipeScan& scan, const std::vector<PipelineShape>& shapes) const;
  Connected tree_of(const PipeScan& scan, const ScanIndex& index,
                    const std::vector<PipelineShape>& shapes, const SeenMoving& moving);
  void limit(Connected& connected, const PipeScan& scan);
  bool in_tree(ProcessId process, const ScanIndex& index);
  void drop_waiting_parents(const Connected& connected, const ScanIndex& index,
                            const SeenMoving& moving);
  void find_holders(const PipeScan& scan, const ScanIndex& index, const std::vector<size_t>& pipes);
  template <class Id>
  void merge(std::vector<Member<Id>>& members, const std::vector<Id>& connected,
             uint64_t now_ns) const;

  std::optional<Descendants> tree_;
  std::set<PipeId> connected_;  // at the last pass
  std::set<pid_t> parents_;     // of stages of a tree
  std::set<ProcessId> moved_;   // stages that were seen to move data
  std::vector<Member<ProcessId>> stages_;
  std::vector<Member<PipeId>> pipes_;
  std::vector<ProcessId> holders_;
  size_t left_out_ = 0;
};

}  // namespace pipetop

// The table of all pipes, and what is remembered of them from one pass over the machine to the
// next.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/shared_vector.h"
#include "engine/model/pipeline.h"
#include "engine/watch/byte_counts.h"
#include "engine/watch/graph.h"
#include "engine/watch/holders.h"
#include "engine/watch/scanned_values.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

struct KnownPipe {
  KnownPipe(uint64_t first_seen_ns, std::optional<uint64_t> made_after_ns)
      : history(first_seen_ns, made_after_ns) {}

  PipeHistory history;
  std::string path;      // of a FIFO
  size_t pipeline = 0;   // the number of its part; 0: none yet
  bool is_open = false;  // in the open pipeline, which looks at it more often
};

class WatchTable {
 public:
  WatchTable(const WatchParts& parts, uint64_t window_ns);  // outlives it

  // The next pass, at once or in parts: until its last part is done all is of the pass before.
  void update(PipeScan scan, uint64_t now_ns);
  void begin(PipeScan scan, uint64_t now_ns);
  bool is_updating() const { return next_.has_value(); }
  void give_up() { next_.reset(); }
  // True if it is done.
  bool go_on(const observe::IsLate& is_late);

  // The results of the last pass.
  const PipeScan& scan() const { return *last_.scan; }
  const ScanIndex& index() const { return *last_.index; }
  const std::vector<PipelineShape>& shapes() const { return last_.parts->shapes; }
  const SharedVector<PipeRow>& rows() const { return rows_[newest_]; }
  bool has_passed() const { return last_.now_ns != 0; }

  KnownPipe* known(PipeId id);  // null: it is in no scan
  KnownProcesses& processes() { return processes_; }

  // Who was seen to move data, by scans, and by those who see more.
  SeenMoving& moving() { return moving_; }
  const SeenMoving& moving() const { return moving_; }
  void see(const PipeScan& scan, const ScanIndex& index);

 private:
  struct Parts {
    std::vector<PipelineShape> shapes;
    std::vector<std::vector<bool>> active;  // by the scan's pipes
  };
  struct Pass {
    // They have to stay where they are: indices and states refer to them.
    std::unique_ptr<PipeScan> scan = std::make_unique<PipeScan>();
    std::unique_ptr<ScanIndex> index = std::make_unique<ScanIndex>(*scan);
    std::unique_ptr<Families> families = {};
    // Kept from the pass before, if the holders are the same.
    std::shared_ptr<Parts> parts = std::make_shared<Parts>();
    uint64_t now_ns = 0;
    size_t step = 0, row = 0;  // that comes next
  };
  // A part of the next pass. False: there is more of it.
  using Step = bool (WatchTable::*)(const observe::IsLate& is_late);
  static const std::array<Step, 7> kSteps;

  bool find_states(const observe::IsLate&);
  bool see_movers(const observe::IsLate&);
  bool remember(const observe::IsLate&);
  bool find_parts(const observe::IsLate&);
  bool find_active(const observe::IsLate&);
  bool number_parts(const observe::IsLate&);
  bool make_rows(const observe::IsLate& is_late);
  void measure_cpu(std::vector<ScannedProcess> states, uint64_t now_ns);
  void measure_io();
  void reuse_rows(std::vector<PipeRow>& rows) const;
  void make_row(PipeRow& row, size_t pipe);
  void refresh(PipeRow& row, size_t pipe, uint64_t now_ns, bool commands);
  const ScannedProcess* state_of(ProcessId process) const;

  const WatchParts& parts_;
  const uint64_t window_ns_;
  Pass last_;
  std::optional<Pass> next_;
  std::vector<ScannedProcess> states_;
  uint64_t states_ns_ = 0, boot_ns_ = 0, passes_ = 0;
  std::optional<uint64_t> scanned_ns_;  // when the scan before was made

  std::map<PipeId, KnownPipe> known_;
  std::vector<KnownPipe*> known_of_;  // by the scan's pipes
  KnownProcesses processes_;
  IoRates io_rates_;
  SeenMoving moving_;
  ContestedEnds contested_;
  size_t moving_then_ = 0;  // how many there were when the parts were found
  size_t next_part_ = 1;
  // Snapshots share the newest, so the one before it is brought up to date.
  std::array<SharedVector<PipeRow>, 2> rows_;
  size_t newest_ = 0;
};

}  // namespace pipetop

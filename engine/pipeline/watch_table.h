// The table of all pipes, and what is remembered of them from one pass over the machine to the
// next.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/shared_vector.h"
#include "engine/pipeline/contested_ends.h"
#include "engine/pipeline/graph.h"
#include "engine/pipeline/io_rates.h"
#include "engine/pipeline/pipe_views.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/watch_parts.h"

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

  // The next pass.
  void update(PipeScan scan, uint64_t now_ns);

  // Of the last pass.
  const PipeScan& scan() const { return *scan_; }
  const ScanIndex& index() const { return *index_; }
  const std::vector<PipelineShape>& shapes() const { return shapes_; }
  const SharedVector<PipeRow>& rows() const { return rows_[newest_]; }

  KnownPipe* known(PipeId id);  // null: it is in no scan
  KnownProcesses& processes() { return processes_; }

  // Who was seen to move data, by scans, and by those who see more.
  SeenMoving& moving() { return moving_; }
  const SeenMoving& moving() const { return moving_; }
  void see(const PipeScan& scan, const ScanIndex& index);

 private:
  void find_parts(bool same_holders);
  void number_parts();
  void remember(uint64_t now_ns);
  void measure_io();
  void measure_cpu(std::vector<ScannedProcess> states, uint64_t now_ns);
  void make_rows(uint64_t now_ns);
  void make_row(PipeRow& row, size_t pipe);
  void refresh(PipeRow& row, size_t pipe, uint64_t now_ns, bool commands);
  const ScannedProcess* state_of(ProcessId process) const;

  const WatchParts& parts_;
  const uint64_t window_ns_;
  // The scan has to stay where it is: the index and the states refer to it.
  std::unique_ptr<PipeScan> scan_ = std::make_unique<PipeScan>();
  std::unique_ptr<ScanIndex> index_ = std::make_unique<ScanIndex>(*scan_);
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
  std::vector<PipelineShape> shapes_;
  std::vector<std::vector<bool>> active_;  // by the scan's pipes
  // Snapshots share the newest, so the one before it is brought up to date.
  std::array<SharedVector<PipeRow>, 2> rows_;
  size_t newest_ = 0;
};

}  // namespace pipetop

#include "engine/observe/side_bytes.h"

#include <algorithm>

namespace pipetop::observe {
namespace {

bool writes(const PipeEnd& end) { return end.access != Access::read; }
bool reads(const PipeEnd& end) { return end.access != Access::write; }

// FNV-1a, a word at a time.
void mix(uint64_t& hash, uint64_t word) { hash = (hash ^ word) * 0x100000001b3; }

class Sides {
 public:
  explicit Sides(const std::vector<ProcessBytes>& bytes)
      : bytes_(bytes), writes_to_(bytes.size()), reads_from_(bytes.size()) {}

  void count_pipes(const ScannedPipe& pipe) {
    each(pipe, writes, [&](size_t i) { ++writes_to_[i]; });
    each(pipe, reads, [&](size_t i) { ++reads_from_[i]; });
  }

  // Of one whose processes use so many that move. Nothing if it can't be told.
  std::optional<SideBytes> of(const ScannedPipe& pipe, uint32_t moving) const {
    SideBytes sides;
    const auto writers =
        sum(pipe, writes, &ProcessBytes::written, writes_to_, moving, sides.holders);
    const auto readers = sum(pipe, reads, &ProcessBytes::read, reads_from_, moving, sides.holders);
    if (!writers || !readers) return {};
    sides.written = writers->bytes;
    sides.written_ns = writers->at_ns;
    sides.read = readers->bytes;
    sides.read_ns = readers->at_ns;
    return sides;
  }

 private:
  struct Sum {
    uint64_t bytes = 0, at_ns = 0;  // at the mean of their times
  };

  template <class Wanted>
  std::optional<Sum> sum(const ScannedPipe& pipe, const Wanted& is_wanted,
                         uint64_t ProcessBytes::*bytes, const std::vector<uint32_t>& pipes,
                         uint32_t moving, uint64_t& holders) const {
    Sum sum;
    uint64_t processes = 0, first_ns = 0, later_ns = 0;
    bool alone = true;
    const bool known = each(pipe, is_wanted, [&](size_t i) {
      const ProcessBytes& process = bytes_[i];
      alone = alone && pipes[i] == moving;
      sum.bytes += process.*bytes;
      if (processes++ == 0) first_ns = process.at_ns;
      later_ns += process.at_ns - first_ns;
      mix(holders, static_cast<uint64_t>(process.process.pid));
    });
    mix(holders, 0);
    if (!known || !alone || processes == 0) return {};
    sum.at_ns = first_ns + later_ns / processes;
    return sum;
  }

  // Calls `use` once for each process with such ends. False if one of them is not known.
  template <class Wanted, class Use>
  bool each(const ScannedPipe& pipe, const Wanted& is_wanted, const Use& use) const {
    const ProcessId* last = nullptr;
    bool known = true;
    for (const PipeEnd& end : pipe.ends) {  // by process
      if (!is_wanted(end) || (last && *last == end.process)) continue;
      last = &end.process;
      const auto found = std::ranges::lower_bound(bytes_, end.process, {}, &ProcessBytes::process);
      if (found == bytes_.end() || found->process != end.process) {
        known = false;
        continue;
      }
      use(static_cast<size_t>(found - bytes_.begin()));
    }
    return known;
  }

  const std::vector<ProcessBytes>& bytes_;
  std::vector<uint32_t> writes_to_, reads_from_;  // pipes that move
};

}  // namespace

void fill_sides(std::vector<ScannedPipe>& pipes, const std::vector<ProcessBytes>& bytes,
                bool standing) {
  Sides sides(bytes);
  for (const ScannedPipe& pipe : pipes)
    if (pipe.ring && pipe.ring->sides) sides.count_pipes(pipe);
  for (ScannedPipe& pipe : pipes) {
    if (!pipe.ring) continue;
    const bool moves = pipe.ring->sides.has_value();
    if (moves || standing) pipe.ring->sides = sides.of(pipe, moves ? 1 : 0);
  }
}

}  // namespace pipetop::observe

#include "engine/watch/graph.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

#include "engine/base/graph_order.h"
#include "engine/watch/holders.h"

namespace pipetop {
namespace {

// ---- the shape of one part ----------------------------------------------------

using Numbers = std::vector<uint32_t>;
using Side = std::span<const uint32_t>;

// Those that move the data of a pipe, as numbers of processes.
struct Movers {
  Side writers, readers;

  bool connect() const { return !writers.empty() && !readers.empty(); }
};

struct ShapeSource {
  const PipeScan& scan;
  const std::vector<ProcessId>& processes;  // sorted; a number is a place in them
  const std::vector<Movers>& movers;        // of each pipe of the scan
};

template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

size_t place_in(const Numbers& sorted, uint32_t number) {
  return size_t(std::ranges::lower_bound(sorted, number) - sorted.begin());
}

Numbers stages_of(const ShapeSource& source, std::span<const size_t> pipes) {
  Numbers stages;
  for (const size_t pipe : pipes)
    for (const Side side : {source.movers[pipe].writers, source.movers[pipe].readers})
      stages.insert(stages.end(), side.begin(), side.end());
  if (stages.empty())
    for (const size_t pipe : pipes)
      for (const PipeEnd& end : source.scan.pipes[pipe].ends)
        stages.push_back(uint32_t(std::ranges::lower_bound(source.processes, end.process) -
                                  source.processes.begin()));
  sort_unique(stages);
  return stages;
}

// From writers to readers, through a link for each pipe: shorter than all pairs of them.
std::vector<std::vector<size_t>> arrows_of(const ShapeSource& source, std::span<const size_t> pipes,
                                           const Numbers& stages) {
  std::vector<std::vector<size_t>> arrows(stages.size() + pipes.size());
  for (size_t i = 0; i < pipes.size(); ++i) {
    const size_t link = stages.size() + i;
    for (const uint32_t writer : source.movers[pipes[i]].writers)
      arrows[place_in(stages, writer)].push_back(link);
    for (const uint32_t reader : source.movers[pipes[i]].readers)
      arrows[link].push_back(place_in(stages, reader));
  }
  return arrows;
}

struct PlacedPipe {
  size_t writer, reader, pipe;

  auto operator<=>(const PlacedPipe&) const = default;
};

// A pipe that nobody writes comes before those that its reader writes.
PlacedPipe placed(const Movers& movers, size_t pipe, const Numbers& stages,
                  const std::vector<size_t>& position) {
  const auto first = [&](Side side) {
    size_t found = SIZE_MAX;
    for (const uint32_t process : side)
      found = std::min(found, position[place_in(stages, process)]);
    return found;
  };
  const size_t reader = first(movers.readers);
  if (movers.writers.empty()) return {reader, 0, pipe};
  return {first(movers.writers), reader, pipe};
}

// True for a single pipe that is not part of a circle; most are.
bool in_a_row(const Movers& movers) {
  auto reader = movers.readers.begin();  // both are in order
  return movers.connect() && std::ranges::none_of(movers.writers, [&](uint32_t writer) {
           reader = std::lower_bound(reader, movers.readers.end(), writer);
           return reader != movers.readers.end() && *reader == writer;
         });
}

// If nobody moves the data of these pipes, all holders are stages.
PipelineShape shape_of(const ShapeSource& source, std::span<const size_t> pipes) {
  PipelineShape shape;
  if (pipes.size() == 1 && in_a_row(source.movers[pipes[0]])) {
    for (const Side side : {source.movers[pipes[0]].writers, source.movers[pipes[0]].readers})
      for (const uint32_t process : side) shape.stages.push_back(source.processes[process]);
    shape.pipes = {pipes[0]};
    return shape;
  }
  const Numbers stages = stages_of(source, pipes);
  const std::vector<size_t> order = graph_order(arrows_of(source, pipes, stages), stages.size());
  std::vector<size_t> position(stages.size());
  for (size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    shape.stages.push_back(source.processes[stages[order[i]]]);
  }
  std::vector<PlacedPipe> places;
  for (const size_t pipe : pipes)
    places.push_back(placed(source.movers[pipe], pipe, stages, position));
  std::ranges::sort(places);
  for (const PlacedPipe& place : places) shape.pipes.push_back(place.pipe);
  return shape;
}

// ---- the parts ------------------------------------------------------------------

constexpr uint32_t kNoPart = UINT32_MAX;
// Who moves data through more serves many who have nothing to do with each other.
constexpr uint32_t kMostSockets = 4;

// What else is known of a pipe.
struct PipeTies {
  bool own = false;
  // Somebody's standard input or output, or seen moving.
  bool standard = false;
  // Its writers have it as standard error only, and were not seen; sorted.
  std::vector<uint32_t> by_error;
  // Both sides are active, but that says nothing of the flow.
  bool apart = false;
  bool socket = false;
};

class PipeGraph {
 public:
  PipeGraph(const PipeScan& scan, const SeenMoving& moving, const Families& families);

  std::vector<PipelineShape> shapes();

 private:
  void number_processes();
  void find_sessions();
  void add(const ScannedPipe& pipe, const SeenMoving& moving);
  void add_side(const std::vector<Holder>& side, const std::vector<Holder>& others, PipeTies& ties);
  uint32_t number_of(ProcessId process) const {
    return uint32_t(std::ranges::lower_bound(processes_, process) - processes_.begin());
  }
  bool connects(size_t pipe) const {
    return movers_[pipe].connect() && !ties_[pipe].own && !ties_[pipe].apart;
  }
  void cut_errors();
  void find_supervisors();
  void count_sockets();
  bool joins(uint32_t process, size_t pipe) const;
  std::optional<uint32_t> only_part(size_t pipe, const std::vector<bool>& in_part,
                                    Joined& joined) const;
  void attach(Joined& joined) const;
  std::vector<uint32_t> part_of_pipes() const;

  // In a Joined, after the processes.
  uint32_t node_of(size_t pipe) const { return uint32_t(processes_.size() + pipe); }

  template <class Visit>
  void for_each_mover(size_t pipe, Visit visit) const {
    for (const uint32_t process : movers_[pipe].writers) visit(process);
    for (const uint32_t process : movers_[pipe].readers) visit(process);
  }

  const PipeScan& scan_;
  const Families& families_;
  std::vector<ProcessId> processes_;  // sorted: the number of a process is its place
  std::vector<pid_t> sessions_;       // of each process; 0: not known
  std::vector<uint32_t> numbers_;     // that the movers refer to
  std::vector<Movers> movers_;        // of each pipe
  std::vector<PipeTies> ties_;        // of each pipe
  std::vector<bool> supervisor_;      // of each process
  std::vector<uint32_t> sockets_;     // of each process: how many it moves data through
};

PipeGraph::PipeGraph(const PipeScan& scan, const SeenMoving& moving, const Families& families)
    : scan_(scan), families_(families) {
  number_processes();
  find_sessions();
  size_t ends = 0;
  for (const ScannedPipe& pipe : scan.pipes) ends += pipe.ends.size();
  numbers_.reserve(2 * ends);  // it never grows: an end can be on both sides
  movers_.reserve(scan.pipes.size());
  ties_.reserve(scan.pipes.size());
  for (const ScannedPipe& pipe : scan.pipes) add(pipe, moving);
  cut_errors();
  find_supervisors();
  count_sockets();
}

void PipeGraph::number_processes() {
  for (const ScannedPipe& pipe : scan_.pipes)
    for (const PipeEnd& end : pipe.ends)
      if (processes_.empty() || processes_.back() != end.process) processes_.push_back(end.process);
  sort_unique(processes_);
}

void PipeGraph::find_sessions() {
  sessions_.resize(processes_.size());
  auto task = scan_.tasks.begin();
  for (size_t i = 0; i < processes_.size(); ++i) {
    while (task != scan_.tasks.end() && task->process < processes_[i]) ++task;
    if (task != scan_.tasks.end() && task->process == processes_[i]) sessions_[i] = task->session;
  }
}

void PipeGraph::add_side(const std::vector<Holder>& side, const std::vector<Holder>& others,
                         PipeTies& ties) {
  const std::vector<bool> moves = movers(side, others, families_);
  for (size_t i = 0; i < side.size(); ++i) {
    if (!moves[i]) continue;
    numbers_.push_back(number_of(side[i].process));
    if (side[i].error && !side[i].seen) ties.by_error.push_back(numbers_.back());
    ties.standard = ties.standard || side[i].standard || side[i].seen;
  }
}

void PipeGraph::add(const ScannedPipe& pipe, const SeenMoving& moving) {
  PipeTies ties;
  ties.own = is_own(pipe);
  ties.socket = pipe.socket.has_value();
  const uint32_t* const begin = numbers_.data() + numbers_.size();
  const uint32_t* middle = begin;
  const PipeEnd* const writer =
      has_one_of_each(pipe) ? &pipe.ends[is_for_reading(pipe.ends[0]) ? 1 : 0] : nullptr;
  if (writer && writer->fd != 2) {
    numbers_.push_back(number_of(writer->process));
    middle = begin + 1;
    numbers_.push_back(number_of(pipe.ends[writer == &pipe.ends[0] ? 1 : 0].process));
  } else {
    const Holders holders = holders_of(pipe, moving);
    add_side(holders.writers, holders.readers, ties);
    middle = numbers_.data() + numbers_.size();
    add_side(holders.readers, holders.writers, ties);
  }
  movers_.push_back({{begin, middle}, {middle, numbers_.data() + numbers_.size()}});
  ties_.push_back(std::move(ties));
}

// Pipes that are only errors of stages whose output goes elsewhere.
void PipeGraph::cut_errors() {
  const auto by_error = [&](size_t pipe, uint32_t writer) {
    return std::ranges::binary_search(ties_[pipe].by_error, writer);
  };
  std::vector<bool> has_output(processes_.size());
  for (size_t i = 0; i < movers_.size(); ++i)
    if (connects(i))
      for (const uint32_t writer : movers_[i].writers)
        if (!by_error(i, writer)) has_output[writer] = true;
  for (size_t i = 0; i < movers_.size(); ++i)
    ties_[i].apart =
        !ties_[i].by_error.empty() && std::ranges::all_of(movers_[i].writers, [&](uint32_t writer) {
          return has_output[writer] && by_error(i, writer);
        });
}

void PipeGraph::find_supervisors() {
  // The first session besides its own that a process has at the other side of a pipe.
  std::vector<pid_t> first(processes_.size());
  supervisor_.resize(processes_.size());
  const auto compare = [&](std::span<const uint32_t> side, std::span<const uint32_t> others) {
    const pid_t session = sessions_[others.front()];
    for (const uint32_t process : side) {
      const pid_t own = sessions_[process];
      if (own == 0 || session == 0 || own == session || first[process] == session) continue;
      if (first[process] != 0) supervisor_[process] = true;
      first[process] = session;
    }
  };
  for (size_t i = 0; i < movers_.size(); ++i) {
    if (!connects(i) || ties_[i].socket) continue;
    compare(movers_[i].writers, movers_[i].readers);
    compare(movers_[i].readers, movers_[i].writers);
  }
}

void PipeGraph::count_sockets() {
  sockets_.resize(processes_.size());
  for (size_t i = 0; i < movers_.size(); ++i)
    if (ties_[i].socket) for_each_mover(i, [&](uint32_t process) { ++sockets_[process]; });
}

// Whether its other pipes belong to the same part as this one.
bool PipeGraph::joins(uint32_t process, size_t pipe) const {
  return !supervisor_[process] && !(ties_[pipe].socket && sockets_[process] > kMostSockets);
}

// For a one-sided pipe, finds a process of the only part that its holders are in.
std::optional<uint32_t> PipeGraph::only_part(size_t pipe, const std::vector<bool>& in_part,
                                             Joined& joined) const {
  const PipeTies& ties = ties_[pipe];
  if (movers_[pipe].connect() || ties.apart || (!ties.standard && !ties.socket)) return {};
  std::optional<uint32_t> one;
  bool several = false;
  for_each_mover(pipe, [&](uint32_t process) {
    if (ties.socket && !joins(process, pipe)) several = true;
    if (!in_part[process] || (one && joined.root(*one) != joined.root(process))) several = true;
    one = process;
  });
  return several ? std::nullopt : one;
}

void PipeGraph::attach(Joined& joined) const {
  std::vector<bool> in_part(processes_.size());
  for (size_t i = 0; i < movers_.size(); ++i)
    if (connects(i))
      for_each_mover(
          i, [&](uint32_t process) { in_part[process] = in_part[process] || joins(process, i); });
  // All are found before any of them is joined: they connect nothing.
  std::vector<std::optional<uint32_t>> parts;
  for (size_t i = 0; i < movers_.size(); ++i) parts.push_back(only_part(i, in_part, joined));
  for (size_t i = 0; i < movers_.size(); ++i)
    if (parts[i]) joined.join(node_of(i), *parts[i]);
}

// The same number for pipes of the same part.
std::vector<uint32_t> PipeGraph::part_of_pipes() const {
  Joined joined(processes_.size() + movers_.size());
  for (size_t i = 0; i < movers_.size(); ++i)
    if (connects(i))
      for_each_mover(i, [&](uint32_t process) {
        if (joins(process, i)) joined.join(node_of(i), process);
      });
  attach(joined);
  std::vector<uint32_t> parts;
  for (size_t i = 0; i < movers_.size(); ++i) parts.push_back(joined.root(node_of(i)));
  return parts;
}

std::vector<PipelineShape> PipeGraph::shapes() {
  const std::vector<uint32_t> parts = part_of_pipes();
  // Numbered in the order of their first pipes, and the pipes sorted by that.
  std::vector<uint32_t> part_of_node(processes_.size() + parts.size(), kNoPart), begins = {0};
  std::vector<uint32_t> part_of(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    uint32_t& part = part_of_node[parts[i]];
    if (part == kNoPart) part = uint32_t(begins.size() - 1), begins.push_back(0);
    part_of[i] = part;
    ++begins[part + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<size_t> pipes(parts.size());
  std::vector<uint32_t> next = begins;
  for (size_t i = 0; i < parts.size(); ++i) pipes[next[part_of[i]]++] = i;

  std::vector<PipelineShape> result;
  result.reserve(begins.size() - 1);
  const ShapeSource source{scan_, processes_, movers_};
  for (size_t part = 0; part + 1 < begins.size(); ++part)
    result.push_back(
        shape_of(source, std::span(pipes).subspan(begins[part], begins[part + 1] - begins[part])));
  return result;
}

}  // namespace

bool is_for_reading(const PipeEnd& end) {
  if (end.access == Access::both) return end.fd != 1 && end.fd != 2;
  return end.access == Access::read;
}

bool is_for_writing(const PipeEnd& end) {
  if (end.access == Access::both) return end.fd != 0;
  return end.access == Access::write;
}

bool is_on(const PipeEnd& end, bool writing) {
  return writing ? is_for_writing(end) : is_for_reading(end);
}

std::vector<bool> active_ends(const ScannedPipe& pipe, const SeenMoving& moving,
                              const Families& families) {
  if (has_one_of_each(pipe)) return {true, true};
  const Holders holders = holders_of(pipe, moving);
  std::vector<bool> active(pipe.ends.size());
  const auto mark = [&](const std::vector<Holder>& side, const std::vector<Holder>& others,
                        bool (*is_of_side)(const PipeEnd&)) {
    const std::vector<bool> moves = movers(side, others, families);
    size_t at = 0;  // both are by process
    for (size_t i = 0; i < pipe.ends.size(); ++i) {
      if (!is_of_side(pipe.ends[i])) continue;
      while (side[at].process != pipe.ends[i].process) ++at;
      if (moves[at]) active[i] = true;
    }
  };
  mark(holders.writers, holders.readers, is_for_writing);
  mark(holders.readers, holders.writers, is_for_reading);
  return active;
}

bool is_own(const ScannedPipe& pipe) {
  bool read = false, write = false;
  for (const PipeEnd& end : pipe.ends) {
    if (end.process != pipe.ends.front().process) return false;
    read = read || end.access != Access::write;
    write = write || end.access != Access::read;
  }
  return read && write;
}

std::vector<PipelineShape> pipelines(const PipeScan& scan, const SeenMoving& moving,
                                     const Families& families) {
  return PipeGraph(scan, moving, families).shapes();
}

}  // namespace pipetop

#include "engine/watch/pipeline_members.h"

#include <algorithm>
#include <map>

namespace pipetop {
PipelineMembers::Connected PipelineMembers::part_of(
    const PipeScan& scan, const std::vector<PipelineShape>& shapes) const {
  const PipelineShape* part = nullptr;
  ptrdiff_t most = 0;
  for (const PipelineShape& shape : shapes) {
    const auto known = std::ranges::count_if(
        shape.pipes, [&](size_t i) { return connected_.contains(scan.pipes[i].id); });
    if (known > most) {
      most = known;
      part = &shape;
    }
  }
  return part ? Connected{part->stages, part->pipes} : Connected{};
}

bool PipelineMembers::in_tree(ProcessId process, const ScanIndex& index) {
  const auto threads = index.threads(process);
  return tree_->contains(process, threads.empty() ? 0 : leader(threads).parent);
}

PipelineMembers::Connected PipelineMembers::tree_of(const PipeScan& scan, const ScanIndex& index,
                                                    const std::vector<PipelineShape>& shapes,
                                                    const SeenMoving& moving) {
  // Who also moves data to itself has its place from the flow between others.
  std::vector<const PipelineShape*> ordered;
  for (const PipelineShape& shape : shapes) ordered.push_back(&shape);
  std::ranges::stable_sort(ordered, {},
                           [](const PipelineShape* shape) { return shape->stages.size() == 1; });
  Connected connected;
  std::set<ProcessId> stages;
  for (const PipelineShape* const shape : ordered) {
    std::set<ProcessId> wanted;
    for (const size_t i : shape->pipes) {
      const ScannedPipe& pipe = scan.pipes[i];
      bool sides[2] = {}, moves = false;
      for (const PipeEnd& end : pipe.ends) {
        if (!in_tree(end.process, index)) continue;
        for (const bool writing : {false, true})
          sides[writing] = sides[writing] || is_on(end, writing);
        moves = moves || was_seen(moving, pipe.id, end.process);
      }
      if (!moves && (!(sides[0] && sides[1]) || is_own(pipe))) continue;
      connected.pipes.push_back(i);
      for (const PipeEnd& end : pipe.ends)
        for (const bool writing : {false, true})
          if (is_on(end, writing) && (!sides[writing] || in_tree(end.process, index)))
            wanted.insert(end.process);
    }
    for (const ProcessId stage : shape->stages)
      if (wanted.contains(stage) && stages.insert(stage).second) connected.stages.push_back(stage);
  }
  return connected;
}

// Pipes that were there before go first, and of the stages those that hold one that stays.
void PipelineMembers::limit(Connected& connected, const PipeScan& scan) {
  left_out_ = 0;
  const auto cut = [&](auto& members, const auto& goes_first) {
    if (members.size() <= kMost) return;
    left_out_ += members.size() - kMost;
    size_t room = kMost, first = size_t(std::ranges::count_if(members, goes_first));
    size_t others = room - std::min(room, first);
    std::erase_if(members, [&](const auto& member) {
      size_t& left = goes_first(member) ? room : others;
      return left == 0 || (--left, false);
    });
  };
  cut(connected.pipes, [&](size_t i) { return connected_.contains(scan.pipes[i].id); });
  std::set<ProcessId> holders;
  for (const size_t i : connected.pipes)
    for (const PipeEnd& end : scan.pipes[i].ends) holders.insert(end.process);
  cut(connected.stages, [&](ProcessId stage) { return holders.contains(stage); });
}

void PipelineMembers::update(const PipeScan& scan, const ScanIndex& index,
                             const std::vector<PipelineShape>& shapes, const SeenMoving& moving,
                             uint64_t now_ns) {
  Connected connected = tree_ ? tree_of(scan, index, shapes, moving) : part_of(scan, shapes);
  // It has ended: nothing leaves it any more.
  if (connected.pipes.empty() && !tree_) return holders_.clear();
  limit(connected, scan);
  std::vector<PipeId> pipes;
  for (const size_t i : connected.pipes) pipes.push_back(scan.pipes[i].id);
  if (tree_) drop_waiting_parents(connected, index, moving);
  merge(stages_, connected.stages, now_ns);
  merge(pipes_, pipes, now_ns);
  connected_ = {pipes.begin(), pipes.end()};
  find_holders(scan, index, connected.pipes);
}

// A shell holds the pipes of its children for a moment, while it starts them one after the other:
// when it has let go of them without moving a byte, it was no stage.
void PipelineMembers::drop_waiting_parents(const Connected& connected, const ScanIndex& index,
                                           const SeenMoving& moving) {
  for (const ProcessId stage : connected.stages)
    if (const auto threads = index.threads(stage); !threads.empty())
      parents_.insert(leader(threads).parent);
  std::set<ProcessId> members(connected.stages.begin(), connected.stages.end());
  for (const Member<ProcessId>& stage : stages_) members.insert(stage.id);
  std::erase_if(moved_, [&](ProcessId stage) { return !members.contains(stage); });
  for (const auto& seen : moving)
    if (members.contains(seen.process)) moved_.insert(seen.process);
  std::erase_if(stages_, [&](const Member<ProcessId>& member) {
    return std::ranges::find(connected.stages, member.id) == connected.stages.end() &&
           parents_.contains(member.id.pid) && !moved_.contains(member.id);
  });
}

// The connected ones in their order, and what left behind the one that it followed.
template <class Id>
void PipelineMembers::merge(std::vector<Member<Id>>& members, const std::vector<Id>& connected,
                            uint64_t now_ns) const {
  const std::set<Id> stay(connected.begin(), connected.end());
  std::map<std::optional<Id>, std::vector<Member<Id>>> followers;
  std::optional<Id> followed;
  size_t left = 0;
  for (const Member<Id>& member : members) {
    if (stay.contains(member.id)) {
      followed = member.id;
    } else if (tree_ || member.seen_ns + kStay_ns >= now_ns) {
      followers[followed].push_back(member);
      ++left;
    }
  }
  std::vector<Member<Id>> merged = std::move(followers[std::nullopt]);
  for (const Id& id : connected) {
    merged.push_back({id, now_ns});
    const auto behind = followers.find(id);
    if (behind != followers.end())
      merged.insert(merged.end(), behind->second.begin(), behind->second.end());
  }
  while (left-- > kMostGone) {  // the oldest go
    auto oldest = std::ranges::min_element(merged, {}, &Member<Id>::seen_ns);
    merged.erase(oldest);
  }
  members = std::move(merged);
}

void PipelineMembers::find_holders(const PipeScan& scan, const ScanIndex& index,
                                   const std::vector<size_t>& pipes) {
  holders_.clear();
  std::set<ProcessId> known;
  for (const Member<ProcessId>& stage : stages_) known.insert(stage.id);
  for (const size_t i : pipes)
    for (const PipeEnd& end : scan.pipes[i].ends)
      if (known.insert(end.process).second && (!tree_ || in_tree(end.process, index))) {
        if (holders_.size() < kMost)
          holders_.push_back(end.process);
        else
          ++left_out_;
      }
}

std::vector<ProcessId> PipelineMembers::stages() const {
  std::vector<ProcessId> ids;
  for (const auto& member : stages_) ids.push_back(member.id);
  return ids;
}

std::vector<PipeId> PipelineMembers::pipes() const {
  std::vector<PipeId> ids;
  for (const auto& member : pipes_) ids.push_back(member.id);
  return ids;
}

namespace {

constexpr int kMostGenerations = 1000;  // pid namespaces and races could make a circle
constexpr pid_t kInit = 1;
constexpr size_t kMostKnown = 1 << 16;

}  // namespace

bool Descendants::contains(ProcessId process, pid_t parent) {
  if (process.pid == root_) return true;
  if (process.pid == adopter_) return false;
  if (const auto known = known_.find(process); known != known_.end()) return known->second;
  const std::optional<bool> does = descends(parent != 0 ? parent : parent_of_(process.pid));
  if (known_.size() > kMostKnown)  // of others, that are asked for again if they still run
    std::erase_if(known_, [](const auto& entry) { return !entry.second; });
  if (does) known_.emplace(process, *does);
  return does.value_or(false);
}

std::optional<bool> Descendants::descends(pid_t parent) const {
  for (int i = 0; i < kMostGenerations && parent > 0; ++i) {
    if (parent == root_ || parent == adopter_) return true;
    if (parent == kInit) return false;
    parent = parent_of_(parent);
  }
  return {};
}

}  // namespace pipetop

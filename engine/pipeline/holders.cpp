#include "engine/pipeline/holders.h"

#include <algorithm>

#include "engine/pipeline/scan_index.h"

namespace pipetop {
namespace {

// Children of a loop, such as `sleep 1`, come and go: until one has done more, or was seen moving
// data, its parent stands for it. Else the pipeline would have another stage at every look.
constexpr uint64_t kHeirCpu_ns = 500'000'000;
// Of the chain of parents: pid namespaces nest at most 32 deep, shells less.
constexpr int kMostAncestors = 32;

using Tasks = std::span<const ScannedTask>;

pid_t parent_of(Tasks tasks, pid_t pid) {
  const auto found = std::ranges::lower_bound(
      tasks, pid, {}, [](const ScannedTask& task) { return task.process.pid; });
  return found != tasks.end() && found->process.pid == pid ? found->parent : 0;
}

bool waits_for_child(Tasks threads) {
  return std::ranges::any_of(threads,
                             [](const ScannedTask& task) { return task.wait == WaitsFor::child; });
}

bool has_done_little(Tasks threads) {
  uint64_t cpu_ns = 0;
  for (const ScannedTask& thread : threads) cpu_ns += thread.cpu_ns;
  return cpu_ns < kHeirCpu_ns;
}

// Or duplicated: it has a descriptor that it did not inherit, as `tee /dev/fd/63` does.
bool opened_itself(const Holder& child, const Holder& ancestor) {
  return std::ranges::any_of(
      child.fds, [&](int fd) { return std::ranges::find(ancestor.fds, fd) == ancestor.fds.end(); });
}

// What the holders of one side are to each other.
struct Kin {
  std::vector<bool> is_child;   // an ancestor holds the end, too
  std::vector<bool> delegates;  // it waits for a child that holds the end, and isn't new
  std::vector<bool> is_heir;    // such a child
  std::vector<bool> is_new;     // a child that has done little
  std::vector<bool> opened;     // a child that has not only inherited the end
};

Kin kin_of(std::span<const Holder> side, Tasks tasks) {
  const size_t n = side.size();
  const std::vector<bool> none(n);
  Kin kin{none, none, none, none, none};
  for (size_t i = 0; i < n; ++i) {
    const bool little = has_done_little(threads_in(tasks, side[i].process));
    pid_t ancestor = parent_of(tasks, side[i].process.pid);
    for (int depth = 0; ancestor > 0 && depth < kMostAncestors; ++depth) {
      const auto holder = std::ranges::lower_bound(side, ancestor, {},
                                                   [](const Holder& h) { return h.process.pid; });
      if (holder != side.end() && holder->process.pid == ancestor) {
        const size_t at = size_t(holder - side.begin());
        const bool opened = opened_itself(side[i], *holder), does = !little || opened;
        // To the nearest one.
        if (!kin.is_child[i]) kin.is_new[i] = !does, kin.opened[i] = opened;
        kin.is_child[i] = true;
        if (does && waits_for_child(threads_in(tasks, holder->process)))
          kin.delegates[at] = kin.is_heir[i] = true;
      }
      ancestor = parent_of(tasks, ancestor);
    }
  }
  return kin;
}

template <class Which>
std::vector<bool> chosen(size_t count, Which which) {
  std::vector<bool> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = which(i);
  return result;
}

bool any(const std::vector<bool>& flags) { return std::ranges::find(flags, true) != flags.end(); }

// Of a group of holders those that have something to do with the end, if there are such.
std::vector<bool> without_idle_kin(const std::vector<bool>& group, const Kin& kin) {
  const auto works = [&](size_t i) { return group[i] && !kin.delegates[i] && !kin.is_new[i]; };
  const std::vector<bool> result = chosen(group.size(), works);
  return any(result) ? result : group;
}

bool holds_one(const Holder& holder) { return !holder.both; }

std::vector<Holder> side_of(const ScannedPipe& pipe, bool writing, const SeenMoving& moving) {
  std::vector<Holder> side;
  for (const PipeEnd& end : pipe.ends) {
    if (!(writing ? is_for_writing(end) : is_for_reading(end))) continue;
    if (side.empty() || side.back().process != end.process) {
      side.push_back({.process = end.process, .error = true});
      side.back().seen = !moving.empty() && moving.contains({pipe.id, end.process});
    }
    Holder& holder = side.back();
    holder.standard = holder.standard || end.fd == (writing ? 1 : 0);
    holder.error = holder.error && end.fd == 2;
    holder.fds.push_back(end.fd);
  }
  return side;
}

}  // namespace

bool has_one_of_each(const ScannedPipe& pipe) {
  if (pipe.ends.size() != 2) return false;
  const PipeEnd &a = pipe.ends[0], &b = pipe.ends[1];
  return a.process != b.process && is_for_reading(a) != is_for_reading(b) &&
         is_for_writing(a) != is_for_writing(b);
}

Holders holders_of(const ScannedPipe& pipe, const SeenMoving& moving) {
  Holders holders{side_of(pipe, true, moving), side_of(pipe, false, moving)};
  for (Holder& writer : holders.writers) {
    const auto same =
        std::ranges::lower_bound(holders.readers, writer.process, {}, &Holder::process);
    writer.both = same != holders.readers.end() && same->process == writer.process;
    if (writer.both) same->both = true;
  }
  return holders;
}

std::vector<bool> movers(std::span<const Holder> side, std::span<const Holder> others,
                         std::span<const ScannedTask> tasks) {
  const size_t n = side.size();
  if (n == 1) return {true};
  const bool one_sided = std::ranges::any_of(side, holds_one);
  // All hold both ends, as the workers of a server do: any of them could be meant. A FIFO that was
  // opened for both can be somebody's input or output, though.
  const bool nobody = !one_sided && std::ranges::none_of(others, holds_one);
  const auto could = [&](size_t i) {
    return nobody ? side[i].standard : !one_sided || !side[i].both;
  };

  if (std::ranges::any_of(side, &Holder::seen)) {
    const Kin kin = kin_of(side, tasks);
    const auto moves = [&](size_t i) {
      if (side[i].seen) return !kin.delegates[i];
      return kin.is_heir[i] && could(i);
    };
    if (auto result = chosen(n, moves); any(result)) return result;
    return chosen(n, [&](size_t i) { return side[i].seen; });
  }
  // From the surest sign to the weakest one.
  const auto is_standard = [&](size_t i) { return side[i].standard && could(i); };
  const auto is_other = [&](size_t i) { return !side[i].error && could(i); };
  for (const auto& group : {chosen(n, is_standard), chosen(n, is_other), chosen(n, could)}) {
    const auto count = std::ranges::count(group, true);
    if (count == 0) continue;
    if (count == 1) return group;
    const Kin kin = kin_of(side, tasks);
    const auto first = size_t(std::ranges::find(group, true) - group.begin());
    if (side[first].standard || side[first].error) return without_idle_kin(group, kin);
    // Other descriptors are inherited by accident: by all that somebody's tools start, for example.
    return chosen(n, [&](size_t i) { return group[i] && kin.opened[i]; });
  }
  return chosen(n, could);
}

}  // namespace pipetop

#include "engine/watch/holders.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace pipetop {
namespace {

// Children of a loop, such as `sleep 1`, come and go: until one has done more, or was seen moving
// data, its parent stands for it. Else the pipeline would have another stage at every scan.
constexpr uint64_t kHeirCpu_ns = 500'000'000;
// Limits the chain of parents: pid namespaces nest at most 32 deep, shells less.
constexpr int kMostAncestors = 32;

// Or duplicated: it has a descriptor that it did not inherit, as `tee /dev/fd/63` does.
bool opened_itself(const Holder& child, const Holder& ancestor, const Families& families) {
  if (child.fds.size() > ancestor.fds.size()) return true;
  // Both are in order.
  auto from = ancestor.fds.begin();
  return std::ranges::any_of(child.fds, [&](int fd) {
    families.count_step();
    from = std::lower_bound(from, ancestor.fds.end(), fd);
    return from == ancestor.fds.end() || *from != fd;
  });
}

// What the holders of one side are to each other.
struct Inheritance {
  std::vector<bool> is_child;   // an ancestor holds the end, too
  std::vector<bool> delegates;  // it waits for a child that holds the end, and isn't new
  std::vector<bool> is_heir;    // such a child
  std::vector<bool> is_new;     // a child that has done little
  std::vector<bool> opened;     // a child that has not only inherited the end
};

Inheritance inheritance_of(std::span<const Holder> side, const Families& families) {
  const size_t n = side.size();
  const std::vector<bool> none(n);
  Inheritance inheritance{none, none, none, none, none};
  for (size_t i = 0; i < n; ++i) {
    const Families::Member* const member = families.find(side[i].process);
    if (!member) continue;
    bool does = false;  // more than to exist
    const Families::Member* ancestor = member->parent;
    for (int depth = 0; ancestor && depth < kMostAncestors; ++depth, ancestor = ancestor->parent) {
      families.count_step();
      const auto holder = std::ranges::lower_bound(side, ancestor->process, {}, &Holder::process);
      if (holder == side.end() || holder->process != ancestor->process) continue;
      // The nearest one is who it would have inherited the end from.
      if (!inheritance.is_child[i]) {
        inheritance.is_child[i] = true;
        inheritance.opened[i] = opened_itself(side[i], *holder, families);
        does = inheritance.opened[i] || member->cpu_ns >= kHeirCpu_ns;
        inheritance.is_new[i] = !does;
      }
      // What a script writes to its log isn't what its tools, which have that as standard error
      // only, write to theirs.
      const bool as_well = !side[i].error || holder->error;
      if (does && as_well && ancestor->waits_for_child)
        inheritance.delegates[size_t(holder - side.begin())] = inheritance.is_heir[i] = true;
    }
  }
  return inheritance;
}

template <class Which>
std::vector<bool> chosen(size_t count, Which which) {
  std::vector<bool> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = which(i);
  return result;
}

bool any(const std::vector<bool>& flags) { return std::ranges::find(flags, true) != flags.end(); }

// Keeps the holders of a group that have something to do with the end, if there are such.
std::vector<bool> without_idle_heirs(const std::vector<bool>& group,
                                     const Inheritance& inheritance) {
  const auto works = [&](size_t i) {
    return group[i] && !inheritance.delegates[i] && !inheritance.is_new[i];
  };
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
      if (!moving.empty()) {
        side.back().seen = moving.contains({pipe.id, end.process, writing});
        side.back().beyond = !side.back().seen && moving.contains({pipe.id, end.process, !writing});
      }
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
                         const Families& families) {
  const size_t n = side.size();
  if (n == 1) return {true};
  const bool one_sided = std::ranges::any_of(side, holds_one);
  // All hold both ends, as the workers of a server do: any of them could be meant. A FIFO that was
  // opened for both can be somebody's input or output, though, and who was seen to move data at one
  // side does so there only.
  const bool nobody = !one_sided && std::ranges::none_of(others, holds_one) &&
                      std::ranges::count(side, false, &Holder::beyond) != 1;
  const auto could = [&](size_t i) {
    if (side[i].beyond) return false;
    return nobody ? side[i].standard : !one_sided || !side[i].both;
  };

  if (std::ranges::any_of(side, &Holder::seen)) {
    const Inheritance inheritance = inheritance_of(side, families);
    const auto moves = [&](size_t i) {
      if (side[i].seen) return !inheritance.delegates[i];
      return inheritance.is_heir[i] && could(i);
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
    const Inheritance inheritance = inheritance_of(side, families);
    const auto first = size_t(std::ranges::find(group, true) - group.begin());
    if (side[first].standard || side[first].error) return without_idle_heirs(group, inheritance);
    // Other descriptors are inherited by accident: by all that somebody's tools start, for example.
    return chosen(n, [&](size_t i) { return group[i] && inheritance.opened[i]; });
  }
  return chosen(n, could);
}

namespace {

bool is_standard(const PipeEnd& end, bool writing) {
  return end.fd == (writing ? STDOUT_FILENO : STDIN_FILENO);
}

// Each process once; with its standard input or output, if that is one of its ends.
std::vector<PipeEnd> holders_on(const ScannedPipe& pipe, bool writing) {
  std::vector<PipeEnd> holders;
  for (const PipeEnd& end : pipe.ends) {  // by process
    if (!(writing ? is_for_writing(end) : is_for_reading(end))) continue;
    if (holders.empty() || holders.back().process != end.process)
      holders.push_back(end);
    else if (is_standard(end, writing))
      holders.back() = end;
  }
  return holders;
}

// All that hold one side hold the other one, too.
bool hold_both(const ScannedPipe& pipe) {
  const auto same = [](const PipeEnd& a, const PipeEnd& b) { return a.process == b.process; };
  return std::ranges::equal(holders_on(pipe, true), holders_on(pipe, false), same);
}

bool waits_for_child(std::span<const ScannedTask> threads) {
  return std::ranges::all_of(threads,
                             [](const ScannedTask& task) { return task.wait == WaitsFor::child; });
}

}  // namespace

ContestedEnds::Totals ContestedEnds::totals_of(std::span<const ScannedTask> threads) {
  Totals totals;
  for (const ScannedTask& thread : threads) {
    totals.written += thread.written_bytes;
    totals.read += thread.read_bytes;
    totals.cpu_ns += thread.cpu_ns;
  }
  totals.able = !threads.empty() && !waits_for_child(threads);
  return totals;
}

void ContestedEnds::see(const PipeScan& scan, const ScanIndex& index, SeenMoving& moving) {
  std::map<ProcessId, Totals> totals;
  std::map<PipeId, uint32_t> heads;
  for (const ScannedPipe& pipe : scan.pipes) {
    if ((!pipe.ring && !pipe.socket) || pipe.ends.size() < 3) continue;
    for (const bool writing : {true, false}) {
      const std::vector<PipeEnd> holders = holders_on(pipe, writing);
      const bool decided = std::ranges::any_of(holders, [&](const PipeEnd& end) {
        return moving.contains({pipe.id, end.process, writing});
      });
      if (holders.size() < 2 || decided) continue;
      std::vector<PipeEnd> able;
      for (const PipeEnd& end : holders) {
        if (moving.contains({pipe.id, end.process, !writing})) continue;
        const auto [found, is_new] = totals.try_emplace(end.process);
        if (is_new) found->second = totals_of(index.threads(end.process));
        if (found->second.able) able.push_back(end);
      }
      if (pipe.ring) {
        heads[pipe.id] = pipe.ring->head;
        const auto head = heads_.find(pipe.id);
        if (head == heads_.end() || head->second == pipe.ring->head) continue;
      }
      // Who holds both ends may use its CPU for the other one.
      // Who reads may well write elsewhere: several are its writers only if its readers are known.
      const bool both = hold_both(pipe);
      const bool several = both && (!writing || able.size() < holders.size());
      for (const PipeEnd& end : movers(able, {writing, !both, several}, totals))
        moving.insert({pipe.id, end.process, writing});
    }
  }
  totals_ = std::move(totals);
  heads_ = std::move(heads);
}

// If several could be, takes only those whose standard input or output it is. What somebody
// has written who has it as standard error only went elsewhere.
std::vector<PipeEnd> ContestedEnds::movers(std::span<const PipeEnd> holders, const Signs& signs,
                                           const std::map<ProcessId, Totals>& now) const {
  for (uint64_t Totals::*counter :
       {signs.writing ? &Totals::written : &Totals::read, &Totals::cpu_ns}) {
    if (counter == &Totals::cpu_ns && !signs.by_cpu) continue;
    std::vector<PipeEnd> found;
    for (const PipeEnd& end : holders) {
      const auto before = totals_.find(end.process);
      if (before != totals_.end() && now.at(end.process).*counter > before->second.*counter)
        found.push_back(end);
    }
    if (signs.writing)
      std::erase_if(found, [](const PipeEnd& end) { return end.fd == STDERR_FILENO; });
    if (found.size() > 1 && !signs.several)
      std::erase_if(found, [&](const PipeEnd& end) { return !is_standard(end, signs.writing); });
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace pipetop

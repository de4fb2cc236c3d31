#include "engine/watch/byte_counts.h"

#include <algorithm>

#include "engine/watch/scan_index.h"

namespace pipetop {

void ByteCounts::add(const std::vector<observe::EndBytes>& moved) {
  for (const observe::EndBytes& end : moved) {
    Counts& counts = pipes_[end.pipe];
    (end.writing ? counts.written : counts.read) += end.bytes;
    counts.ends[{end.process, end.fd, end.writing}].bytes += end.bytes;
  }
}

void ByteCounts::forget(const std::function<bool(PipeId)>& is_gone,
                        const std::function<bool(ProcessId)>& is_other) {
  std::erase_if(pipes_,
                [&](const auto& entry) { return !entry.second.is_new && is_gone(entry.first); });
  for (auto& entry : pipes_) {
    Counts& counts = entry.second;
    counts.is_new = false;
    std::erase_if(counts.ends, [&](const auto& end) {
      return !end.second.is_new && is_other(end.first.process);
    });
    for (auto& end : counts.ends) end.second.is_new = false;
  }
}

uint64_t ByteCounts::of(PipeId pipe) const {
  const auto found = pipes_.find(pipe);
  return found == pipes_.end() ? 0 : std::max(found->second.written, found->second.read);
}

uint64_t ByteCounts::of(PipeId pipe, ProcessId process, int fd, bool writing) const {
  const auto found = pipes_.find(pipe);
  if (found == pipes_.end()) return 0;
  const auto end = found->second.ends.find({process, fd, writing});
  return end == found->second.ends.end() ? 0 : end->second.bytes;
}

namespace {

// One that is active on this side, if it is alone there and holds no end of the other one, as who
// has inherited make's jobserver does: its bytes went elsewhere.
std::optional<ProcessId> only_one(const ScannedPipe& pipe, const std::vector<bool>& active,
                                  bool writing) {
  std::optional<ProcessId> one;
  for (size_t i = 0; i < pipe.ends.size(); ++i) {
    const PipeEnd& end = pipe.ends[i];
    if (!active[i] || !is_on(end, writing)) continue;
    if (one && *one != end.process) return {};
    one = end.process;
  }
  const bool both = one && std::ranges::any_of(pipe.ends, [&](const PipeEnd& end) {
                      return end.process == *one && is_on(end, !writing);
                    });
  return both ? std::nullopt : one;
}

}  // namespace

void IoRates::begin(const PipeScan& scan, const std::vector<std::vector<bool>>& active) {
  processes_.clear();
  for (size_t i = 0; i < scan.pipes.size(); ++i) {
    if (const auto reader = only_one(scan.pipes[i], active[i], false)) ++processes_[*reader].read;
    if (const auto writer = only_one(scan.pipes[i], active[i], true)) ++processes_[*writer].written;
  }
  for (auto& [process, ends] : processes_) ends.io = parts_.read_io(process.pid);
  std::erase_if(before_, [&](const auto& entry) {
    return !std::ranges::binary_search(scan.pipes, entry.first, {}, &ScannedPipe::id);
  });
}

IoRates::Sides IoRates::sides_of(const ScannedPipe& pipe, const std::vector<bool>& active) const {
  Sides sides;
  if (const auto reader = only_one(pipe, active, false)) {
    const Ends& ends = processes_.at(*reader);
    if (ends.io && ends.read == 1) sides.read = Side{*reader, ends.io->read_bytes};
  }
  if (const auto writer = only_one(pipe, active, true)) {
    const Ends& ends = processes_.at(*writer);
    if (ends.io && ends.written == 1) sides.written = Side{*writer, ends.io->written_bytes};
  }
  return sides;
}

std::optional<uint64_t> IoRates::moved_by(const ScannedPipe& pipe,
                                          const std::vector<bool>& active) {
  const Sides now = sides_of(pipe, active);
  const auto same_process = [](const std::optional<Side>& a, const std::optional<Side>& b) {
    return a.has_value() == b.has_value() && (!a || a->process == b->process);
  };
  const auto [found, is_new] = before_.try_emplace(pipe.id, Known{now, 0});
  Known& known = found->second;
  const bool as_before =
      same_process(now.read, known.first.read) && same_process(now.written, known.first.written);
  if (!as_before) known = {now, 0};
  if (is_new || !as_before || (!now.read && !now.written)) return {};
  const uint64_t read = now.read ? now.read->bytes - known.first.read->bytes : 0;
  const uint64_t written = now.written ? now.written->bytes - known.first.written->bytes : 0;
  // Who has moved nothing at all splices, or isn't known.
  const uint64_t total =
      read == 0 || written == 0 ? std::max(read, written) : std::min(read, written);
  const uint64_t moved = total - std::min(total, known.total);
  known.total = std::max(total, known.total);
  return moved;
}

}  // namespace pipetop

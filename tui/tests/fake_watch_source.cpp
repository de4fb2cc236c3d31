#include "tui/tests/fake_watch_source.h"

#include <fmt/core.h>

#include <utility>

#include "engine/base/error.h"

namespace pipetop::tui {

void FakeWatchSource::turn_rings() {
  if (!now.watched || turns == 0) return;
  for (Pipe& pipe : now.watched->pipes) {
    if (!pipe.frame.has_value()) continue;
    RingFrame& frame = *pipe.frame.value;
    frame.at_ns = now.now_ns;
    RingFrame before = frame;
    frame.head += turns;
    frame.tail += turns;
    for (uint32_t i = 0; i < frame.slots; ++i)
      frame.slot[(i + turns) % frame.slots] = before.slot[i];
    if (pipe.ring) pipe.ring->head = frame.head, pipe.ring->tail = frame.tail;
  }
}

std::shared_ptr<const Snapshot> FakeWatchSource::tick(uint64_t now_ns) {
  if (last_ && turns == 0) return last_;
  now.now_ns = now_ns;
  turn_rings();
  last_ = std::make_shared<const Snapshot>(now);
  return last_;
}

void FakeWatchSource::refuse() {
  if (!refuses.empty()) throw Error(std::exchange(refuses, ""));
}

void FakeWatchSource::open(PipeId pipe) {
  asked.push_back(fmt::format("open {}", pipe.inode));
  refuse();
  now.watched = opens();
  changed();
}

void FakeWatchSource::close() {
  asked.push_back("close");
  now.watched.reset();
  now.counts_bytes = false;
  changed();
}

void FakeWatchSource::select(std::optional<ProcessId> stage) {
  asked.push_back(stage ? fmt::format("select {}", stage->pid) : "select nothing");
}

void FakeWatchSource::count_bytes(bool on) {
  asked.push_back(on ? "count" : "don't count");
  refuse();
  if (on && !now.watched) throw Error("bytes are counted in one pipeline; open it first");
  now.counts_bytes = on;
  changed();
}

std::string FakeWatchSource::resize(PipeId pipe, bool larger) {
  asked.push_back(fmt::format("resize {} {}", pipe.inode, larger ? "larger" : "smaller"));
  refuse();
  Intervention change;
  change.text = asked.back();
  change.at_ns = now.now_ns;
  change.pipe = pipe;
  now.interventions.push_back(change);
  changed();
  return change.text;
}

std::string FakeWatchSource::undo() {
  asked.push_back("undo");
  refuse();
  if (!now.interventions.empty()) now.interventions.pop_back();
  changed();
  return "undone";
}

void FakeWatchSource::keep_changes() {
  asked.push_back("keep");
  now.interventions.clear();
  changed();
}

std::vector<std::string> FakeWatchSource::finish_changes() {
  asked.push_back("finish");
  return left;
}

std::string FakeWatchSource::undo_all() {
  asked.push_back("undo all");
  refuse();
  now.interventions.clear();
  changed();
  return "all put back";
}

}  // namespace pipetop::tui

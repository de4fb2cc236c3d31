#include "tui/print/tests/watch_example.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kNow_ns = 100'000'000'000;
constexpr PipeId kFirst{14, 501}, kSecond{14, 502};

Stage stage(pid_t pid, const char* name, const char* command, StageState state) {
  Stage stage;
  stage.id = {pid, 7'000 + uint64_t(pid)};
  stage.name = name;
  stage.command = command;
  stage.age_ns = 12'000'000'000;
  stage.state = state;
  stage.cpus = {0, 1};
  return stage;
}

StageShares shares(double cpu, double runnable, double reading, double writing) {
  StageShares s;
  s.cpu = s.on_cpu = cpu;
  s.runnable = runnable;
  s.reading = reading;
  s.writing = writing;
  return s;
}

StageEnd end(const Stage& stage, size_t index, int fd) {
  StageEnd end;
  end.end = {stage.id, fd, fd == 0 ? Access::read : Access::write, false};
  end.stage = index;
  return end;
}

Pipe pipe(PipeId id, uint64_t queued, double empty, double full, double bytes_per_s) {
  Pipe pipe;
  pipe.id = id;
  pipe.first_seen_ns = kNow_ns - 12'000'000'000;
  pipe.capacity = 65'536;
  pipe.queued = queued;
  pipe.kernel_writers = pipe.kernel_readers = 1;
  RingCounts ring;
  ring.slots = 16;
  ring.head = 40;
  ring.tail = queued == 0 ? 40 : 24;
  pipe.ring = ring;
  pipe.level = Reading<RingLevel>::of(
      {.mean_share = full, .empty_share = empty, .full_share = full, .samples = 900});
  pipe.bytes_per_s = Reading<double>::of(bytes_per_s);
  pipe.total_bytes = uint64_t(bytes_per_s * 12);
  if (full > 0) pipe.range = EstimateRange{0.98, 1.03};
  return pipe;
}

PipeRow row(const Pipeline& pipeline, size_t i) {
  PipeRow row;
  row.pipe = pipeline.pipes[i];
  row.stages = {pipeline.stages[i], pipeline.stages[i + 1]};
  row.pipe.writers.front().stage = 0;
  row.pipe.readers.front().stage = 1;
  row.pipeline = 0;
  return row;
}

// Somebody else writes to a FIFO that one process reads.
PipeRow unknown_row(const Stage& reader) {
  PipeRow row;
  row.pipe.id = {2049, 77};
  row.pipe.path = "/tmp/queue";
  row.pipe.first_seen_ns = kNow_ns;
  row.pipe.level = Reading<RingLevel>::unavailable("no BPF; sudo pipetop");
  row.pipe.bytes_per_s = Reading<double>::warming("seen once");
  row.pipe.readers = {end(reader, 0, 3)};
  row.pipe.readers.front().active = false;
  row.stages = {reader};
  row.pipeline = 1;
  return row;
}

}  // namespace

Pipeline example_pipeline() {
  Pipeline p;
  const StageState writes{StageState::Kind::waiting, WaitsFor::pipe_write, kFirst};
  const StageState reads{StageState::Kind::waiting, WaitsFor::pipe_read, kSecond};
  p.stages = {stage(1201, "seq", "seq 100000000", writes),
              stage(1202, "gzip", "gzip -9", {StageState::Kind::running, WaitsFor::none, {}}),
              stage(1203, "wc", "wc -c", reads)};
  p.stages[0].shares = Reading<StageShares>::of(shares(0.08, 0, 0, 0.92));
  p.stages[1].shares = Reading<StageShares>::of(shares(0.97, 0.02, 0, 0));
  p.stages[1].shares.value->elsewhere[size_t(WaitsFor::disk)] = 0.01;
  p.stages[2].shares = Reading<StageShares>::warming("seen once");
  p.stages[0].cpu = Reading<double>::of(0.08);
  p.stages[1].cpu = Reading<double>::of(0.97);
  p.stages[2].cpu = Reading<double>::warming("seen once");
  p.stages[0].cpu_ns = 960'000'000;
  p.stages[1].cpu_ns = 11'640'000'000;
  p.pipes = {pipe(kFirst, 65'536, 0, 0.97, 75.5 * 1024 * 1024), pipe(kSecond, 0, 1, 0, 20'000)};
  p.pipes[0].writers = {end(p.stages[0], 0, 1)};
  p.pipes[0].readers = {end(p.stages[1], 1, 0)};
  p.pipes[1].writers = {end(p.stages[1], 1, 1)};
  p.pipes[1].readers = {end(p.stages[2], 2, 0)};
  p.pipes[1].exact = true;
  p.pipes[1].range.reset();
  p.pipes[1].readers.front().bytes = 240'000;
  p.verdict = {Verdict::Kind::stage,
               "bottleneck: gzip; it works on a CPU 97 % of the time",
               p.stages[1].id,
               WaitsFor::none,
               {"its input is full 97 % of the time", "its output is empty 100 %"}};
  p.window_ns = 5'000'000'000;
  return p;
}

Snapshot example_pipes() {
  const Pipeline pipeline = example_pipeline();
  Stage reader =
      stage(88, "logger", "logger -f /tmp/queue", {StageState::Kind::waiting, WaitsFor::poll, {}});
  Snapshot s;
  s.now_ns = kNow_ns;
  s.unix_ns = 1'795'000'000'000'000'000;
  s.table.scan_ms = 1.5;
  s.table.rows = {row(pipeline, 0), row(pipeline, 1), unknown_row(reader)};
  s.table.idle_sockets = 12;
  s.table.unreadable = 1;
  return s;
}

}  // namespace pipetop::tui

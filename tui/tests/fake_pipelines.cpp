#include "tui/tests/fake_pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/judge/tests/made_pipelines.h"
#include "tui/tests/snapshots.h"

namespace pipetop::tui {
namespace {

struct FakeCommand {
  const char *name, *command;
};
constexpr std::array kFakeCommands = {
    FakeCommand{"tar", "tar c --one-file-system /home"},
    FakeCommand{"zstd", "zstd -T0 -10"},
    FakeCommand{"ssh", "ssh backup.example cat > home.tar.zst"},
    FakeCommand{"pv", "pv -trab"},
    FakeCommand{"sort", "sort --parallel=2 -S 1G"},
    FakeCommand{"uniq", "uniq -c"},
    FakeCommand{"grep", "grep -v '^#'"},
    FakeCommand{"awk", "awk -F: {print $1, $3}"},
    FakeCommand{"sed", "sed s/\\t/ /g"},
    FakeCommand{"gzip", "gzip -6"},
    FakeCommand{"tr", "tr a-z A-Z"},
    FakeCommand{"cut", "cut -c1-80"},
    FakeCommand{"a_long_name_of_", "/opt/vendor/bin/a_long_name_of_a_program --with --many=flags"},
    FakeCommand{"perl", "perl -ne print"},
    FakeCommand{"wc", "wc -c"},
    FakeCommand{"cat", "cat"},
};

std::vector<std::string> fake_names(size_t stages) {
  std::vector<std::string> names;
  for (size_t i = 0; i < stages; ++i) names.push_back(kFakeCommands[i % kFakeCommands.size()].name);
  return names;
}

void add_commands(Pipeline& view) {
  for (Stage& stage : view.stages)
    for (const FakeCommand& known : kFakeCommands)
      if (stage.name == known.name) stage.command = known.command;
}

// A minute of rates and of the ring's level.
void add_fake_history(Pipe& pipe) {
  const double rate = pipe.bytes_per_s.has_value() ? *pipe.bytes_per_s : 0;
  const double mean = pipe.level.has_value() ? pipe.level->mean_share : 0.5;
  for (int i = 600; i >= 0; --i) {
    const uint64_t at_ns = kFakeWatchNow_ns - uint64_t(i) * 100'000'000;
    const double wave = std::sin(double(i) / 17 + double(pipe.id.inode));
    pipe.rates.push_back({at_ns, rate * (1 + 0.1 * wave)});
    pipe.fill.push_back({at_ns, std::clamp(mean + 0.08 * wave, 0.0, 1.0)});
  }
}

void add_fake_frame(Pipe& pipe) {
  if (!pipe.ring) return;
  RingFrame frame =
      ring_frame(pipe.ring->slots, pipe.ring->used(), pipe.ring->tail, SlotKind::copy);
  frame.at_ns = kFakeWatchNow_ns;
  frame.readers = pipe.kernel_readers.value_or(0);
  frame.writers = pipe.kernel_writers.value_or(0);
  pipe.frame = Reading<RingFrame>::of(std::move(frame));
}

void set_rate(Pipe& pipe, double bytes_per_s) {
  pipe.bytes_per_s = Reading<double>::of(bytes_per_s);
}

// What screens show beyond the shares.
Pipeline with_details(Pipeline view) {
  add_commands(view);
  for (Pipe& pipe : view.pipes) {
    add_fake_history(pipe);
    add_fake_frame(pipe);
  }
  return view;
}

void blame_stage(Pipeline& view, size_t stage, Verdict::Kind kind, WaitsFor wait, std::string why) {
  Stage& culprit = view.stages[stage];
  view.verdict.kind = kind;
  view.verdict.stage = culprit.id;
  view.verdict.wait = wait;
  view.verdict.because = fmt::format("bottleneck: {}; {}", culprit.name, why);
  view.verdict.evidence = {"its neighbours wait for it 97 %", "it is on a CPU 97 %",
                           "its own code (user space) 88 %"};
  culprit.functions = Reading<FunctionTable>::of(function_table());
}

void add_row(Snapshot& snapshot, const Pipeline& view, const Pipe& pipe, size_t pipeline) {
  PipeRow row;
  row.pipe = pipe;
  row.pipe.frame = {};
  row.pipe.rates = {};
  row.pipe.fill = {};
  row.pipeline = pipeline;
  std::map<size_t, size_t> index;
  for (auto* ends : {&row.pipe.writers, &row.pipe.readers}) {
    for (StageEnd& end : *ends) {
      const auto [at, is_new] = index.try_emplace(end.stage, row.stages.size());
      if (is_new) row.stages.push_back(view.stages[end.stage]);
      end.stage = at->second;
    }
  }
  snapshot.table.rows.push_back(std::move(row));
}

// The same pipeline with other numbers of processes and pipes.
void renumber(Pipeline& view, size_t number) {
  const pid_t pids = pid_t(100 * number);
  for (Stage& stage : view.stages) {
    stage.id.pid += pids;
    stage.id.start_ticks += number;
    if (stage.state.pipe) stage.state.pipe->inode += 100 * number;
  }
  for (Pipe& pipe : view.pipes) {
    pipe.id.inode += 100 * number;
    for (auto* ends : {&pipe.writers, &pipe.readers})
      for (StageEnd& end : *ends) end.end.process = view.stages[end.stage].id;
  }
  if (view.verdict.stage) {
    view.verdict.stage->pid += pids;
    view.verdict.stage->start_ticks += number;
  }
}

// One process that holds both ends, as event loops do.
Pipeline fake_own_pipe() {
  Pipeline view = made_pipeline({"nginx"}, {{{0}, {0}}});
  view.pipes[0].own = true;
  view.pipes[0].readers[0].end.fd = 7;
  view.pipes[0].writers[0].end.fd = 8;
  spend(view, 0, {.cpu = 0.01, .on_cpu = 0.01}, WaitsFor::poll);
  set_ring(view.pipes[0], 0, 1, 0);
  stand_still(view);
  view.verdict.kind = Verdict::Kind::idle;
  view.verdict.because = "idle: nginx waits in poll";
  return view;
}

// The writer cannot be seen.
Pipeline fake_one_sided() {
  Pipeline view = made_pipeline({"journal"}, {{{}, {0}}});
  spend(view, 0, {.reading = 0.99}, WaitsFor::other);
  view.pipes[0].kernel_writers.reset();
  set_ring(view.pipes[0], 0, 1, 0);
  set_rate(view.pipes[0], 1200);
  view.verdict.kind = Verdict::Kind::outside;
  view.verdict.stage = view.stages[0].id;
  view.verdict.wait = WaitsFor::pipe_read;
  view.verdict.because = "outside: journal waits 99 % for input; its writer is not visible";
  return view;
}

}  // namespace

Pipeline fake_chain(size_t stages, size_t slow) {
  Pipeline view = made_chain(fake_names(stages));
  slow = std::min(slow, stages - 1);
  limit_by(view, slow);
  view.stages[slow].threads = 4;
  for (size_t i = 0; i < view.pipes.size(); ++i) set_rate(view.pipes[i], 200e6 / double(i + 1));
  blame_stage(view, slow, Verdict::Kind::stage, WaitsFor::none,
              "its input is full 97 %, its output empty 97 %, it is on a CPU 97 %");
  return with_details(std::move(view));
}

Pipeline fake_fork() {
  Pipeline view =
      made_pipeline({"tar", "tee", "sha256sum", "xz"}, {{{0}, {1}}, {{1}, {2}}, {{1}, {3}}});
  limit_by(view, 3);
  blame_stage(view, 3, Verdict::Kind::stage, WaitsFor::none,
              "its input is full 97 %, it is on a CPU 97 %");
  return with_details(std::move(view));
}

Pipeline fake_join() {
  Pipeline view = made_pipeline({"yes", "seq", "cat", "paste"}, {{{0, 1}, {3}}, {{2}, {3}}});
  limit_by(view, 3, WaitsFor::disk);
  blame_stage(view, 3, Verdict::Kind::stage, WaitsFor::disk,
              "its inputs are full 97 %, it waits for the disk 95 %");
  return with_details(std::move(view));
}

Pipeline fake_circle() {
  Pipeline view = made_pipeline({"bash", "bc"}, {{{0}, {1}}, {{1}, {0}}});
  limit_by(view, 1);
  spend(view, 0, {.cpu = 0.02, .on_cpu = 0.02, .reading = 0.97});
  view.stages[0].state.pipe = view.pipes[1].id;
  for (Pipe& pipe : view.pipes) {
    set_ring(pipe, 0.02, 0.96, 0);
    set_rate(pipe, 5200);
  }
  blame_stage(view, 1, Verdict::Kind::stage, WaitsFor::none,
              "bash waits for it 97 %, it is on a CPU 97 %");
  return with_details(std::move(view));
}

Pipeline fake_fifo() {
  Pipeline view = made_pipeline({"tar", "zstd", "cat", "bash"}, {{{0}, {1}}, {{1, 3}, {2, 3}}});
  limit_by(view, 1);
  spend(view, 3, {}, WaitsFor::terminal);
  view.pipes[1].path = "/tmp/backup.fifo";
  for (auto* ends : {&view.pipes[1].writers, &view.pipes[1].readers})
    for (StageEnd& end : *ends)
      if (end.stage == 3) end.active = false, end.end.fd = 3, end.end.access = Access::both;
  set_ring(view.pipes[1], 0.01, 0.97, 0);
  blame_stage(view, 1, Verdict::Kind::stage, WaitsFor::none,
              "its input is full 97 %, its output empty 97 %, it is on a CPU 97 %");
  return with_details(std::move(view));
}

Pipeline fake_idle() {
  Pipeline view = made_chain({"bash", "tee", "cat"});
  limit_by(view, 0, WaitsFor::terminal);
  stand_still(view);
  view.verdict.kind = Verdict::Kind::idle;
  view.verdict.because = "idle: bash waits for the terminal";
  return with_details(std::move(view));
}

Pipeline fake_warming(size_t stages) {
  Pipeline view = made_chain(fake_names(stages));
  view.window_ns = 300'000'000;
  for (Stage& stage : view.stages) {
    stage.shares = Reading<StageShares>::warming("first second");
    stage.cpu = Reading<double>::warming("first second");
  }
  for (Pipe& pipe : view.pipes) {
    pipe.level = Reading<RingLevel>::warming("first second");
    pipe.bytes_per_s = Reading<double>::warming("first second");
    pipe.frame = Reading<RingFrame>::warming("first frame");
    pipe.total_bytes.reset();
  }
  view.verdict.because = "measuring: 0.3 of 1 s";
  add_commands(view);
  return view;
}

Pipeline fake_unprivileged(size_t stages) {
  const std::string reason = "needs root; sudo pipetop watch";
  Pipeline view = made_chain(fake_names(stages));
  limit_by(view, stages / 2);
  for (Pipe& pipe : view.pipes) {
    pipe.ring.reset();
    pipe.kernel_readers.reset();
    pipe.kernel_writers.reset();
    pipe.frame = Reading<RingFrame>::unavailable(reason);
    pipe.bytes_per_s = Reading<double>::unavailable(reason);
    pipe.total_bytes.reset();
  }
  for (Stage& stage : view.stages) stage.functions = Reading<FunctionTable>::unavailable(reason);
  blame_stage(view, stages / 2, Verdict::Kind::stage, WaitsFor::none,
              "its input is full 97 %, its output empty 97 %, it is on a CPU 97 %");
  view.stages[stages / 2].functions = Reading<FunctionTable>::unavailable(reason);
  add_commands(view);
  for (Pipe& pipe : view.pipes) {
    add_fake_history(pipe);
    pipe.rates = {};
  }
  return view;
}

Pipeline fake_ended(size_t stages, size_t gone) {
  Pipeline view = fake_chain(stages, stages - 1);
  for (size_t i = 0; i < std::min(gone, stages); ++i) exit_stage(view, i);
  if (gone < stages) return view;
  view.verdict = {};
  view.verdict.kind = Verdict::Kind::idle;
  view.verdict.because = "it has ended: every stage has exited";
  for (Pipe& pipe : view.pipes) {
    set_rate(pipe, 0);
    pipe.frame = Reading<RingFrame>::unavailable("the pipe is gone; nothing can be done");
  }
  return view;
}

Snapshot fake_watch(size_t rows) {
  Snapshot snapshot;
  snapshot.now_ns = kFakeWatchNow_ns;
  snapshot.unix_ns = 1'795'000'000'000'000'000;
  snapshot.table.scan_ms = 1.25;
  snapshot.table.idle_sockets = 12;
  snapshot.table.unreadable = 0;
  using Make = Pipeline (*)();
  static constexpr std::array<Make, 9> kKinds = {[] { return fake_chain(3); },
                                                 fake_fork,
                                                 fake_join,
                                                 fake_circle,
                                                 fake_fifo,
                                                 fake_idle,
                                                 fake_own_pipe,
                                                 fake_one_sided,
                                                 [] { return fake_unprivileged(4); }};
  for (size_t number = 0; snapshot.table.rows.size() < rows; ++number) {
    Pipeline view = kKinds[number % kKinds.size()]();
    renumber(view, number + 1);
    for (const Pipe& pipe : view.pipes)
      if (snapshot.table.rows.size() < rows) add_row(snapshot, view, pipe, number);
  }
  return snapshot;
}

Snapshot fake_watch(size_t rows, Pipeline open) {
  Snapshot snapshot = fake_watch(rows);
  for (const Pipe& pipe : open.pipes) add_row(snapshot, open, pipe, rows);
  snapshot.watched = std::move(open);
  return snapshot;
}

}  // namespace pipetop::tui

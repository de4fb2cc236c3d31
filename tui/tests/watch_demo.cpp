// The screen of `watch` on invented pipes, to look at by hand:
//   pipetop_watch_demo [table|chain N|fork|join|circle|fifo|idle|warming|plain|ended] [ROWS COLS]
//   pipetop_watch_demo command        a chain as `watch -- COMMAND` shows it, which ends at Ctrl-C
//   pipetop_watch_demo time PIPES
// Without ROWS and COLS it is interactive; /dev/tty takes the place of stdin and stdout if these
// are no terminal. `time` says what a frame of so many pipes takes.
#include <locale.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "tui/tests/fake_watch_source.h"
#include "tui/watch/watch_controller.h"

namespace {

using namespace pipetop;
using namespace pipetop::tui;

Pipeline invented(const std::string& kind, size_t stages) {
  const std::map<std::string, std::function<Pipeline()>> kinds = {
      {"chain", [&] { return fake_chain(stages); }},
      {"fork", fake_fork},
      {"join", fake_join},
      {"circle", fake_circle},
      {"fifo", fake_fifo},
      {"idle", fake_idle},
      {"warming", [&] { return fake_warming(stages); }},
      {"plain", [&] { return fake_unprivileged(stages); }},
      {"ended", [&] { return fake_ended(stages, 2); }}};
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw Error(kind + " is no kind of pipeline");
  return found->second();
}

void print_frame(WatchSource& source, const WatchStart& start, int rows, int cols) {
  WatchController controller(source, start);
  controller.tick(kFakeWatchNow_ns);
  controller.lay_out(rows, cols);
  Canvas canvas(glyphs_of(GlyphSet::unicode), rows, cols);
  draw(canvas, controller.state());
  std::fputs(canvas.text().c_str(), stdout);
}

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// Times a new pass over all of them, drawn at 120x40.
void time_table(size_t pipes) {
  constexpr int kPasses = 20;
  FakeWatchSource source(fake_watch(pipes));
  for (const bool tree : {false, true}) {
    WatchController controller(source, {});
    controller.lay_out(40, 120);
    controller.handle({Input::Kind::key, U'i', {}});
    if (tree) controller.handle({Input::Kind::key, U't', {}});
    Canvas canvas(glyphs_of(GlyphSet::unicode), 40, 120);
    double ms = 0;
    for (int i = 0; i < kPasses; ++i) {
      source.now.table.rows.own();  // another pass
      source.changed();
      const Snapshot copy = source.now;
      source.now.table.rows = std::vector<PipeRow>(copy.table.rows.get());
      const double begin = cpu_ms();
      controller.tick(kFakeWatchNow_ns + static_cast<uint64_t>(i) * 500'000'000);
      controller.lay_out(40, 120);
      canvas.reset(40, 120);
      draw(canvas, controller.state());
      ms += cpu_ms() - begin;
    }
    std::printf("%zu pipes%s: %.2f ms a pass\n", pipes, tree ? ", tree" : "", ms / kPasses);
  }
}

// A command that ends a moment after it got a signal.
int run_command() {
  FakeWatchSource source(fake_watch(20, fake_chain(4)));
  source.turns = 1;
  const UniqueFd exited(eventfd(0, EFD_CLOEXEC));
  int left = 3, got = 0;
  WatchScreenOptions options;
  options.pipeline = true;
  options.command = "tar c /home | zstd | ssh backup";
  options.on_controlling_terminal = true;
  options.fd = exited.get();
  options.ended = [&] { return --left <= 0; };
  options.deliver = [&](int signal) {
    got = signal;
    eventfd_write(exited.get(), 1);
  };
  const int code = run_watch_screen(source, Config{}, options);
  std::fprintf(stderr, "signal %d, asked %d times\n", got, 3 - left);
  return code;
}

int run(int argc, char** argv) {
  int next = 1;
  const std::string kind = argc > next ? argv[next++] : "table";
  if (kind == "time")
    return time_table(argc > next ? std::strtoul(argv[next], nullptr, 10) : 10000), 0;
  if (kind == "command") return run_command();
  const bool counted = kind == "chain" || kind == "warming" || kind == "plain" || kind == "ended";
  const size_t stages = counted && argc > next ? std::strtoul(argv[next++], nullptr, 10) : 4;
  FakeWatchSource source(kind == "table" ? fake_watch(60) : fake_watch(20, invented(kind, stages)));
  const WatchStart start{.pipeline = kind != "table"};
  if (argc > next + 1)
    return print_frame(source, start, std::atoi(argv[next]), std::atoi(argv[next + 1])), 0;
  source.turns = 1;
  WatchScreenOptions options;
  options.pipeline = start.pipeline;
  options.on_controlling_terminal = isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0;
  return run_watch_screen(source, Config{}, options);
}

}  // namespace

int main(int argc, char** argv) {
  setlocale(LC_ALL, "C.UTF-8");
  try {
    return run(argc, argv);
  } catch (const pipetop::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return static_cast<int>(e.exit());
  }
}

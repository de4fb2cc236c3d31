// The dashboard on invented numbers, to look at by hand:
//   pipetop_dashboard_demo [no_bpf|warming|deep|flat|crash|slow] [frames to time] [preset]
//   [pipe_size]
#include <locale.h>
#include <signal.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/view.h"
#include "tui/screen/terminal.h"
#include "tui/tests/fake_source.h"
#include "tui/widgets/ring_state.h"

namespace {

using namespace pipetop;
using namespace pipetop::tui;

Config demo_config() {
  Config config;
  for (const Preset& preset : built_in_presets()) config.presets.push_back(preset);
  config.settings = config.presets.front().settings;
  config.preset = config.presets.front().name;
  return config;
}

double cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

// CPU time of drawing a frame and of bringing it to the terminal.
// `form`: of the lists, with all rows open.
void time_frames(FakeSource& source, const Config& config, int frames,
                 std::optional<ListForm> form) {
  double drawing = 0, showing = 0;
  int rows = 0, cols = 0;
  {
    Terminal terminal({});
    Canvas canvas(glyphs_of(terminal.glyphs()));
    WholeFrames whole_frames;
    DashboardState state;
    state.requested = config.settings;
    state.presets = config.presets;
    if (form) {
      state.choice.form = *form;
      for (ListState& list : state.lists) list.folds.set_all(true);
    }
    source.advance(100'000'000'000);
    for (int i = 0; i < frames; ++i) {
      source.advance(50'000'000);
      Snapshot snapshot = source.tick();
      whole_frames.replace_torn(snapshot.ring);
      const double begin = cpu_us();
      canvas.reset(rows = terminal.rows(), cols = terminal.cols());
      show_lists(state, snapshot, canvas.rows(), canvas.cols());
      draw(canvas, snapshot, state);
      const double drawn = cpu_us();
      terminal.show(canvas);
      drawing += drawn - begin;
      showing += cpu_us() - drawn;
    }
  }
  printf("%dx%d: draw %.0f us, show %.0f us a frame\n", cols, rows, drawing / frames,
         showing / frames);
}

// Dies in the middle of the dashboard.
class CrashingSource final : public Source {
 public:
  explicit CrashingSource(FakeSource& source) : source_(source) {}
  int event_fd() const override { return source_.event_fd(); }
  void handle_events() override {}
  void apply(const Settings& s, const std::string& label, const std::string& key) override {
    source_.apply(s, label, key);
    fprintf(stderr, "last words\n");
    raise(SIGSEGV);
  }
  void count(BpfCounters) override {}
  Segment segment() override { return {}; }
  Snapshot tick() override { return source_.tick(); }
  void suspend() override { source_.suspend(); }
  void resume() override { source_.resume(); }

 private:
  FakeSource& source_;
};

int demo(int argc, char** argv) {
  Config config = demo_config();
  const std::string_view mood = argc > 1 ? argv[1] : "";
  const int frames = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3) config.settings = config.presets.at(size_t(atoi(argv[3]) - 1)).settings;
  if (argc > 4) config.settings.pipe.pipe_size = parse_size(argv[4]);
  config.settings.pipe.slow_motion = mood == "slow";
  FakeSource source(config.settings,
                    mood == "no_bpf"                   ? FakeMood::no_bpf
                    : mood == "warming"                ? FakeMood::warming
                    : mood == "deep" || mood == "flat" ? FakeMood::deep
                                                       : FakeMood::normal,
                    monotonic_ns);
  if (frames > 0) {
    time_frames(source, config, frames,
                mood == "deep"   ? std::optional(ListForm::tree)
                : mood == "flat" ? std::optional(ListForm::flat)
                                 : std::nullopt);
    return 0;
  }
  if (mood != "crash") return run_dashboard(source, config, {});
  CrashingSource crashing(source);
  return run_dashboard(crashing, config, {});
}

}  // namespace

int main(int argc, char** argv) {
  setlocale(LC_ALL, "");
  try {
    return demo(argc, argv);
  } catch (const Error& error) {
    fprintf(stderr, "pipetop: %s\n", error.what());
    return static_cast<int>(error.exit());
  }
}

#include <fcntl.h>
#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <climits>
#include <clocale>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/meter/process_stats.h"
#include "engine/meter/statistics.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/bench/bench.h"
#include "tui/bench/pty_child.h"
#include "tui/dashboard/dashboard.h"
#include "tui/dashboard/view.h"
#include "tui/terminal/terminal.h"

namespace pipetop::bench {
namespace {

// A number returned by a child process.
class Result {
 public:
  Result() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
  }
  void give(double value) { (void)!::write(write_.get(), &value, sizeof value); }
  double take() {
    write_.reset();
    double value = 0;
    if (::read(read_.get(), &value, sizeof value) != sizeof value)
      throw Error("a run on a pseudo-terminal failed");
    return value;
  }

 private:
  UniqueFd read_, write_;
};

double seconds_since(uint64_t begin_ns) { return double(monotonic_ns() - begin_ns) / 1e9; }

// pipetop is in the benchmark's directory.
std::string program() {
  char path[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", path, sizeof path - 1) < 0) throw SystemError("readlink", errno);
  const std::string self(path);
  return self.substr(0, self.rfind('/')) + "/pipetop";
}

int exec_pipetop(const std::string& path, const char* preset) {
  ::execl(path.c_str(), "pipetop", "--preset", preset, nullptr);
  return 127;
}

uint64_t cpu_time_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t rss_bytes(pid_t pid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", pid).c_str(), "r");
  uint64_t pages = 0;
  if (file == nullptr || std::fscanf(file, "%*u %" SCNu64, &pages) != 1) pages = 0;
  if (file != nullptr) std::fclose(file);
  return pages * kPageBytes;
}

uint64_t on_cpu_ns(pid_t pid) {
  const auto stats = read_process_stats(pid);
  if (!stats) throw Error("pipetop ended early");
  return stats->times.on_cpu_ns;
}

// Draws and shows frames of a live engine; returns the median CPU time.
double draw_many(int frames) {
  std::setlocale(LC_ALL, "");
  EngineOptions options;
  options.settings = article_presets().back().settings;
  Engine engine(options);
  tui::Terminal terminal({});
  tui::Canvas canvas(tui::glyphs_of(terminal.glyphs()));
  tui::ViewState state;
  state.presets = article_presets();
  std::vector<double> costs;
  for (int i = 0; i < frames; ++i) {
    ::usleep(20'000);
    const Snapshot snapshot = engine.tick();
    state.requested = snapshot.requested;
    const uint64_t begin = cpu_time_ns();
    canvas.reset(terminal.rows(), terminal.cols());
    tui::draw(canvas, snapshot, state);
    terminal.show(canvas);
    costs.push_back(double(cpu_time_ns() - begin) / 1e6);
  }
  return median(costs);
}

}  // namespace

double screen_rate(const Settings& settings, double seconds) {
  Result result;
  PtyChild child(40, 120, [&] {
    std::setlocale(LC_ALL, "");
    Config config = default_config();
    config.settings = settings;
    EngineOptions options;
    options.settings = settings;
    Engine engine(options);
    tui::run_dashboard(engine, config, {});
    const auto rate = engine.tick().throughput.current.rate;
    if (rate.has_value()) result.give(rate->median);
    return 0;
  });
  child.drain(seconds + 0.8);
  child.type("q");
  child.drain(5.0);
  return result.take();
}

double first_full_frame_ms() {
  const std::string path = program();
  const uint64_t begin = monotonic_ns();
  PtyChild child(40, 120, [&] { return exec_pipetop(path, "write_read"); });
  double ms = -1;
  child.drain(10.0, [&](const std::string& output) {
    // The four panels: a rate, the slots, and a function of each role.
    const bool full = output.find("GiB/s") != std::string::npos &&
                      output.find("slots") != std::string::npos &&
                      output.find("anon_pipe_write") != std::string::npos &&
                      output.find("anon_pipe_read") != std::string::npos;
    if (full) ms = seconds_since(begin) * 1e3;
    return full;
  });
  if (ms < 0) throw Error("no full frame within 10 s");
  return ms;
}

ScreenCost screen_cost(double seconds) {
  const std::string path = program();
  PtyChild child(40, 120, [&] { return exec_pipetop(path, "busy_loop_huge"); });
  child.drain(2.0);
  const uint64_t begin = monotonic_ns(), cpu_before = on_cpu_ns(child.pid());
  child.drain(seconds);
  const double share = double(on_cpu_ns(child.pid()) - cpu_before) / 1e9 / seconds_since(begin);
  return {share * 100, double(rss_bytes(child.pid())) / (1 << 20)};
}

double frame_cost_ms() {
  Result result;
  PtyChild child(60, 200, [&] {
    result.give(draw_many(200));
    return 0;
  });
  child.drain(30.0);
  return result.take();
}

}  // namespace pipetop::bench

#include <fmt/core.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/meter/statistics.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/bench/bench.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/source.h"
#include "tui/dashboard/view.h"
#include "tui/screen/terminal.h"

namespace pipetop::bench {
namespace {

// A child process on a pseudo-terminal whose output is drained while it runs.
class PtyChild {
 public:
  // `body` runs in the child; its result is the exit status. Throws SystemError.
  PtyChild(int rows, int cols, const std::function<int()>& body) {
    winsize size = {};
    size.ws_row = static_cast<unsigned short>(rows);
    size.ws_col = static_cast<unsigned short>(cols);
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ < 0) throw SystemError("forkpty", errno);
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setenv("TERM", "xterm-256color", 1);
      ::setenv("LC_ALL", "C.UTF-8", 1);
      ::_exit(body());
    }
    master_ = UniqueFd(master);
  }
  ~PtyChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  PtyChild(const PtyChild&) = delete;
  PtyChild& operator=(const PtyChild&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys) { (void)!::write(master_.get(), keys.data(), keys.size()); }

  // Reads the child's output until `seconds` have passed or it ends; `done` is
  // called after every read with all the output, and can end it early.
  void drain(double seconds, const std::function<bool(const std::string&)>& done = {}) {
    const uint64_t end = monotonic_ns() + static_cast<uint64_t>(seconds * 1e9);
    std::array<char, 65536> bytes;
    while (monotonic_ns() < end) {
      pollfd readable = {master_.get(), POLLIN, 0};
      if (::poll(&readable, 1, 5) == 0) continue;
      const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
      if (got <= 0) return;  // the child closed its terminal
      if (!done) continue;
      output_.append(bytes.data(), static_cast<size_t>(got));
      if (done(output_)) return;
    }
  }

 private:
  pid_t pid_ = -1;
  UniqueFd master_;
  std::string output_;
};

double seconds_since(uint64_t begin_ns) { return double(monotonic_ns() - begin_ns) / 1e9; }

int exec_pipetop(const char* preset) {
  ::execl(pipetop().c_str(), "pipetop", "--preset", preset, nullptr);
  return 127;
}

int exec_recording_pipetop(const char* preset, const std::string& file) {
  ::execl(pipetop().c_str(), "pipetop", "--preset", preset, "--record", file.c_str(), nullptr);
  return 127;
}

uint64_t rss_bytes(pid_t pid) {
  uint64_t all = 0, resident = 0;
  std::ifstream(fmt::format("/proc/{}/statm", pid)) >> all >> resident;
  return resident * kPageBytes;
}

// Draws and shows frames of a live engine; returns the median CPU time.
double draw_many(int frames) {
  std::setlocale(LC_ALL, "");
  Engine engine({.settings = article_presets().back().settings});
  tui::Terminal terminal({});
  tui::Canvas canvas(tui::glyphs_of(terminal.glyphs()));
  tui::DashboardState state;
  state.presets = article_presets();
  std::vector<double> costs;
  for (int i = 0; i < frames; ++i) {
    ::usleep(20'000);
    const Snapshot snapshot = engine.tick();
    state.requested = snapshot.requested;
    const std::clock_t begin = std::clock();
    canvas.reset(terminal.rows(), terminal.cols());
    tui::draw(canvas, snapshot, state);
    terminal.show(canvas);
    costs.push_back(double(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC);
  }
  return median(costs);
}

}  // namespace

std::filesystem::path pipetop() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pipetop";
}

double screen_rate(const Settings& settings, double seconds) {
  ChildResult result;
  PtyChild child(40, 120, [&] {
    std::setlocale(LC_ALL, "");
    Config config = default_config();
    config.settings = settings;
    tui::EngineSource engine({.settings = settings});
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
  const uint64_t begin = monotonic_ns();
  PtyChild child(40, 120, [&] { return exec_pipetop("write_read"); });
  double ms = -1;
  child.drain(10.0, [&](const std::string& output) {
    // The four panels: a rate, the slots, and a function of each role.
    constexpr const char* kParts[] = {"GiB/s", "slots", "anon_pipe_write", "anon_pipe_read"};
    const bool full = std::ranges::all_of(
        kParts, [&](const char* part) { return output.find(part) != std::string::npos; });
    if (full) ms = seconds_since(begin) * 1e3;
    return full;
  });
  if (ms < 0) throw Error("no full frame within 10 s");
  return ms;
}

ScreenCost screen_cost(double seconds, bool records) {
  constexpr const char* kPreset = "busy_loop_huge";
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("pipetop-bench-{}.ptop", ::getpid());
  const auto recorded = [&] { return records ? std::filesystem::file_size(file) : 0; };
  PtyChild child(40, 120, [&] {
    return records ? exec_recording_pipetop(kPreset, file) : exec_pipetop(kPreset);
  });
  child.drain(2.0);
  const uint64_t begin = monotonic_ns(), cpu_before = on_cpu_ns(child.pid());
  const auto recorded_before = recorded();
  child.drain(seconds);
  const double passed = seconds_since(begin);
  const double share = double(on_cpu_ns(child.pid()) - cpu_before) / 1e9 / passed;
  const double bytes = double(recorded() - recorded_before);
  std::filesystem::remove(file);
  return {share * 100, double(rss_bytes(child.pid())) / (1 << 20), bytes / (1 << 20) / passed * 60};
}

double frame_cost_ms() {
  ChildResult result;
  PtyChild child(60, 200, [&] {
    result.give(draw_many(200));
    return 0;
  });
  child.drain(30.0);
  return result.take();
}

}  // namespace pipetop::bench

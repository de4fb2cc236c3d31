// One measurement without a screen: settle, warm up, measure, stop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/config/config.h"
#include "engine/engine.h"
#include "tui/command_line/share_means.h"
#include "tui/flags/command_line.h"
#include "tui/loop/headless_loop.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {

// What is told while it goes on.
struct RunListener {
  std::function<void(const Interval&)> interval;
  std::function<void(const RunResult& so_far)> progress;
  std::function<void(const std::string&)> words;
  std::function<void(const Snapshot&)> began;      // the measurement, perhaps anew
  std::function<void(const Segment& last)> ended;  // everything still flows
};

class Measurement {
 public:
  // Throws Error when there can be no pipe or no process.
  Measurement(const Config& config, const RunRequest& request, RunListener listener);

  // Nothing when a signal came before there was anything to tell. Throws Error
  // when the settings cannot be had.
  std::optional<RunResult> run();

  int ended_by_signal() const { return signal_; }

 private:
  bool wait(uint64_t timeout_ns);
  void suspend();
  bool settle();
  bool warm_up();
  void measure(RunResult& result);
  uint64_t next_timeout(const RunResult& result) const;
  bool is_done(const RunResult& result) const;
  void begin(RunResult& result);
  void end();
  void report_interval(const RunResult& result, bool last);

  RunRequest request_;
  RunListener listener_;
  // Before the engine: a signal must not find it half made.
  SignalFd signals_{SIGINT, SIGTERM, SIGHUP, SIGTSTP};
  Engine engine_;
  HeadlessLoop loop_;
  Snapshot interval_begin_;
  std::array<ShareMeans, kRoles> shares_;
  int signal_ = 0;
  bool suspended_ = false;  // since the measurement began
};

}  // namespace pipetop::tui

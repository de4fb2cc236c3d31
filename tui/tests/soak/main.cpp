// pipetop_soak PROGRAM [MINUTES] [--top] [--seed N]: the dashboard on a pseudo-terminal, under
// random keys, clicks, resizes and killed workers; with --top left alone, on the article's fastest
// rung.
#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "engine/base/clock.h"
#include "tui/tests/processes.h"
#include "tui/tests/soak/monkey.h"
#include "tui/tests/soak/verdict.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kBetweenRecords = 10 * kSecond;
constexpr uint64_t kPatience = 20 * kSecond;  // with workers that end and start

struct Options {
  std::string program;
  double minutes = 60;
  bool top = false;
  uint64_t seed = std::random_device()();
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--top")
      options.top = true;
    else if (word == "--seed" && i + 1 < argc)
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (options.program.empty())
      options.program = word;
    else
      options.minutes = std::strtod(argv[i], nullptr);
  }
  return options;
}

class Soak {
 public:
  explicit Soak(const Options& options)
      : options_(options),
        program_({options.program, "--preset", options.top ? "busy_loop_huge" : "write_read"},
                 {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR="}, 40, 140),
        monkey_(program_, options.seed) {}

  bool run() {
    const uint64_t begin_ns = monotonic_ns();
    const auto end_ns = begin_ns + static_cast<uint64_t>(options_.minutes * 60e9);
    while (monotonic_ns() < end_ns && !has_ended(program_.pid())) {
      disturb(monotonic_ns() + kBetweenRecords);
      const auto record = take_record();
      if (!record) break;
      say(text_of(*record));
      if (record->at_ns - begin_ns >= warm_up_ns()) records_.push_back(*record);
    }
    return finish();
  }

 private:
  static void say(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  // Keys fill the log of the segments and open the largest lists and windows there are, and only
  // then is memory flat.
  uint64_t warm_up_ns() const {
    const auto half_ns = static_cast<uint64_t>(options_.minutes * 30e9);
    return std::min(half_ns, (options_.top ? 1 : 10) * 60 * kSecond);
  }

  void disturb(uint64_t until_ns) {
    while (monotonic_ns() < until_ns && !has_ended(program_.pid())) {
      if (options_.top)
        watch(program_, 500);
      else
        monkey_.act();
    }
  }

  // Back to what it was at the start, so that the figures can be compared.
  void bring_back() {
    if (options_.top) return;
    monkey_.let_go();
    monkey_.resize_to(40, 140);
    // Out of the filter's prompt, of a page, of the filter, and of a selection.
    for (int i = 0; i < 4; ++i) {
      program_.send("\033");
      watch(program_, 100);
    }
    program_.send("0");
    const uint64_t end_ns = monotonic_ns() + kPatience;
    program_.wait_until([&] {
      program_.forget_output();
      const bool late = monotonic_ns() > end_ns;  // there are too many, or too few: a finding
      return late || children_of(program_.pid()).size() == 2;  // a writer and a reader
    });
    watch(program_, 1000);
  }

  std::optional<Record> take_record() {
    bring_back();
    auto first = look_at(program_);
    if (first && first->frozen) {
      program_.send(" ");
      first = look_at(program_);
    }
    watch(program_, 1500);
    auto second = look_at(program_);
    if (!first || !second) return {};
    return Record{.at_ns = monotonic_ns(),
                  .main = figures_of(program_.pid()),
                  .workers = figures_of_children(program_.pid()),
                  .bpf_bytes = bpf_bytes_of(program_.pid()),
                  .kills = monkey_.kills(),
                  .first = std::move(*first),
                  .second = std::move(*second)};
  }

  // How it ended before it was told to, if it did.
  std::optional<std::string> early_end() {
    if (!has_ended(program_.pid())) return {};
    const int status = program_.wait_for_end();
    std::string last;
    for (const std::string& action : monkey_.last()) last += " " + action;
    return fmt::format("{} {} after{}; its last words:\n{}", status < 0 ? "signal" : "exit",
                       std::abs(status), last, program_.output());
  }

  bool finish() {
    bool all_met = true;
    say(fmt::format("seed {}: {} keys, {} clicks, {} resizes, {} workers killed, {} stopped",
                    options_.seed, monkey_.keys(), monkey_.clicks(), monkey_.resizes(),
                    monkey_.kills(), monkey_.stops()));
    for (const Criterion& criterion : judge(records_, early_end())) {
      say(fmt::format("{}  {}: {}", criterion.met ? "ok    " : "FAILED", criterion.name,
                      criterion.figures));
      all_met = all_met && criterion.met;
    }
    return all_met;
  }

  const Options options_;
  PtyProgram program_;
  Monkey monkey_;
  std::vector<Record> records_;
};

}  // namespace
}  // namespace pipetop::tui

int main(int argc, char** argv) {
  const auto options = pipetop::tui::options_of(argc, argv);
  fmt::print("seed {}, {} minutes\n", options.seed, options.minutes);
  std::fflush(stdout);
  return pipetop::tui::Soak(options).run() ? 0 : 1;
}

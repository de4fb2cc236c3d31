// `pipetop export`: totals of all pipelines for Prometheus, by HTTP and as a file for
// node_exporter.
#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <ctime>
#include <map>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/system_files.h"
#include "engine/config/config.h"
#include "engine/experiment/trial.h"
#include "engine/http/http_server.h"
#include "engine/process/child.h"
#include "engine/watch/pipeline_totals.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/print/metrics.h"

namespace pipetop::tui {
namespace {

// A scrape gets what was known then or later.
constexpr uint64_t kFresh_ns = kSecond;

constexpr const char* kFrontPage =
    "<!DOCTYPE html>\n<title>pipetop</title>\n<h1>pipetop</h1>\n"
    "<p><a href=\"/metrics\">Metrics</a> of the pipelines of this machine, for Prometheus.</p>\n";

double resident_bytes() {
  const std::string statm = read_head("/proc/self/statm");
  const size_t blank = statm.find(' ');
  if (blank == std::string::npos) return 0;
  return std::strtod(statm.c_str() + blank, nullptr) * double(::sysconf(_SC_PAGESIZE));
}

TotalsOptions totals_options(const CommandLine& line, const Config& config) {
  return {.bpf = config.bpf,
          .most_series = line.exporter.series.value_or(config.most_series),
          .rules = config.pipeline_rules};
}

class Exporter {
 public:
  Exporter(const CommandLine& line, const Config& config)
      : request_(line.exporter), totals_(totals_options(line, config)) {
    raise_descriptor_limit();  // connections take some
    state_.start_s = double(::time(nullptr));
    if (!request_.listen.empty()) {
      server_.emplace(parse_listen_address(request_.listen),
                      [this](const HttpRequest& request) { return answer(request); });
      loop_.watch(server_->fd(), &Events::input);
    }
    loop_.watch(interrupts_.fd(), &Events::signals);
  }

  int run() {
    pass();
    if (server_) say(fmt::format("listening at http://{}/metrics", server_->address().text()));
    for (;;) {
      const Events events = loop_.wait(server_ ? server_->timeout_ms() : -1);
      if (events.signals && !interrupts_.take()) return exit_status({}, interrupts_);
      if (events.timer) tick();
      if (server_) serve();
    }
  }

 private:
  void tick() {
    if (monotonic_ns() >= began_ns_ + request_.interval_ns) return pass();
    attempt("a look failed", state_.failed_passes, [this] { totals_.sample(); });
    set_timer();
  }

  // For the next pass, or the next look before it: a verdict needs twenty in five seconds.
  void set_timer() {
    constexpr uint64_t kLook_ns = 200 * kMs;
    const uint64_t now_ns = monotonic_ns(), due_ns = began_ns_ + request_.interval_ns;
    const uint64_t left_ns = due_ns - std::min(due_ns, now_ns);
    loop_.set_timer_once(totals_.wants_samples() ? std::min(left_ns, kLook_ns) : left_ns);
  }

  void pass() {
    began_ns_ = monotonic_ns();
    attempt("a pass failed, its values stay as they were", state_.failed_passes,
            [this] { totals_.pass(began_ns_); });
    for (const std::string& notice : totals_.take_notices()) say(notice);
    const std::string& why = totals_.scan().reason;
    if (why != said_) say(said_ = why);
    if (!request_.textfile.empty())
      attempt("--textfile", state_.failed_writes, [this] { write_textfile(); });
    set_timer();
    // A pass takes a megabyte for each hundred pipes, and most of it for a moment.
    ::malloc_trim(0);
  }

  // As a whole or not at all.
  void write_textfile() {
    Output file(request_.textfile);
    file.finish(text(MetricsFormat::prometheus));
  }

  void serve() {
    const std::string why = server_->run();
    if (!why.empty()) complain(fmt::format("connections wait: {}", why));
  }

  // What fails is counted, and tried again after the next interval.
  template <class Work>
  void attempt(const char* what, uint64_t& failures, const Work& work) {
    const std::string why = failure_of(work);
    if (why.empty()) return;
    ++failures;
    complain(fmt::format("{}: {}", what, why));
  }

  // The same not again within an hour: it fails at every interval, for weeks.
  void complain(const std::string& text) {
    constexpr uint64_t kAgain_ns = 3600 * kSecond;
    constexpr size_t kMost = 50;
    const uint64_t now_ns = monotonic_ns();
    const auto known = complaints_.find(text);
    if (known != complaints_.end() && now_ns < known->second + kAgain_ns) return;
    if (known == complaints_.end() && complaints_.size() >= kMost) return;
    complaints_[text] = now_ns;
    say(text);
  }

  std::string text(MetricsFormat format) {
    state_.cpu_s = double(read_clock(CLOCK_PROCESS_CPUTIME_ID)) / double(kSecond);
    state_.memory_bytes = resident_bytes();
    return metrics_text(totals_, state_, format);
  }

  HttpAnswer answer(const HttpRequest& request) {
    if (request.path == "/") return {200, "text/html; charset=utf-8", kFrontPage};
    if (request.path != "/metrics") return {404, "text/plain", "no such page: see /metrics\n"};
    if (monotonic_ns() > began_ns_ + kFresh_ns) pass();
    const MetricsFormat format = format_accepted(request.accept);
    return {200, std::string(content_type(format)), text(format)};
  }

  const ExportRequest& request_;
  Interrupts interrupts_;  // before the threads of the totals' instruments
  PipelineTotals totals_;
  EventLoop loop_;
  std::optional<HttpServer> server_;
  ExporterState state_;
  uint64_t began_ns_ = 0;  // the last pass
  std::string said_;
  std::map<std::string, uint64_t> complaints_;  // when each was made last
};

}  // namespace

int export_command(const CommandLine& line) {
  const Config config = read_start(line);
  return Exporter(line, config).run();
}

}  // namespace pipetop::tui

// `pipetop export`: totals of all pipelines for Prometheus, by HTTP and as a file for
// node_exporter.
#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <ctime>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/system_files.h"
#include "engine/config/config.h"
#include "engine/experiment/trial.h"
#include "engine/http/http_server.h"
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
      if (events.timer) pass();
      if (server_) server_->run();
    }
  }

 private:
  void pass() {
    const uint64_t now_ns = monotonic_ns();
    totals_.pass(now_ns);
    passed_ns_ = now_ns;
    for (const std::string& notice : totals_.take_notices()) say(notice);
    const std::string& why = totals_.scan().reason;
    if (why != said_) say(said_ = why);
    write_textfile();
    loop_.set_timer_once(request_.interval_ns);
    // A pass takes a megabyte for each hundred pipes, and most of it for a moment.
    ::malloc_trim(0);
  }

  // As a whole or not at all. What fails later is said once, and tried again.
  void write_textfile() {
    if (request_.textfile.empty()) return;
    try {
      Output file(request_.textfile);
      file.finish(text(MetricsFormat::prometheus));
      failure_.clear();
      has_written_ = true;
    } catch (const Error& error) {
      if (!has_written_) throw;
      ++state_.failed_writes;
      if (failure_ != error.what()) say(failure_ = error.what());
    }
  }

  std::string text(MetricsFormat format) {
    state_.cpu_s = double(read_clock(CLOCK_PROCESS_CPUTIME_ID)) / double(kSecond);
    state_.memory_bytes = resident_bytes();
    return metrics_text(totals_, state_, format);
  }

  HttpAnswer answer(const HttpRequest& request) {
    if (request.path == "/") return {200, "text/html; charset=utf-8", kFrontPage};
    if (request.path != "/metrics") return {404, "text/plain", "no such page: see /metrics\n"};
    if (monotonic_ns() > passed_ns_ + kFresh_ns) pass();
    const MetricsFormat format = format_accepted(request.accept);
    return {200, std::string(content_type(format)), text(format)};
  }

  const ExportRequest& request_;
  Interrupts interrupts_;  // before the threads of the totals' instruments
  PipelineTotals totals_;
  EventLoop loop_;
  std::optional<HttpServer> server_;
  ExporterState state_;
  uint64_t passed_ns_ = 0;
  std::string said_, failure_;
  bool has_written_ = false;
};

}  // namespace

int export_command(const CommandLine& line) {
  const Config config = read_start(line);
  return Exporter(line, config).run();
}

}  // namespace pipetop::tui

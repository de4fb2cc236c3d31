#include "tui/print/print_csv.h"

#include <fmt/core.h>

#include <array>

#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/pipe/verdict.h"

namespace pipetop::tui {
namespace {

constexpr int kYes = 1, kNo = 0;

int flag(bool value) { return value ? kYes : kNo; }

bool polls(Wait wait) { return wait == Wait::poll || wait == Wait::busy_poll; }

struct Column {
  const char* name;
  std::string (*value)(const RunResult&);
};

const Settings& requested(const RunResult& r) { return r.end.requested; }

// A setting of the article's, as it prints it: 0 or 1.
template <auto Test>
constexpr auto yes_no =
    [](const RunResult& r) { return fmt::format("{}", flag(Test(requested(r)))); };

// Empty when unknown: a spreadsheet must not take it for 0.
template <double RateStats::*Member>
std::string rate(const RunResult& r) {
  const Reading<RateStats>& stats = r.end.throughput.current.rate;
  return stats.has_value() ? fmt::format("{:.6f}", (*stats).*Member) : std::string();
}

std::string cpu(const RunResult& r, Role role) {
  const Reading<int>& last = r.end.worker(role).last_cpu;
  return last.has_value() ? std::to_string(*last) : std::string();
}

std::string wait_text(const RunResult& r) {
  const Settings& s = requested(r);
  if (s.pipe.writer_wait == s.pipe.reader_wait) return std::string(to_text(s.pipe.writer_wait));
  return fmt::format("{}/{}", to_text(s.pipe.writer_wait), to_text(s.pipe.reader_wait));
}

std::string zero_copy_text(const RunResult& r) {
  constexpr std::array<const char*, 4> kNames = {"zero-copy", "copied", "unverifiable", ""};
  return kNames[static_cast<size_t>(r.end.effective.pipe.zero_copy)];
}

std::string huge_text(const RunResult& r) {
  const Reading<bool>& huge = r.end.effective.pipe.huge;
  return huge.has_value() ? std::to_string(flag(*huge)) : std::string();
}

std::string steal_text(const RunResult& r) {
  return r.steal_share.has_value() ? fmt::format("{:.6f}", *r.steal_share) : std::string();
}

std::string verdict_text(const RunResult& r) {
  return std::string(r.end.verdict.has_value() ? to_text(r.end.verdict->bound) : "");
}

constexpr Column kColumns[] = {
    {"gibibytes_per_second", [](const RunResult& r) { return fmt::format("{:.6f}", r.rate()); }},
    {"bytes_to_pipe",
     [](const RunResult& r) {
       return std::to_string(r.bytes_wanted != 0 ? r.bytes_wanted : r.bytes());
     }},
    {"buf_size", [](const RunResult& r) { return std::to_string(requested(r).pipe.buf_size); }},
    {"pipe_size", [](const RunResult& r) { return std::to_string(requested(r).pipe.pipe_size); }},
    {"busy_loop", yes_no<[](const Settings& s) {
       return is_busy(s.pipe.writer_wait) && is_busy(s.pipe.reader_wait);
     }>},
    {"poll", yes_no<[](const Settings& s) {
       return polls(s.pipe.writer_wait) && polls(s.pipe.reader_wait);
     }>},
    {"huge_page", yes_no<[](const Settings& s) { return s.pipe.pages != Pages::k4; }>},
    {"check_huge_page", yes_no<[](const Settings& s) { return s.pipe.check_huge_page; }>},
    {"write_with_vmsplice",
     yes_no<[](const Settings& s) { return s.pipe.write_with == WriteWith::vmsplice; }>},
    {"read_with_splice",
     yes_no<[](const Settings& s) { return s.pipe.read_with == ReadWith::splice; }>},
    {"gift", yes_no<[](const Settings& s) { return s.pipe.gift; }>},
    {"lock_memory", yes_no<[](const Settings& s) { return s.pipe.lock_memory; }>},
    {"dont_touch_pages", yes_no<[](const Settings& s) { return !s.pipe.touch_pages; }>},
    {"same_buffer", yes_no<[](const Settings& s) { return s.pipe.buffers == Buffers::same; }>},
    // Ours.
    {"name", [](const RunResult& r) { return r.name; }},
    {"duration_ns", [](const RunResult& r) { return std::to_string(r.duration_ns()); }},
    {"bytes", [](const RunResult& r) { return std::to_string(r.bytes()); }},
    {"median", rate<&RateStats::median>},
    {"stddev", rate<&RateStats::stddev>},
    {"min", rate<&RateStats::min>},
    {"max", rate<&RateStats::max>},
    {"pages", [](const RunResult& r) { return std::string(to_text(requested(r).pipe.pages)); }},
    {"wait", wait_text},
    {"payload", [](const RunResult& r) { return std::string(to_text(requested(r).pipe.payload)); }},
    {"placement",
     [](const RunResult& r) { return std::string(to_text(requested(r).pipe.placement)); }},
    {"writer_cpu", [](const RunResult& r) { return cpu(r, Role::writer); }},
    {"reader_cpu", [](const RunResult& r) { return cpu(r, Role::reader); }},
    {"effective_pipe_bytes",
     [](const RunResult& r) { return std::to_string(r.end.effective.pipe.bytes); }},
    {"zero_copy", zero_copy_text},
    {"huge", huge_text},
    {"steal_share", steal_text},
    {"verdict", verdict_text},
    {"buffers", [](const RunResult& r) { return std::string(to_text(requested(r).pipe.buffers)); }},
    {"slow_motion", yes_no<[](const Settings& s) { return s.pipe.slow_motion; }>},
    {"write_with",
     [](const RunResult& r) { return std::string(to_text(requested(r).pipe.write_with)); }},
};

template <class Function>
std::string joined(Function value, std::string_view more) {
  std::string line;
  for (const Column& column : kColumns) line += (line.empty() ? "" : ",") + value(column);
  return fmt::format("{}{}{}\n", line, more.empty() ? "" : ",", more);
}

}  // namespace

std::string csv_header(std::string_view more) {
  return joined([](const Column& column) { return std::string(column.name); }, more);
}

std::string csv_row(const RunResult& result, std::string_view more) {
  return joined([&](const Column& column) { return column.value(result); }, more);
}

}  // namespace pipetop::tui

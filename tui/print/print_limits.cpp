#include "tui/print/print_limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/draw/numbers.h"
#include "tui/print/print_doctor.h"

namespace pipetop::tui {
namespace {

constexpr int kNameCols = 25, kCellCols = 26;

std::string number(double value) { return fmt::format("{:.{}f}", value, value < 999.95 ? 1 : 0); }

std::string duration(double ns) {
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return rate_text(ns / 1e3) + " us";
  return rate_text(ns / 1e6) + " ms";
}

std::string cell(const Spread& s, std::string (*text)(double)) {
  return fmt::format("{:>6} [{} .. {}]", text(s.median), text(s.lower), text(s.upper));
}

// A row of readings; the first reason stands for those of a row that has none.
std::string row(const std::string& name, std::initializer_list<const Reading<Spread>*> cells,
                std::string (*text)(double) = number) {
  std::string line = fmt::format("  {:<{}}", name, kNameCols);
  for (const Reading<Spread>* reading : cells) {
    if (!reading->has_value()) return line + "unavailable: " + reading->reason + "\n";
    line += fmt::format("{:<{}}", cell(**reading, text), kCellCols);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string heading(const std::string& name, std::initializer_list<const char*> columns) {
  std::string line = fmt::format("\n{:<{}}", name, kNameCols + 2);
  for (const char* column : columns) line += fmt::format("{:<{}}", column, kCellCols);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string calls(const Limits& l) {
  const std::string two = l.other_cpu == kNoCpu
                              ? std::string("wakeup on another CPU")
                              : fmt::format("wakeup, CPU {} to {}", l.cpu, l.other_cpu);
  return "\ncalls\n" + row("empty system call", {&l.syscall_ns}, duration) +
         row(two, {&l.wakeup_two_cpus_ns}, duration) +
         row("wakeup on one CPU", {&l.wakeup_one_cpu_ns}, duration);
}

// Most kernels lack it, for one reason.
std::string gup_test(const Limits& l) {
  const auto refused = [&](const GupTestCost& g) {
    return !g.get_ns.has_value() && g.get_ns.reason == l.gup_test.front().get_ns.reason;
  };
  if (l.gup_test.empty()) return {};
  std::string text = heading("gup_test of the kernel", {"get, ns a page", "put"});
  if (std::ranges::all_of(l.gup_test, refused)) return text + row("all", {&l.gup_test[0].get_ns});
  for (const GupTestCost& g : l.gup_test)
    text += row(std::string(to_text(g.pages)), {&g.get_ns, &g.put_ns});
  return text;
}

std::string pages(const Limits& l) {
  if (l.pages.empty()) return {};
  std::string text =
      heading(fmt::format("pages, ring of {}", format_size(l.pages.front().ring_bytes)),
              {"vmsplice, ns a page", "of it getting, at least", "splice to /dev/null"});
  for (const LentPagesCost& p : l.pages)
    text += row(to_text(p.kind), {&p.vmsplice_ns, &p.get_ns, &p.release_ns});
  text += heading("slots, the same ring", {"ns a slot"});
  text += row("filled by tee", {&l.tee_ns});
  return text + row("moved to another pipe", {&l.move_ns});
}

std::string copies(const Limits& l) {
  std::string text = heading("copies", {"in by write, GiB/s", "out by read, GiB/s"});
  for (const CopyCost& c : l.copies)
    text += row(format_size(c.buffer_bytes), {&c.in_gib_per_s, &c.out_gib_per_s}, rate_text);
  return text;
}

std::string rings(const Limits& l) {
  if (l.rings.empty()) return {};
  std::string text = heading(fmt::format("rings, {} pages", to_text(l.rings.front().kind.pages)),
                             {"vmsplice, ns a page", "splice to /dev/null"});
  for (const LentPagesCost& r : l.rings)
    text += row(format_size(r.ring_bytes), {&r.vmsplice_ns, &r.release_ns});
  return text;
}

std::string roof_row(const char* name, const RoofFigure& figure, const char* why) {
  return fmt::format("  {:<{}}{:>6} GiB/s, {:.1f} ns a page, ring of {}: {}\n", name, kNameCols,
                     rate_text(figure.gib_per_s()), figure.ns_per_page,
                     format_size(figure.ring_bytes), why);
}

std::string roof(const Limits& l) {
  if (!l.roof.has_value()) return fmt::format("\nroof: unavailable: {}\n", l.roof.reason);
  const Pages pages = l.rings.empty() ? Pages::k4 : l.rings.front().kind.pages;
  return fmt::format("\nroof of one pipe, {} pages, from the lower quartiles\n", to_text(pages)) +
         roof_row("one CPU", l.roof->one_cpu, "both calls, in turns") +
         roof_row("two CPUs", l.roof->two_cpus, "what a page takes under the mutex") +
         roof_row("two CPUs, no mutex", l.roof->without_mutex, "the slower side alone");
}

// In the two calls, a page.
std::string sampled(const LimitsRun& run) {
  if (!run.vmsplice_ns.has_value() || !run.release_ns.has_value()) return "unknown";
  return fmt::format("{:.1f} + {:.1f}", *run.vmsplice_ns, *run.release_ns);
}

std::string run_row(const LimitsRun& run, const Reading<Roof>& roof) {
  std::string line = row(run.name, {&run.gib_per_s}, rate_text);
  const Reading<double> share = share_of_roof(run, roof);
  if (!share.has_value()) return line;
  line.pop_back();
  const std::string of =
      fmt::format("{:.0f} % of {}", *share * 100, run.one_cpu ? "one CPU" : "two CPUs");
  return fmt::format("{:<{}}{:<{}}{}\n", line, kNameCols + kCellCols + 2, of, kCellCols,
                     sampled(run));
}

std::string runs(const Limits& l) {
  std::string text =
      heading("present best", {"GiB/s", "of the roof", "sampled vmsplice + splice, ns a page"});
  for (const LimitsRun& run : l.runs) text += run_row(run, l.roof);
  for (const LimitsRun& run : l.runs)
    if (!run.vmsplice_ns.has_value())
      return text + fmt::format("  not sampled: {}\n", run.vmsplice_ns.reason);
  return text + "  sampled with the calls of busy loops that moved nothing\n";
}

}  // namespace

std::string print_limits_human(const HostInfo& host, const Limits& limits) {
  return host_line(host) +
         fmt::format("{} round{} in turns: medians, in brackets the middle half\n", limits.rounds,
                     limits.rounds == 1 ? "" : "s") +
         calls(limits) + pages(limits) + gup_test(limits) + copies(limits) + rings(limits) +
         roof(limits) + runs(limits);
}

}  // namespace pipetop::tui

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/experiment/limits.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

Json cost_json(const Spread& cost) {
  Json json = spread_json(cost);
  json["figures"] = cost.count;
  json["values"] = list_json(cost.figures, rounded);
  return json;
}

Json lent_pages_json(const LentPagesCost& cost) {
  Json json = {{"name", to_text(cost.kind)},
               {"pages", to_text(cost.kind.pages)},
               {"touched", cost.kind.touched == Touched::yes},
               {"ring_bytes", cost.ring_bytes}};
  put(json, "vmsplice_ns_per_page", cost.vmsplice_ns, cost_json);
  put(json, "get_ns_per_page", cost.get_ns, cost_json);
  put(json, "release_ns_per_page", cost.release_ns, cost_json);
  return json;
}

Json gup_test_json(const GupTestCost& cost) {
  Json json = {{"pages", to_text(cost.pages)}};
  put(json, "get_ns_per_page", cost.get_ns, cost_json);
  put(json, "put_ns_per_page", cost.put_ns, cost_json);
  return json;
}

Json copy_json(const CopyCost& cost) {
  Json json = {{"buffer_bytes", cost.buffer_bytes}};
  put(json, "in_gib_per_s", cost.in_gib_per_s, cost_json);
  put(json, "out_gib_per_s", cost.out_gib_per_s, cost_json);
  return json;
}

Json roof_figure_json(const RoofFigure& figure) {
  return {{"gib_per_s", rounded(figure.gib_per_s())},
          {"ns_per_page", rounded(figure.ns_per_page)},
          {"ring_bytes", figure.ring_bytes}};
}

Json roof_json(const Limits& limits) {
  return {{"pages", to_text(limits.rings.front().kind.pages)},
          {"one_cpu", roof_figure_json(limits.roof->one_cpu)},
          {"two_cpus", roof_figure_json(limits.roof->two_cpus)},
          {"without_mutex", roof_figure_json(limits.roof->without_mutex)}};
}

Json limits_run_json(const LimitsRun& run, const Reading<Roof>& roof) {
  Json json = {{"name", run.name}, {"requested", knobs_json(run.settings)}};
  put(json, "gib_per_s", run.gib_per_s, cost_json);
  json["roof"] = run.one_cpu ? "one_cpu" : "two_cpus";
  put(json, "of_roof_share", share_of_roof(run, roof));
  put(json, "sampled_vmsplice_ns_per_page", run.vmsplice_ns);
  put(json, "sampled_release_ns_per_page", run.release_ns);
  return json;
}

using CostText = std::string (*)(double);

constexpr int kNameColumns = 25, kCostColumns = 24;

std::string number(double value) { return fmt::format("{:.{}f}", value, value < 999.95 ? 1 : 0); }

std::string duration(double ns) {
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return rate_text(ns / 1e3) + " us";
  return rate_text(ns / 1e6) + " ms";
}

// A section: its name above the rows' names, and the columns' titles.
TextTable section(const std::string& name, std::initializer_list<const char*> headings) {
  std::vector<TextColumn> columns = {{name, '<', kNameColumns}};
  for (const char* heading : headings) columns.push_back({heading, '<', kCostColumns});
  return TextTable(columns);
}

// The first reason of a row without values is shown.
std::vector<std::string> cost_cells(const std::string& name,
                                    std::initializer_list<const Reading<Spread>*> costs,
                                    CostText text = number) {
  std::vector<std::string> cells = {"  " + name};
  for (const Reading<Spread>* cost : costs) {
    if (!cost->has_value()) {
      cells.push_back("unavailable: " + cost->reason);
      break;
    }
    const Spread& s = **cost;
    cells.push_back(fmt::format("{:>6} [{} .. {}]", text(s.median), text(s.lower), text(s.upper)));
  }
  return cells;
}

std::string calls(const Limits& l) {
  TextTable table = section("calls", {""});
  table.add(cost_cells("empty system call", {&l.syscall_ns}, duration));
  table.add(cost_cells(l.other_cpu == kNoCpu
                           ? std::string("wakeup on another CPU")
                           : fmt::format("wakeup, CPU {} to {}", l.cpu, l.other_cpu),
                       {&l.wakeup_two_cpus_ns}, duration));
  table.add(cost_cells("wakeup on one CPU", {&l.wakeup_one_cpu_ns}, duration));
  return table.text();
}

std::string pages(const Limits& l) {
  if (l.pages.empty()) return {};
  TextTable table =
      section(fmt::format("pages, ring of {}", format_size(l.pages.front().ring_bytes)),
              {"vmsplice, ns/page", "get pages, at least", "splice to /dev/null"});
  for (const LentPagesCost& p : l.pages)
    table.add(cost_cells(to_text(p.kind), {&p.vmsplice_ns, &p.get_ns, &p.release_ns}));
  return table.text();
}

std::string slots(const Limits& l) {
  if (l.pages.empty()) return {};
  TextTable table = section("slots, the same ring", {"ns/slot"});
  table.add(cost_cells("filled by tee", {&l.tee_ns}));
  table.add(cost_cells("moved to another pipe", {&l.move_ns}));
  return table.text();
}

// Most kernels lack it, for the same reason.
std::string gup_test(const Limits& l) {
  if (l.gup_test.empty()) return {};
  const Reading<Spread>& first = l.gup_test.front().get_ns;
  const auto refused = [&](const GupTestCost& g) {
    return !g.get_ns.has_value() && g.get_ns.reason == first.reason;
  };
  TextTable table = section("gup_test of the kernel", {"get, ns/page", "put"});
  if (std::ranges::all_of(l.gup_test, refused)) {
    table.add(cost_cells("all", {&first}));
    return table.text();
  }
  for (const GupTestCost& g : l.gup_test)
    table.add(cost_cells(std::string(to_text(g.pages)), {&g.get_ns, &g.put_ns}));
  return table.text();
}

std::string copies(const Limits& l) {
  TextTable table = section("copies", {"in by write, GiB/s", "out by read, GiB/s"});
  for (const CopyCost& c : l.copies)
    table.add(
        cost_cells(format_size(c.buffer_bytes), {&c.in_gib_per_s, &c.out_gib_per_s}, rate_text));
  return table.text();
}

std::string rings(const Limits& l) {
  if (l.rings.empty()) return {};
  TextTable table = section(fmt::format("rings, {} pages", to_text(l.rings.front().kind.pages)),
                            {"vmsplice, ns/page", "splice to /dev/null"});
  for (const LentPagesCost& r : l.rings)
    table.add(cost_cells(format_size(r.ring_bytes), {&r.vmsplice_ns, &r.release_ns}));
  return table.text();
}

std::string roof_row(const char* name, const RoofFigure& figure, const char* why) {
  return fmt::format("  {:<{}}{:>6} GiB/s, {:.1f} ns/page, ring of {}: {}\n", name, kNameColumns,
                     rate_text(figure.gib_per_s()), figure.ns_per_page,
                     format_size(figure.ring_bytes), why);
}

std::string roof(const Limits& l) {
  if (!l.roof.has_value()) return fmt::format("roof: unavailable: {}\n", l.roof.reason);
  const Pages pages = l.rings.empty() ? Pages::k4 : l.rings.front().kind.pages;
  return fmt::format("roof (upper bound) of one pipe, {} pages, from the lower quartiles\n",
                     to_text(pages)) +
         roof_row("one CPU", l.roof->one_cpu, "both calls added up") +
         roof_row("two CPUs", l.roof->two_cpus, "cost of a page under the mutex") +
         roof_row("two CPUs, no mutex", l.roof->without_mutex, "the slower side alone");
}

// Per page, in the two calls.
std::string sampled(const LimitsRun& run) {
  if (!run.vmsplice_ns.has_value() || !run.release_ns.has_value()) return kUnknown;
  return fmt::format("{:.1f} + {:.1f}", *run.vmsplice_ns, *run.release_ns);
}

std::string runs(const Limits& l) {
  TextTable table =
      section("current best", {"GiB/s", "of the roof", "sampled vmsplice + splice, ns/page"});
  std::string sampling = "samples include the busy loops' calls that moved nothing";
  for (const LimitsRun& run : l.runs) {
    std::vector<std::string> cells = cost_cells(run.name, {&run.gib_per_s}, rate_text);
    if (const Reading<double> share = share_of_roof(run, l.roof); share.has_value()) {
      cells.push_back(
          fmt::format("{:.0f} % of {}", *share * 100, run.one_cpu ? "one CPU" : "two CPUs"));
      cells.push_back(sampled(run));
    }
    table.add(cells);
    if (!run.vmsplice_ns.has_value()) sampling = "not sampled: " + run.vmsplice_ns.reason;
  }
  return table.text() + "  " + sampling + "\n";
}

std::string limits_text(const HostInfo& host, const Limits& limits) {
  std::string text = fmt::format("{}\n{}, interleaved: medians, with the middle half in brackets\n",
                                 machine_text(host), counted(limits.rounds, "round"));
  for (const auto section : {calls, pages, slots, gup_test, copies, rings, roof, runs})
    if (const std::string lines = section(limits); !lines.empty()) text += "\n" + lines;
  return text;
}

Json limits_json(const HostInfo& host, const Limits& limits) {
  Json json = {{"version", kVersion}, {"host", short_host_json(host)}, {"rounds", limits.rounds}};
  put(json["host"], "steal_share", limits.steal_share);
  for (const auto& [name, cpu] : {std::pair{"cpu", limits.cpu}, {"other_cpu", limits.other_cpu}})
    put_if(cpu != kNoCpu, json, name, cpu, "none was chosen");
  put(json, "syscall_ns", limits.syscall_ns, cost_json);
  put(json, "wakeup_two_cpus_ns", limits.wakeup_two_cpus_ns, cost_json);
  put(json, "wakeup_one_cpu_ns", limits.wakeup_one_cpu_ns, cost_json);
  json["pages"] = list_json(limits.pages, lent_pages_json);
  put(json, "tee_ns_per_slot", limits.tee_ns, cost_json);
  put(json, "move_ns_per_slot", limits.move_ns, cost_json);
  json["gup_test"] = list_json(limits.gup_test, gup_test_json);
  json["copies"] = list_json(limits.copies, copy_json);
  json["rings"] = list_json(limits.rings, lent_pages_json);
  put(json, "roof", limits.roof, [&](const Roof&) { return roof_json(limits); });
  json["runs"] = list_json(limits.runs,
                           [&](const LimitsRun& run) { return limits_run_json(run, limits.roof); });
  return json;
}

}  // namespace

Document limits_document(const HostInfo& host, const Limits& limits) {
  return {"limits", limits_json(host, limits), limits_text(host, limits)};
}

}  // namespace pipetop::tui

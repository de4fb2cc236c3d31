#include "engine/base/version.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/json_values.h"
#include "tui/print/print_limits.h"

namespace pipetop::tui {
namespace {

void put_quartiles(Json& json, const std::string& name, const Reading<Spread>& reading) {
  if (!reading.has_value()) return put_null(json, name, reading.reason);
  json[name] = {{"median", rounded(reading->median)},
                {"quartiles", {rounded(reading->lower), rounded(reading->upper)}},
                {"figures", reading->count}};
}

void put_cpu(Json& json, const std::string& name, int cpu) {
  if (cpu == kNoCpu) return put_null(json, name, "none was chosen");
  json[name] = cpu;
}

Json lent_pages_json(const std::vector<LentPagesCost>& costs) {
  Json list = Json::array();
  for (const LentPagesCost& cost : costs) {
    Json one = {{"name", to_text(cost.kind)},
                {"pages", to_text(cost.kind.pages)},
                {"touched", cost.kind.touched == Touched::yes},
                {"ring_bytes", cost.ring_bytes}};
    put_quartiles(one, "vmsplice_ns_per_page", cost.vmsplice_ns);
    put_quartiles(one, "get_ns_per_page", cost.get_ns);
    put_quartiles(one, "release_ns_per_page", cost.release_ns);
    list.push_back(one);
  }
  return list;
}

Json gup_test_json(const Limits& limits) {
  Json list = Json::array();
  for (const GupTestCost& cost : limits.gup_test) {
    Json one = {{"pages", to_text(cost.pages)}};
    put_quartiles(one, "get_ns_per_page", cost.get_ns);
    put_quartiles(one, "put_ns_per_page", cost.put_ns);
    list.push_back(one);
  }
  return list;
}

Json copies_json(const Limits& limits) {
  Json list = Json::array();
  for (const CopyCost& cost : limits.copies) {
    Json one = {{"buffer_bytes", cost.buffer_bytes}};
    put_quartiles(one, "in_gib_per_s", cost.in_gib_per_s);
    put_quartiles(one, "out_gib_per_s", cost.out_gib_per_s);
    list.push_back(one);
  }
  return list;
}

Json roof_figure_json(const RoofFigure& figure) {
  return {{"gib_per_s", rounded(figure.gib_per_s())},
          {"ns_per_page", rounded(figure.ns_per_page)},
          {"ring_bytes", figure.ring_bytes}};
}

void put_roof(Json& json, const Limits& limits) {
  if (!limits.roof.has_value()) return put_null(json, "roof", limits.roof.reason);
  json["roof"] = {{"pages", to_text(limits.rings.front().kind.pages)},
                  {"one_cpu", roof_figure_json(limits.roof->one_cpu)},
                  {"two_cpus", roof_figure_json(limits.roof->two_cpus)},
                  {"without_mutex", roof_figure_json(limits.roof->without_mutex)}};
}

Json runs_json(const Limits& limits) {
  Json list = Json::array();
  for (const LimitsRun& run : limits.runs) {
    Json one = {{"name", run.name}, {"requested", knobs_json(run.settings)}};
    put_quartiles(one, "gib_per_s", run.gib_per_s);
    one["roof"] = run.one_cpu ? "one_cpu" : "two_cpus";
    put(one, "of_roof_share", share_of_roof(run, limits.roof));
    put(one, "sampled_vmsplice_ns_per_page", run.vmsplice_ns);
    put(one, "sampled_release_ns_per_page", run.release_ns);
    list.push_back(one);
  }
  return list;
}

}  // namespace

std::string print_limits_json(const HostInfo& host, const Limits& limits) {
  Json json = {{"schema", kSchema},
               {"version", kVersion},
               {"host", short_host_json(host)},
               {"rounds", limits.rounds}};
  put(json["host"], "steal_share", limits.steal_share);
  put_cpu(json, "cpu", limits.cpu);
  put_cpu(json, "other_cpu", limits.other_cpu);
  put_quartiles(json, "syscall_ns", limits.syscall_ns);
  put_quartiles(json, "wakeup_two_cpus_ns", limits.wakeup_two_cpus_ns);
  put_quartiles(json, "wakeup_one_cpu_ns", limits.wakeup_one_cpu_ns);
  json["pages"] = lent_pages_json(limits.pages);
  put_quartiles(json, "tee_ns_per_slot", limits.tee_ns);
  put_quartiles(json, "move_ns_per_slot", limits.move_ns);
  json["gup_test"] = gup_test_json(limits);
  json["copies"] = copies_json(limits);
  json["rings"] = lent_pages_json(limits.rings);
  put_roof(json, limits);
  json["runs"] = runs_json(limits);
  return to_lines(json);
}

}  // namespace pipetop::tui

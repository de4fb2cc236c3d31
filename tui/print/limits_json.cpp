#include "engine/base/version.h"
#include "engine/experiment/limits.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

Json cost_json(const Spread& cost) {
  Json json = spread_json(cost);
  json["figures"] = cost.count;
  return json;
}

void put_chosen_cpu(Json& json, const std::string& name, int cpu) {
  if (cpu == kNoCpu) return put_null(json, name, "none was chosen");
  json[name] = cpu;
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

}  // namespace

Json limits_json(const HostInfo& host, const Limits& limits) {
  Json json = {{"version", kVersion}, {"host", short_host_json(host)}, {"rounds", limits.rounds}};
  put(json["host"], "steal_share", limits.steal_share);
  put_chosen_cpu(json, "cpu", limits.cpu);
  put_chosen_cpu(json, "other_cpu", limits.other_cpu);
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

}  // namespace pipetop::tui

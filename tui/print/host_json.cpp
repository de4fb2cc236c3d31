#include "tui/print/host_json.h"

namespace pipetop::tui {
namespace {

Json mitigations_json(const std::vector<Mitigation>& mitigations) {
  Json json = Json::object();
  for (const Mitigation& mitigation : mitigations) json[mitigation.flaw] = mitigation.state;
  return json;
}

}  // namespace

Json host_json(const HostInfo* host, const Reading<double>& steal_share) {
  Json json = Json::object();
  if (host) {
    json = {{"kernel", host->kernel},
            {"cpu", host->cpu},
            {"cpus", host->cpus},
            {"hypervisor", host->hypervisor},
            {"mitigations", mitigations_json(host->mitigations)},
            {"thp", host->thp}};
    if (host->psi.empty())
      put_null(json, "psi", "the kernel keeps none");
    else
      json["psi"] = host->psi;
    json["pipe_max_size"] = host->pipe_max_size;
  }
  put(json, "steal_share", steal_share);
  return json;
}

}  // namespace pipetop::tui

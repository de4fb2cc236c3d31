#include "tui/print/host_json.h"

namespace pipetop::tui {

Json host_json(const HostInfo* host, const Reading<double>& steal_share) {
  Json json = Json::object();
  if (host) {
    json = {{"kernel", host->kernel},
            {"cpu", host->cpu},
            {"cpus", host->cpus},
            {"hypervisor", host->hypervisor},
            {"mitigations", host->mitigations},
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

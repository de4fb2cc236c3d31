#include "engine/workload/capabilities.h"

#include "engine/host/host.h"
#include "engine/host/host_files.h"
#include "engine/process/privileges.h"

namespace pipetop {

Capabilities read_capabilities() {
  const HostInfo host = read_host();
  Capabilities machine;
  machine.probe = probe_zero_copy();
  machine.file_probe = probe_file_zero_copy();
  machine.thp = read_thp("enabled");
  machine.shmem_thp = read_thp("shmem_enabled");
  if (host.pipe_max_size != 0) machine.pipe_max_bytes = host.pipe_max_size;
  machine.may_exceed_pipe_max = (effective_capabilities() & capabilities({CAP_SYS_RESOURCE})) != 0;
  machine.cpus = read_topology();
  return machine;
}

}  // namespace pipetop

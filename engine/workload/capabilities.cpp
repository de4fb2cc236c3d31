#include "engine/workload/capabilities.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/host/host.h"
#include "engine/host/host_files.h"

namespace pipetop {
namespace {

bool has_sys_resource() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_SYS_RESOURCE)].effective & CAP_TO_MASK(CAP_SYS_RESOURCE)) != 0;
}

}  // namespace

Capabilities read_capabilities() {
  const HostInfo host = read_host();
  Capabilities machine;
  machine.probe = probe_zero_copy();
  machine.file_probe = probe_file_zero_copy();
  machine.thp = read_thp("enabled");
  machine.shmem_thp = read_thp("shmem_enabled");
  machine.pipe_max_bytes = host.pipe_max_size;
  machine.may_exceed_pipe_max = has_sys_resource();
  machine.cpus = read_topology();
  return machine;
}

}  // namespace pipetop

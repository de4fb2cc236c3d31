#include "tui/command_line/require_vmsplice.h"

#include <fmt/core.h>

#include <cerrno>

#include "engine/base/error.h"
#include "engine/host/zero_copy_probe.h"

namespace pipetop::tui {

void require_vmsplice(const Settings& settings, const std::string& instead) {
  const WriteWith how = settings.pipe.write_with;
  if (how != WriteWith::vmsplice && how != WriteWith::tee) return;
  const ZeroCopyProbe probe = probe_zero_copy();
  if (probe.vmsplice_errno == 0) return;
  throw Error(fmt::format("{}: {}, or see pipetop doctor", probe.reason, instead),
              probe.vmsplice_errno == ENOSYS ? Exit::unsupported : Exit::refused);
}

}  // namespace pipetop::tui

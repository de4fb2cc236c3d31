#include "tui/command_line/pid_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "engine/base/blocked_signals.h"
#include "engine/base/error.h"
#include "tui/command_line/output.h"

namespace pipetop::tui {
namespace {

std::atomic<const OutputPlace*> g_place;
static_assert(std::atomic<const OutputPlace*>::is_always_lock_free, "for signal handlers");

}  // namespace

PidFile::PidFile(const std::string& path) {
  if (path.empty()) return;
  const auto refuse = [&] {
    throw Error(
        fmt::format("--pidfile {}: that is no regular file: give the name of one, which is "
                    "made, and removed at the end",
                    path));
  };
  if (path == "-") refuse();
  Output output(path);
  if (!output.is_regular()) refuse();
  const BlockedSignals blocked;  // one in between would leave it behind
  output.finish(fmt::format("{}\n", ::getpid()));
  place_ = output.take_made();
  if (place_) g_place = &*place_;
}

void PidFile::remove() {
  const OutputPlace* place = g_place.exchange(nullptr);
  struct stat status;
  if (place == nullptr ||
      ::fstatat(place->directory.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (status.st_dev == place->now->st_dev && status.st_ino == place->now->st_ino)
    ::unlinkat(place->directory.get(), place->name.c_str(), 0);
}

}  // namespace pipetop::tui

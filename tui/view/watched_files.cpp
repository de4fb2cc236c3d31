#include "tui/view/watched_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/proc_files.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostFiles = 256;

std::optional<WatchedFile> file_at(pid_t pid, int fd) {
  const std::string link = fmt::format("/proc/{}/fd/{}", pid, fd);
  struct stat status {};
  // What the link leads to; nothing is opened.
  if (::stat(link.c_str(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) return {};
  const std::string info = read_proc_file(pid, fmt::format("fdinfo/{}", fd), 1024);
  const auto at = keyed_number(info, "pos");
  if (!at) return {};
  WatchedFile file{fd, {status.st_dev, status.st_ino}, one_line(link_of(pid, fd)), *at, {}};
  const bool writes = (keyed_number(info, "flags", 8).value_or(0) & O_ACCMODE) != O_RDONLY;
  if (S_ISREG(status.st_mode) && !writes) file.size = uint64_t(status.st_size);
  return file;
}

}  // namespace

WatchedDescriptor parse_watched(std::string_view text) {
  const size_t colon = text.find(':');
  const auto pid = parse_all<int>(text.substr(0, colon));
  const auto fd = colon == text.npos ? std::optional(-1) : parse_all<int>(text.substr(colon + 1));
  if (!pid || *pid < 1 || !fd || (colon != text.npos && *fd < 0))
    throw Error(fmt::format("\"{}\" is neither PID nor PID:FD", text));
  return {*pid, *fd};
}

std::vector<WatchedFile> files_of(const WatchedDescriptor& watched) {
  std::vector<WatchedFile> files;
  if (watched.fd >= 0) {
    if (auto file = file_at(watched.pid, watched.fd)) files.push_back(*std::move(file));
    return files;
  }
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", watched.pid), error)) {
    const auto fd = parse_all<int>(entry.path().filename().string());
    if (!fd || files.size() >= kMostFiles) continue;
    if (auto file = file_at(watched.pid, *fd)) files.push_back(*std::move(file));
  }
  std::ranges::sort(files, {}, &WatchedFile::fd);
  return files;
}

}  // namespace pipetop::tui

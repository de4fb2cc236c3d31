#include "engine/process/change_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr std::string_view kPrefix = "pipetop-changes-";

// Followed by the masks, and then by the changes.
struct Header {
  char magic[8] = {'p', 'i', 'p', 'e', 't', 'o', 'p', 'c'};
  uint32_t version = 1;
  uint32_t change_bytes = sizeof(ForeignChange);
  uint32_t masks = 0, count = 0;
};

size_t bytes_of(const Header& header) {
  return sizeof header + header.masks * sizeof(CpuMask) + header.count * sizeof(ForeignChange);
}

bool is_ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool is_private_directory(const std::string& path) {
  struct stat status = {};
  return path.starts_with('/') && ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         is_ours_alone(status);
}

bool has_sense(const ForeignChange& change, uint32_t masks) {
  const auto both = [&](int64_t least, int64_t most) {
    return std::min(change.before, change.set) >= least &&
           std::max(change.before, change.set) <= most;
  };
  if (change.process.pid <= 0 || change.is_in_place < 0 || change.is_in_place > 1) return false;
  switch (change.kind) {
    case ChangeKind::nice:
      return change.tid > 0 && both(kLeastNice, kMostNice);
    case ChangeKind::cpus:
      return change.tid > 0 && both(0, int64_t{masks} - 1);
    case ChangeKind::pipe_size:
      return change.fd >= 0 && both(1, INT_MAX);
  }
  return false;
}

bool read_all(int file, void* to, size_t bytes, size_t from) {
  return ::pread(file, to, bytes, static_cast<off_t>(from)) == static_cast<ssize_t>(bytes);
}

// Null if it is damaged.
std::unique_ptr<ChangeList> read_list(int file) {
  const Header expected;
  Header header;
  if (!read_all(file, &header, sizeof header, 0) ||
      std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.version != expected.version || header.change_bytes != expected.change_bytes ||
      header.masks > ChangeList::kMostMasks || header.count > ChangeList::kMost)
    return nullptr;
  auto list = std::make_unique<ChangeList>();
  const size_t mask_bytes = header.masks * sizeof(CpuMask);
  if (!read_all(file, list->mask.data(), mask_bytes, sizeof header) ||
      !read_all(file, list->change.data(), header.count * sizeof(ForeignChange),
                sizeof header + mask_bytes))
    return nullptr;
  list->masks = header.masks;
  list->count = header.count;
  for (uint32_t i = 0; i < header.count; ++i) {
    const ForeignChange& change = list->change[i];
    const ForeignChange& before = list->change[i > 0 ? i - 1 : 0];
    const bool follows =
        change.step > before.step || (change.step == before.step && is_of_the_same(change, before));
    if (!follows || !has_sense(change, header.masks)) return nullptr;
  }
  return list;
}

enum class State { none, in_use, left };

// Nothing if it isn't a record of ours.
State open_record(const std::string& path, UniqueFd& file) {
  file.reset(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_ours_alone(status))
    return State::none;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return State::in_use;
  // Removed meanwhile, or not written yet.
  const bool is_there = ::fstat(file.get(), &status) == 0 && status.st_nlink == 1;
  return is_there && status.st_size > 0 ? State::left : State::none;
}

}  // namespace

std::string record_directory() {
  if (::geteuid() == 0) return "/run";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  for (const std::string& path :
       {std::string(runtime ? runtime : ""), fmt::format("/run/user/{}", ::geteuid())})
    if (is_private_directory(path)) return path;
  return "";
}

ChangeRecord make_record(const std::string& directory) {
  std::string path = fmt::format("{}/{}XXXXXX", directory, kPrefix);
  UniqueFd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) throw SystemError(path, errno);
  return {std::move(path), std::move(file)};
}

void write_record(int file, const ChangeList& list) {
  if (list.is_empty()) {
    (void)!::ftruncate(file, 0);
    return;
  }
  Header header;
  header.masks = list.masks;
  header.count = list.count;
  const auto* masks = static_cast<const void*>(list.mask.data());
  const auto* changes = static_cast<const void*>(list.change.data());
  const iovec parts[] = {{&header, sizeof header},
                         {const_cast<void*>(masks), header.masks * sizeof(CpuMask)},
                         {const_cast<void*>(changes), header.count * sizeof(ForeignChange)}};
  (void)!::pwritev(file, parts, 3, 0);
  (void)!::ftruncate(file, static_cast<off_t>(bytes_of(header)));
}

FoundRecords find_records(const std::string& directory) {
  FoundRecords found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), &::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (!std::string_view(entry->d_name).starts_with(kPrefix)) continue;
    ChangeRecord record{directory + "/" + entry->d_name, {}};
    const State state = open_record(record.path, record.file);
    if (state == State::in_use) ++found.in_use;
    if (state != State::left) continue;
    auto list = read_list(record.file.get());
    found.left.push_back({std::move(record), std::move(list)});
  }
  return found;
}

}  // namespace pipetop

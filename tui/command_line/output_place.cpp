#include "tui/command_line/output_place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

constexpr int kMostLinks = 40;  // as the kernel

class Search {
 public:
  Search(const std::string& path, uid_t writer) : path_(path), writer_(writer), rest_(path) {
    go_to(path.starts_with('/') ? "/" : ".");
  }

  OutputPlace find() {
    for (;;) {
      const std::string part = next_part();
      if (part.empty() || part == "." || part == "..") {
        if (rest_.empty()) fail(EISDIR);
        if (!part.empty()) go_to(part);
        continue;
      }
      const UniqueFd entry(openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!entry && (errno != ENOENT || !rest_.empty())) fail(errno);
      if (!entry) return {std::move(at_), part, {}};
      const struct stat status = status_of(entry);
      if (S_ISLNK(status.st_mode)) {
        if (rest_.empty() && is_own_descriptors()) return inherited(part);
        check_link(status);
        follow(entry);
      } else if (rest_.empty()) {
        if (S_ISDIR(status.st_mode)) fail(EISDIR);
        check_file(status);
        return {std::move(at_), part, status};
      } else {
        go_to(part);
      }
    }
  }

 private:
  [[noreturn]] void fail(int error_number) const {
    throw SystemError(path_, error_number, Exit::usage);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(
        fmt::format("{}: {}: give a name in a directory that only you can change", path_, what),
        Exit::refused);
  }

  struct stat status_of(const UniqueFd& entry) const {
    struct stat status;
    if (fstat(entry.get(), &status) != 0) fail(errno);
    return status;
  }

  // All of the slashes after it, too: a directory has none at the end of the path.
  std::string next_part() {
    const size_t end = std::min(rest_.find('/'), rest_.size());
    std::string part = rest_.substr(0, end);
    const bool is_directory = end < rest_.size();
    rest_.erase(0, std::min(rest_.find_first_not_of('/', end), rest_.size()));
    if (is_directory && rest_.empty()) rest_ = ".";
    return part;
  }

  // No link, which somebody may have put there since.
  void go_to(const std::string& part) {
    const int from = at_ ? at_.get() : AT_FDCWD;
    UniqueFd next(openat(from, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) fail(errno);
    at_ = std::move(next);
    folder_ = status_of(at_);
  }

  void follow(const UniqueFd& link) {
    if (++links_ > kMostLinks) fail(ELOOP);
    char target[PATH_MAX];
    const ssize_t size = readlinkat(link.get(), "", target, sizeof target);
    if (size <= 0 || size_t(size) == sizeof target) fail(size < 0 ? errno : ENAMETOOLONG);
    const std::string to(target, size_t(size));
    rest_ = rest_.empty() ? to : to + "/" + rest_;
    if (to.starts_with('/')) go_to("/");
  }

  // /proc/PID/fd, where links lead to what is open.
  bool is_own_descriptors() const {
    std::error_code error;
    const auto directory =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", at_.get()), error);
    return !error && directory == fmt::format("/proc/{}/fd", getpid());
  }

  OutputPlace inherited(const std::string& part) const {
    OutputPlace place;
    std::from_chars(part.data(), part.data() + part.size(), place.inherited);
    const int flags = place.inherited < 0 ? -1 : fcntl(place.inherited, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
    return place;
  }

  bool is_shared() const {
    return (folder_.st_mode & S_ISVTX) != 0 && (folder_.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  }
  // For root. Whom a list of access lets write shows as the group, whichever that is.
  bool is_foreign() const {
    return folder_.st_uid != 0 || (folder_.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  }
  bool is_strangers(const struct stat& entry) const {
    return entry.st_uid != writer_ && entry.st_uid != folder_.st_uid;
  }

  void check_link(const struct stat& link) const {
    if (writer_ == 0 ? is_foreign() : is_shared() && is_strangers(link))
      refuse(fmt::format("a link of user {} in a directory that others can change", link.st_uid));
  }

  void check_file(const struct stat& file) const {
    if (writer_ == 0 ? is_foreign() && file.st_uid != 0 : is_shared() && is_strangers(file))
      refuse(fmt::format("a file of user {} in a directory that others can change", file.st_uid));
    if (writer_ == 0 && is_foreign() && S_ISREG(file.st_mode) && file.st_nlink > 1)
      refuse("a file with another name, in a directory that others can change");
  }

  const std::string& path_;
  const uid_t writer_;
  std::string rest_;  // of the path
  UniqueFd at_;
  struct stat folder_ {};  // of at_
  int links_ = 0;
};

}  // namespace

OutputPlace find_output_place(const std::string& path, uid_t writer) {
  return Search(path, writer).find();
}

}  // namespace pipetop::tui

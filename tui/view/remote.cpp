#include "tui/view/remote.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/change_ledger.h"
#include "engine/process/proc_files.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostBytes = 1 << 16;

// One that another user could write to would tell us anything.
std::string file_of(pid_t pid) {
  const std::string directory = record_directory();
  if (directory.empty())
    throw Error("no directory to leave the flags in; set XDG_RUNTIME_DIR to one that is yours",
                Exit::refused);
  return fmt::format("{}/pipetop-view-{}", directory, pid);
}

std::vector<std::string> words_of(pid_t pid) {
  std::string text = read_proc_file(pid, "cmdline", kMostBytes);
  if (!text.empty() && text.back() == '\0') text.pop_back();
  return split(text, '\0');
}

// It has a handler: another program would be ended by the signal.
bool is_view(pid_t pid) {
  const std::vector<std::string> words = words_of(pid);
  const auto caught = keyed_number(read_proc_file(pid, "status", kMostBytes), "SigCgt", 16);
  return std::ranges::find(words, "view") != words.end() && caught &&
         (*caught >> (SIGUSR2 - 1) & 1) != 0 &&
         read_link(fmt::format("/proc/{}/exe", pid)) == read_link("/proc/self/exe");
}

}  // namespace

void send_flags(pid_t pid) {
  const std::string who = fmt::format("process {}", pid);
  // Held before we look at it: its number may become another process's.
  const UniqueFd process(int(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) throw SystemError(who, errno, Exit::usage);
  if (!is_view(pid))
    throw Error(fmt::format("process {} is no pipetop view of this program and user", pid));
  std::vector<std::string> words = words_of(::getpid());
  words.erase(words.begin(), std::next(std::ranges::find(words, "view")));
  const std::string path = file_of(pid), draft = fmt::format("{}.{}", path, ::getpid());
  {
    const UniqueFd file(
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    std::string text;
    for (const std::string& word : words) text += word + '\0';
    if (!file || ::write(file.get(), text.data(), text.size()) != ssize_t(text.size()))
      throw SystemError(draft, errno);
  }
  if (::rename(draft.c_str(), path.c_str()) != 0) throw SystemError(path, errno);
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGUSR2, nullptr, 0) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    throw SystemError(who, error);
  }
}

std::optional<std::vector<std::string>> take_flags() {
  const std::string path = file_of(::getpid());
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return {};
  ::unlink(path.c_str());
  std::array<char, kMostBytes> text{};
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got <= 0) return {};
  return split(std::string_view(text.data(), size_t(got) - 1), '\0');
}

}  // namespace pipetop::tui

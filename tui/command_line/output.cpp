#include "tui/command_line/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/process/as_user.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// The target of a link, so that the link survives the rename.
std::string real_place(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool can_be_drawn_over() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

// As far as it is possible: a terminal that is gone must not cost a result. Not through stdio,
// which would discard the text on an error.
void put(const std::string& text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

Output::Output(const std::string& path, Appears appears)
    : name_(path.empty() || path == "-" ? "stdout" : path) {
  if (name_ == "stdout") {
    // Closed, see main(): known before anything is measured.
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY) fail(EBADF);
    return;
  }
  user_ = user_to_become();
  const AsUser as_user(user_);
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && appears == Appears::as_new) fail(EEXIST);
  const bool regular = !exists || S_ISREG(status.st_mode);
  if (regular && appears == Appears::whole)
    open_to_be_whole(real_place(path));
  else
    open_directly(path, !exists);
}

void Output::open_directly(const std::string& path, bool is_new) {
  const int anew = is_new ? O_CREAT | O_EXCL : 0;
  file_.reset(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | anew, 0666));
  if (!file_) fail(errno);
  untouched_ = true;
  if (!is_new) return;
  temporary_ = path;
}

void Output::open_to_be_whole(const std::string& place) {
  place_ = place;
  beside_ = fmt::format("{}.{}.tmp", place, getpid());
  struct stat status;
  if (stat(beside_.c_str(), &status) != 0 && errno != ENOENT) fail(errno);  // a name too long
  const bool exists = stat(place.c_str(), &status) == 0;
  file_.reset(open(folder_of(place).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (!file_) {
    unlink(beside_.c_str());  // left by a killed process with the same pid
    // Exclusively: its name can be guessed, and we may be root.
    file_.reset(open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_) fail(errno);
    temporary_ = beside_;
  }
  own_as(exists ? &status : nullptr);
}

// As the file that it replaces, as far as that is allowed. The owner first: with another one's
// permissions our file could run as root.
void Output::own_as(const struct stat* old) const {
  if (old == nullptr) return;
  (void)!fchown(file_.get(), old->st_uid, old->st_gid);
  (void)!fchmod(file_.get(), old->st_mode & 0777);
}

// In the same directory, because linkat() cannot replace an existing name.
void Output::name_it() {
  unlink(beside_.c_str());  // left by a killed process with the same pid
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_.get());
  if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, beside_.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(errno);
  temporary_ = beside_;
}

Output::~Output() {
  if (temporary_.empty()) return;
  (void)succeeds([this] {
    const AsUser as_user(user_);
    unlink(temporary_.c_str());
  });
}

int Output::fd() const { return name_ == "stdout" ? STDOUT_FILENO : file_.get(); }

bool Output::is_terminal() const { return isatty(fd()) == 1; }

void Output::fail(int error_number) const { throw SystemError(name_, error_number, Exit::usage); }

// Not when it is opened, so that a start that fails costs no earlier result.
void Output::discard_old() {
  // EINVAL: not a regular file.
  if (ftruncate(fd(), 0) != 0 && errno != EINVAL) fail(errno);
  untouched_ = false;
}

void Output::write(std::string_view text) {
  if (untouched_) discard_old();
  const off_t begin = file_ ? lseek(fd(), 0, SEEK_END) : -1;
  while (!text.empty()) {
    const ssize_t done = ::write(fd(), text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      const int error = errno;
      if (begin >= 0) (void)!ftruncate(fd(), begin);  // no half lines
      fail(error);
    }
    text.remove_prefix(size_t(done));
  }
  if (place_.empty()) temporary_.clear();
}

void Output::finish(std::string_view rest) {
  write(rest);
  const AsUser as_user(user_);
  if (!place_.empty() && temporary_.empty()) name_it();
  // Some file systems report a full disk only here.
  const int last = dup(fd());
  if (last >= 0 && close(last) != 0) fail(errno);
  file_.reset();
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), place_.c_str()) != 0) fail(errno);
  temporary_.clear();
  place_.clear();
}

int print(std::string_view text) {
  Output("").finish(text);
  return 0;
}

void finish_all(const Interrupts& interrupts,
                std::initializer_list<std::function<void()>> results) {
  std::exception_ptr first;
  for (const auto& finish : results) {
    try {
      finish();
    } catch (const Error& e) {
      if (first || interrupts.signal() != 0)
        say(e.what());
      else
        first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void say(const std::string& message) { put("pipetop: " + one_line(message) + "\n"); }

void tell(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(size_t(done));
  }
}

int terminal_columns(int fd, int usual) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual;
}

ProgressLine::ProgressLine(Interrupts& interrupts, const std::string& what_follows, bool wanted)
    : wanted_(wanted && can_be_drawn_over()) {
  interrupts.suspending = [this] { clear(); };
  interrupts.resumed = [what_follows] { say("continued: " + what_follows); };
}

void ProgressLine::show(const std::string& text) {
  if (!wanted_) return;
  // Longer text would wrap, and a wrapped line cannot be overwritten.
  put(fmt::format("\r{}\x1b[K", beginning(text, terminal_columns(STDERR_FILENO, 80) - 1)));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) put("\r\x1b[K");
  shown_ = false;
}

std::function<void(const Notice&)> say_notices(ProgressLine& progress) {
  auto said = std::make_shared<std::set<std::string>>();  // by all engines of an experiment
  return [&progress, said](const Notice& notice) {
    if (notice.severity == Severity::info || !said->insert(notice.text).second) return;
    progress.clear();
    say(notice.text);
  };
}

int exit_status(const Assessment& assessment, const Interrupts& interrupts) {
  for (const std::string& warning : assessment.warnings) say(warning);
  if (interrupts.signal() != 0) return kSignalExit + interrupts.signal();
  return static_cast<int>(assessment.exit);
}

int ended_early(const Interrupts& interrupts, const std::string& before_what) {
  say("ended before " + before_what);
  return kSignalExit + interrupts.signal();
}

}  // namespace pipetop::tui

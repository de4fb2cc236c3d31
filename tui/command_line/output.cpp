#include "tui/command_line/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

bool can_be_drawn_over() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace

Output::Output(const std::string& path, WriteMode write_mode)
    : name_(path.empty() || path == "-" ? "stdout" : path) {
  if (name_ == "stdout") {
    // Closed, see main(): known before anything is measured.
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY) fail(EBADF);
    return;
  }
  user_ = user_to_become();
  try {
    const AsUser as_user(user_);
    place_ = find_output_place(path, user_.uid != 0 ? user_.uid : geteuid());
    if (place_.inherited >= 0)
      file_.reset(fcntl(place_.inherited, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    else if (place_.now && write_mode == WriteMode::as_new)
      fail(EEXIST);
    else if (write_mode == WriteMode::whole && (!place_.now || S_ISREG(place_.now->st_mode)))
      open_to_be_whole();
    else
      open_directly(write_mode == WriteMode::by_others ? 0 : O_APPEND);
    if (!file_) fail(errno);
  } catch (const SystemError& e) {
    const bool is_denied = e.error_number() == EACCES || e.error_number() == EPERM;
    if (!is_denied || geteuid() != 0) throw;
    if (user_.uid == 0)
      throw Error(fmt::format("{}: root writes only where permissions let it: use sudo, or a "
                              "directory of root's",
                              e.what()),
                  Exit::usage);
    throw Error(fmt::format("{}, for user {}, who started pipetop as root: give a place where they "
                            "may write",
                            e.what(), user_.uid),
                Exit::usage);
  }
}

int Output::open_at_place(const std::string& name, int flags) const {
  int fd = -1;
  do  // a FIFO waits for its reader, and signals interrupt that
    fd = openat(place_.directory.get(), name.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags,
                0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

// `appends`: O_APPEND, or 0 for what splice refuses then.
void Output::open_directly(int appends) {
  const int anew = place_.now ? 0 : O_CREAT | O_EXCL;
  file_.reset(open_at_place(place_.name, appends | O_NOCTTY | anew));
  if (!file_) return;
  untouched_ = true;
  struct stat status;
  if (!place_.now)
    temporary_ = place_.name;
  else if (fstat(file_.get(), &status) != 0 || status.st_ino != place_.now->st_ino ||
           status.st_dev != place_.now->st_dev)
    throw Error(fmt::format("{}: somebody has replaced it just now: try again", name_));
}

void Output::open_to_be_whole() {
  whole_ = true;
  beside_ = fmt::format("{}.{}.tmp", place_.name, getpid());
  struct stat status;
  if (fstatat(place_.directory.get(), beside_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 &&
      errno != ENOENT)
    fail(errno);  // a name too long
  file_.reset(openat(place_.directory.get(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (!file_) {
    remove(beside_);  // left by a killed process with the same pid
    // Exclusively: its name can be guessed, and we may be root.
    file_.reset(open_at_place(beside_, O_CREAT | O_EXCL));
    if (!file_) return;
    temporary_ = beside_;
  }
  if (!place_.now || own_as(*place_.now)) return;
  // The owner of a file that root has replaced would have nothing any more.
  if (!temporary_.empty()) remove(temporary_);
  temporary_.clear();
  whole_ = false;
  open_directly(O_APPEND);
}

// As the file that it replaces, as far as that is allowed. The owner first: with another one's
// permissions our file could run as root. False if root can't give it to its owner.
bool Output::own_as(const struct stat& old) const {
  const bool is_owned = fchown(file_.get(), old.st_uid, old.st_gid) == 0;
  if (!is_owned && geteuid() == 0 && user_.uid == 0) return false;
  (void)!fchmod(file_.get(), old.st_mode & 0777);
  return true;
}

void Output::remove(const std::string& name) const {
  unlinkat(place_.directory.get(), name.c_str(), 0);
}

// In the same directory, because linkat() cannot replace an existing name.
void Output::name_it() {
  remove(beside_);  // left by a killed process with the same pid
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_.get());
  if (linkat(AT_FDCWD, unnamed.c_str(), place_.directory.get(), beside_.c_str(),
             AT_SYMLINK_FOLLOW) != 0)
    fail(errno);
  temporary_ = beside_;
}

Output::~Output() {
  if (temporary_.empty()) return;
  (void)succeeds([this] {
    const AsUser as_user(user_);
    remove(temporary_);
  });
}

int Output::fd() const { return name_ == "stdout" ? STDOUT_FILENO : file_.get(); }

bool Output::is_terminal() const { return isatty(fd()) == 1; }

bool Output::is_regular() const {
  struct stat status;
  return fstat(fd(), &status) == 0 && S_ISREG(status.st_mode);
}

void Output::fail(int error_number) const {
  if (error_number == EPIPE && name_ == "stdout")
    throw ClosedStdout(name_, error_number, Exit::usage);
  throw SystemError(name_, error_number, Exit::usage);
}

// Not when it is opened, so that a start that fails costs no earlier result.
void Output::discard_old() {
  // EINVAL: not a regular file.
  if (ftruncate(fd(), 0) != 0 && errno != EINVAL) fail(errno);
  untouched_ = false;
}

void Output::begin() {
  if (untouched_) discard_old();
  temporary_.clear();
}

void Output::write(std::string_view text) {
  if (untouched_) discard_old();
  const off_t begin = file_ && !text.empty() ? lseek(fd(), 0, SEEK_END) : -1;
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
  if (!whole_) temporary_.clear();
}

void Output::finish(std::string_view rest) {
  write(rest);
  const AsUser as_user(user_);
  if (whole_ && temporary_.empty()) name_it();
  // Some file systems report a full disk only here.
  const int last = dup(fd());
  if (last >= 0 && close(last) != 0) fail(errno);
  struct stat status;
  const bool is_known = file_ && fstat(file_.get(), &status) == 0;
  file_.reset();
  if (temporary_.empty()) return;
  const int directory = place_.directory.get();
  if (renameat(directory, temporary_.c_str(), directory, place_.name.c_str()) != 0) fail(errno);
  temporary_.clear();
  whole_ = false;
  if (is_known) made_ = OutputPlace{std::move(place_.directory), place_.name, status};
}

LateOutput::LateOutput(const std::string& path, WriteMode write_mode) {
  if (!path.empty()) output_.emplace(path, write_mode);
}

bool LateOutput::write(std::string_view text) {
  if (!output_ || failure_ || text.empty()) return !failure_;
  try {
    output_->write(text);
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
  return !failure_;
}

void LateOutput::finish(std::string_view rest) {
  if (failure_) std::rethrow_exception(failure_);
  if (output_) output_->finish(rest);
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

void say(const std::string& message) { write_to_stderr("pipetop: " + one_line(message) + "\n"); }

ProgressLine::ProgressLine(Interrupts& interrupts, const std::string& what_follows, bool wanted)
    : wanted_(wanted && can_be_drawn_over()) {
  interrupts.suspending = [this] { clear(); };
  interrupts.resumed = [what_follows] { say("continued: " + what_follows); };
}

void ProgressLine::show(const std::string& text) {
  // Longer text would wrap, and a wrapped line cannot be overwritten.
  if (wanted_ && line_.can_show()) line_.show(std::string(beginning(text, line_.cols())));
}

void ProgressLine::show(const ExperimentStep& step) {
  std::string text = fmt::format("round {} of {}", step.round, step.rounds);
  if (step.runs > 0) text += fmt::format(", run {} of {}", step.run, step.runs);
  text += ": " + step.what;
  if (step.left_ns.has_value()) text += "  " + elapsed_text(*step.left_ns) + " left";
  show(text);
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

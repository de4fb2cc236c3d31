// Where data goes: stdout, or a file. Messages for the user go to stderr.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/experiment/trial.h"
#include "engine/process/privileges.h"
#include "tui/command_line/output_place.h"
#include "tui/print/results.h"
#include "tui/view/progress.h"

namespace pipetop::tui {

// A regular file: complete or not at all, or with what was written so far, in place of an old one
// or only if there is none; or by who has its descriptor, from begin() on.
enum class WriteMode : uint8_t { whole, as_written, as_new, by_others };

// Nobody reads stdout any more, as in `pipetop watch --once | head -1`: no error to tell. main()
// ends by SIGPIPE, as other tools do.
class ClosedStdout : public SystemError {
 public:
  using SystemError::SystemError;
};

class Output {
 public:
  // "" and "-" are stdout, which must not be closed. A regular file that should appear complete has
  // no name until finish(), so that nothing is left behind if we are killed; if the file system
  // does not support this, it is written under a temporary name. Other files are written directly;
  // a regular one loses its old content with the first write. All of it is done as the user who
  // called sudo, and not where somebody else has prepared it: see find_output_place(). Throws
  // Error.
  explicit Output(const std::string& path, WriteMode write_mode = WriteMode::whole);
  ~Output();  // removes an unfinished file
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Unbuffered, so that a reader sees each interval at once. Throws Error if not
  // everything could be written: a full disk, or a closed pipe.
  void write(std::string_view text);

  // Writes the rest of it. Throws Error if the result could not be stored.
  void finish(std::string_view rest = {});

  // Discards the old content, and keeps what comes. Throws Error.
  void begin();

  int fd() const;
  bool is_terminal() const;
  bool is_regular() const;

  // The file that finish() has made, with what it is; nothing if it was there before.
  std::optional<OutputPlace> take_made() { return std::exchange(made_, {}); }

 private:
  int open_at_place(const std::string& name, int flags) const;
  void open_directly(int appends);
  void open_to_be_whole();
  bool own_as(const struct stat& old) const;
  void name_it();
  void remove(const std::string& name) const;
  void discard_old();
  [[noreturn]] void fail(int error_number) const;

  std::string name_;  // for messages
  OutputPlace place_;
  bool whole_ = false;      // gets its name in finish()
  std::string beside_;      // until then
  std::string temporary_;   // a name to remove, while there is one
  bool untouched_ = false;  // written directly, and nothing was written yet
  UniqueFd file_;           // not open for stdout
  std::optional<OutputPlace> made_;
  User user_;  // as whom it is done, unless root
};

// An output beside what is measured or shown: the first failure ends the writing, and finish()
// reports it.
class LateOutput {
 public:
  // "" for none: nothing is written. Throws Error, as Output does.
  explicit LateOutput(const std::string& path, WriteMode write_mode = WriteMode::as_written);

  bool is_open() const { return output_.has_value(); }
  bool is_terminal() const { return output_ && output_->is_terminal(); }

  // False after a failure.
  bool write(std::string_view text);
  // Throws Error if not everything could be written.
  void finish(std::string_view rest = {});

 private:
  std::optional<Output> output_;
  std::exception_ptr failure_;
};

// All of it to stdout. Throws Error. Returns the exit code.
int print(std::string_view text);

// Finishes each result, even if another one failed. Then throws the first Error, unless a signal
// has ended the command: then it is only said, because the exit status is the signal's.
void finish_all(const Interrupts& interrupts, std::initializer_list<std::function<void()>> results);

// "pipetop: ..." as one line.
void say(const std::string& message);
// Progress of long work: a line on the terminal that is overwritten, and removed at
// the end. Shown as far as the terminal allows it.
class ProgressLine {
 public:
  // When `interrupts` suspend us, the line is cleared; a message then says `what_follows`. Shows
  // nothing if stderr is not a terminal whose lines can be overwritten, or if it is not `wanted`.
  ProgressLine(Interrupts& interrupts, const std::string& what_follows, bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void show(const ExperimentStep& step);  // "round 2 of 5, run 12 of 35: vmsplice  00:01:12 left"
  void clear() { line_.clear(); }

 private:
  bool wanted_;
  StatusLine line_;
};

// For an engine: says its warnings and errors, each once, when they come. The result explains what
// cannot be observed.
std::function<void(const Notice&)> say_notices(ProgressLine& progress);

// Says the warnings of a result. Returns the exit status of a command that
// `interrupts` have ended, or else of that result.
int exit_status(const Assessment& assessment, const Interrupts& interrupts);

// For a command that was ended before it had a result.
int ended_early(const Interrupts& interrupts, const std::string& before_what);

}  // namespace pipetop::tui

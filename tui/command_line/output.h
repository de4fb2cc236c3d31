// Where data goes: stdout, or a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

// A regular file: whole or not at all, or with what was written so far.
enum class Appears : uint8_t { whole, as_written };

class Output {
 public:
  // "" and "-" are stdout. A regular file that is to appear whole has no name until
  // finish() gives it one, so that nothing is left however we end; where the file
  // system has no such files, it is written beside its place. Any other is written
  // directly, and a regular one emptied first. Throws Error.
  explicit Output(const std::string& path, Appears appears = Appears::whole);
  ~Output();  // takes an unfinished file away
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Unbuffered, so that a reader sees each interval at once. Throws Error when
  // not all of it could be written: a full disk, a reader that went away.
  void write(std::string_view text);

  // Throws Error when what was written is not safe in its place.
  void finish();

  bool is_terminal() const;

 private:
  void open_to_be_whole(const std::string& place);
  void name_it();
  int fd() const;
  [[noreturn]] void fail(int error_number) const;

  std::string name_;       // for messages
  std::string place_;      // to rename to; "" when written directly
  std::string beside_;     // its name until then
  std::string temporary_;  // the same, while there is one to take away
  UniqueFd file_;          // not open for stdout
};

// All of it to stdout. Throws Error. Returns the exit code.
int print(std::string_view text);

}  // namespace pipetop::tui

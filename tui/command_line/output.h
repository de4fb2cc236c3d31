// Where data goes: stdout, or a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

// A regular file: complete or not at all, or with what was written so far.
enum class Appears : uint8_t { whole, as_written };

class Output {
 public:
  // "" and "-" are stdout. A regular file that should appear complete has no name
  // until finish(), so that nothing is left behind if we are killed; if the file
  // system does not support this, it is written under a temporary name. Other files
  // are written directly; regular ones are truncated first. Throws Error.
  explicit Output(const std::string& path, Appears appears = Appears::whole);
  ~Output();  // removes an unfinished file
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Unbuffered, so that a reader sees each interval at once. Throws Error if not
  // everything could be written: a full disk, or a closed pipe.
  void write(std::string_view text);

  // Throws Error if the result could not be stored.
  void finish();

  bool is_terminal() const;

 private:
  void open_to_be_whole(const std::string& place);
  void name_it();
  int fd() const;
  [[noreturn]] void fail(int error_number) const;

  std::string name_;       // for messages
  std::string place_;      // to rename to; "" when written directly
  std::string beside_;     // its name until finish()
  std::string temporary_;  // the same, while there is one to remove
  UniqueFd file_;          // not open for stdout
};

// All of it to stdout. Throws Error. Returns the exit code.
int print(std::string_view text);

}  // namespace pipetop::tui

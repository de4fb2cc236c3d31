// What `pipetop view` reads and writes.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "tui/command_line/output.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

// The exit status is the sum of those that happened, as pv's is.
enum ViewStatus : uint8_t { kNotOpened = 2, kSameFile = 4, kNotMoved = 16 };

struct ViewInput {
  UniqueFd file;  // none: stdin
  std::string name = "stdin";

  int fd() const { return file ? file.get() : STDIN_FILENO; }
};

// "" and "-" are stdin: none. Throws SystemError.
UniqueFd open_input(const std::string& path);

// Opened as our caller may: that is what sudo is for. What comes out of them is moved without. The
// output is made as other results are. What can't be read, and what is the output, too, is told
// before anything is moved, or lost; the others are moved all the same, unless the output is a file
// that they would replace.
struct ViewEnds {
  // Throws Error for an output that can't be made.
  explicit ViewEnds(const CommandLine& line);

  int out_fd() const { return output ? output->fd() : STDOUT_FILENO; }

  std::vector<ViewInput> inputs;
  std::optional<Output> output;  // none: stdout; its old content is there until begin()
  std::string out_name = "stdout";
  int status = 0;  // ViewStatus

 private:
  void open_inputs(const std::vector<std::string>& paths);
  void leave_out_output();
};

}  // namespace pipetop::tui

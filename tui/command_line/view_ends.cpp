#include "tui/command_line/view_ends.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/copy/methods.h"
#include "engine/process/privileges.h"
#include "engine/workload/table/main_capabilities.h"
#include "tui/command_line/commands.h"

namespace pipetop::tui {

UniqueFd open_input(const std::string& path) {
  if (path.empty() || path == "-") return {};
  UniqueFd file;
  do  // a FIFO waits for its writer, and our signals interrupt that
    file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  while (!file && errno == EINTR);
  if (!file) throw SystemError(one_line(path), errno, Exit::usage);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

ViewEnds::ViewEnds(const CommandLine& line) {
  const std::vector<std::string>& files = line.view.files;
  if (::geteuid() == 0) use_capabilities(~uint64_t{0});
  open_inputs(files.empty() ? std::vector<std::string>{"-"} : files);
  if (const std::string& path = line.view.output; !path.empty() && path != "-") {
    output.emplace(path, WriteMode::by_others);
    out_name = one_line(path);
  }
  leave_out_output();
  const unsigned uses = command_row(line).uses;
  narrow_main_capabilities(uses);
  keep_main_capabilities(uses, {});
}

void ViewEnds::open_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    ViewInput input;
    try {
      input.file = open_input(path);
      if (input.file) input.name = one_line(path);
      if (end_of_descriptor(input.fd(), input.name).directory)
        throw SystemError(input.name, EISDIR);
    } catch (const SystemError& e) {
      say(e.what());
      status |= kNotOpened;
      continue;
    }
    inputs.push_back(std::move(input));
  }
}

// A shell has emptied what it has opened before we can ask: then there is nothing more to save.
void ViewEnds::leave_out_output() {
  const CopyEnd out = end_of_descriptor(out_fd(), out_name);
  const auto is_output = [&](const ViewInput& input) {
    return same_file(end_of_descriptor(input.fd(), input.name), out);
  };
  for (const ViewInput& input : inputs) {
    if (!is_output(input)) continue;
    say(fmt::format("{} is the output, too: {}; write to another file", input.name,
                    output ? "nothing is written" : "it is left out"));
    status |= kSameFile;
  }
  if ((status & kSameFile) == 0) return;
  if (output)
    inputs.clear();
  else
    std::erase_if(inputs, is_output);
}

}  // namespace pipetop::tui

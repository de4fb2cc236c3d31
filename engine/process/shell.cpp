#include "engine/process/shell.h"

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"

namespace pipetop {

ShellOutput output_of_shell(const std::string& command) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  std::unique_ptr<FILE, Close> pipe(popen(command.c_str(), "re"));
  if (!pipe) throw SystemError("sh", errno);
  ShellOutput output;
  std::array<char, 65536> chunk;
  while (const size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe.get()))
    output.text.append(chunk.data(), got);
  const int status = pclose(pipe.release());
  output.status = WIFSIGNALED(status) ? kSignalExit + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

}  // namespace pipetop

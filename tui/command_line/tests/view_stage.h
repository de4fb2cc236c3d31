// pipetop view between two descriptors, as a shell would start it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/copy/tests/streams.h"
#include "engine/tests/support/child.h"

namespace pipetop::tui {

using Words = std::vector<std::string>;

enum class BrokenPipe : uint8_t { kills, is_ignored };

class Stage {
 public:
  // Its stdin and stdout. They stay open here.
  Stage(Words words, int in, int out, BrokenPipe broken_pipe = BrokenPipe::kills) {
    words.insert(words.begin(), {PIPETOP_PROGRAM, "view"});
    TwoEnds err = make_pipe();
    pid_ = fork();
    if (pid_ == 0) {
      ::signal(SIGPIPE, broken_pipe == BrokenPipe::kills ? SIG_DFL : SIG_IGN);
      become(words, in, out, err.write.get());
    }
    err_ = std::move(err.read);
  }
  ~Stage() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  pid_t pid() const { return pid_; }

  // Until its stderr holds `text`; false if it ends before.
  bool wait_for(const std::string& text) {
    std::array<char, 4096> chunk;
    while (err_text_.find(text) == err_text_.npos) {
      const ssize_t got = ::read(err_.get(), chunk.data(), chunk.size());
      if (got <= 0) return false;
      err_text_.append(chunk.data(), size_t(got));
    }
    return true;
  }

  // The exit status, or minus the signal that ended it.
  int wait() {
    err_text_ += read_all(err_.get());
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return ending_of(status);
  }

  // All of it after wait().
  const std::string& err() const { return err_text_; }

 private:
  [[noreturn]] static void become(const Words& words, int in, int out, int err) {
    // Above those that are replaced.
    in = fcntl(in, F_DUPFD_CLOEXEC, 10);
    out = out < 0 ? -1 : fcntl(out, F_DUPFD_CLOEXEC, 10);
    err = fcntl(err, F_DUPFD_CLOEXEC, 10);
    dup2(in, 0);
    if (out < 0)
      close(1);
    else
      dup2(out, 1);
    dup2(err, 2);
    exec_words(words);
  }

  pid_t pid_ = 0;
  UniqueFd err_;
  std::string err_text_;
};

inline UniqueFd null_out() { return UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC)); }
inline UniqueFd zeros() { return UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC)); }

}  // namespace pipetop::tui

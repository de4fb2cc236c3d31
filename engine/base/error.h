// The one error type of the project: what was being done, why the system
// refused it, and an explanation for the user.
#pragma once

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace pipetop {

// What an error means to the caller of pipetop. The values are the program's exit
// codes and part of its command-line interface.
enum class Exit : int {
  ok = 0,
  usage = 1,          // usage or bad config
  worker_failed = 2,  // a worker failed
  refused = 3,        // a resource or permission was refused
  unsupported = 4,    // the kernel lacks the feature
  untrustworthy = 7,  // stolen time, drift, lost samples or damaged pages
  slower = 8,         // `compare --fail-if-slower`: it is
  met = 9,            // `watch --until`: the condition is
  // What `watch -- COMMAND` ends with, as env(1) does:
  not_executable = 126,
  not_found = 127,
};

// The exit code after a fatal signal is this plus the signal's number.
inline constexpr int kSignalExit = 128;

class Error : public std::runtime_error {
 public:
  // `words` say what is wrong and what is expected, in one line.
  explicit Error(const std::string& words, Exit exit = Exit::usage)
      : std::runtime_error(words), exit_(exit) {}

  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

// What to do about it, for all messages alike: "; raise the limit of open files (ulimit -n)". "" if
// only who knows the operation can tell.
std::string remedy_of(std::string_view operation, int error_number);

// A system call that failed. Its name, or what it was for, is the operation. Pass the value of
// errno, saved before anything else can change it.
class SystemError : public Error {
 public:
  SystemError(const std::string& operation, int error_number, Exit exit = Exit::refused)
      : Error(operation + ": " + std::generic_category().message(error_number) +
                  remedy_of(operation, error_number),
              exit),
        error_number_(error_number) {}

  int error_number() const { return error_number_; }

 private:
  int error_number_;
};

// What to tell the user of anything that was thrown.
std::string words_of(const std::exception& error);

// Why `function` failed, also for lack of memory or threads; "" if it has not. For what is done
// again and again: one time that fails must not end it.
template <class Function>
std::string failure_of(const Function& function) {
  try {
    function();
    return {};
  } catch (const std::exception& error) {
    return words_of(error);
  }
}

// Whether `function` returns instead of throwing an Error.
template <class Function>
bool succeeds(const Function& function) {
  try {
    function();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace pipetop

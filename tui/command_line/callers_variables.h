// With file capabilities we may do more than our caller, so some variables of the environment are
// not for us. A command that we start gets them as they were.
#pragma once

namespace pipetop::tui {

// If we have such capabilities: curses must not read the caller's own terminal descriptions. HOME
// is still used for configs. To be called before anything reads the environment.
void hide_callers_variables();

// While it lives, the environment is our caller's.
class CallersVariables {
 public:
  CallersVariables();
  ~CallersVariables();
  CallersVariables(const CallersVariables&) = delete;
  CallersVariables& operator=(const CallersVariables&) = delete;
};

}  // namespace pipetop::tui

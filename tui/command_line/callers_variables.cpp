#include "tui/command_line/callers_variables.h"

#include <sys/auxv.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace pipetop::tui {
namespace {

constexpr const char* kConfigHome = "XDG_CONFIG_HOME";
constexpr std::array kHidden = {"TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH", "HOME"};

using Variables = std::map<std::string, std::optional<std::string>>;

// Those that are not as the caller had them.
Variables& callers() {
  static Variables changed;
  return changed;
}

void set(const std::string& name, const std::optional<std::string>& value) {
  if (value)
    setenv(name.c_str(), value->c_str(), 1);
  else
    unsetenv(name.c_str());
}

void change(const char* name, const std::optional<std::string>& value) {
  const char* before = std::getenv(name);
  callers()[name] = before ? std::optional<std::string>(before) : std::nullopt;
  set(name, value);
}

void exchange_with_callers() {
  for (auto& [name, value] : callers()) {
    const char* now = std::getenv(name.c_str());
    std::optional<std::string> ours = now ? std::optional<std::string>(now) : std::nullopt;
    set(name, value);
    value = std::move(ours);
  }
}

}  // namespace

void hide_callers_variables() {
  if (getauxval(AT_SECURE) == 0) return;
  const char* home = std::getenv("HOME");
  if (home && !std::getenv(kConfigHome)) change(kConfigHome, std::string(home) + "/.config");
  for (const char* name : kHidden) change(name, {});
}

CallersVariables::CallersVariables() { exchange_with_callers(); }

CallersVariables::~CallersVariables() { exchange_with_callers(); }

}  // namespace pipetop::tui

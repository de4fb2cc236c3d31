// The flags of one command. CLI11 takes ten seconds to compile, so only
// flag_set.cpp and command_line.cpp include it.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace pipetop::tui {

struct Flag {
  std::string names;       // "--bytes,--bytes_to_pipe"
  std::string value_type;  // "SIZE"; "" for a flag without a value
  std::string help;
  std::string group = {};          // the heading in --help, "" for the common one
  bool value_is_optional = false;  // without one, `take` gets ""
  bool in_typed_order =
      false;  // `take` is called for each occurrence; else once, with the last value
};

// A reference to a parser, which must outlive it.
class FlagSet {
 public:
  using Take = std::function<void(const std::string& value)>;

  explicit FlagSet(CLI::App& app) : app_(&app) {}

  // `take` is called while the parser runs, with "" for a flag without a value. It
  // may throw Error.
  void add(const Flag& flag, Take take) const;

  // Sets `target` when the flag is given.
  void add_switch(const std::string& name, const std::string& help, bool& target) const;

  // Rejects a command line with both.
  void exclude(const std::string& one, const std::string& other) const;

  // `check` may throw Error; it is called after all flags were taken.
  void check_at_end(std::function<void()> check) const;

 private:
  CLI::App* app_;
};

}  // namespace pipetop::tui

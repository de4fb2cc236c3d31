// The last line of the terminal that is our stderr, drawn over again and again.
#pragma once

#include <string>
#include <string_view>

namespace pipetop::tui {

class StatusLine {
 public:
  // In columns; the last one stays free, because some terminals wrap there.
  int cols() const;

  // Whether it would be seen, and wouldn't stop us: a job in the background doesn't write to its
  // terminal, and a terminal that was stopped (Ctrl-S) doesn't stop the data.
  bool can_show() const;

  // In place of what is there.
  void show(const std::string& text);

  // Leaves what is there, and ends the line if there is one; or removes it.
  void end();
  void clear();

  bool is_open() const { return shown_cols_ > 0; }

 private:
  int shown_cols_ = 0;
};

// The width of the terminal behind `fd`; `usual` if it is none, or doesn't say.
int terminal_columns(int fd, int usual);

// As far as it is possible: nobody may read it any more, and the data is more important. Not
// through stdio, which would discard the text on an error.
void write_to_stderr(std::string_view text);

}  // namespace pipetop::tui

#include "tui/print/cast.h"

#include <fmt/core.h>

#include "tui/print/json.h"

namespace pipetop::tui {
namespace {

std::string cast_line(double seconds, const char* kind, std::string_view text) {
  const Json line = {rounded(seconds), kind, text};
  return json_dump(line) + "\n";
}

}  // namespace

std::string Cast::frame(double seconds, const Canvas& canvas) {
  std::string lines;
  if (cols_ == 0) {
    const Json header = {
        {"version", 2},         {"width", canvas.cols()}, {"height", canvas.rows()},
        {"timestamp", unix_s_}, {"title", "pipetop"},     {"env", {{"TERM", "xterm-256color"}}}};
    lines = header.dump() + "\n";
  } else if (canvas.rows() != rows_ || canvas.cols() != cols_) {
    lines = cast_line(seconds, "r", fmt::format("{}x{}", canvas.cols(), canvas.rows()));
  }
  rows_ = canvas.rows();
  cols_ = canvas.cols();
  const std::string bytes = screen_.update(canvas);
  if (!bytes.empty()) lines += cast_line(seconds, "o", bytes);
  return lines;
}

std::string Cast::marker(double seconds, std::string_view label) const {
  return cast_line(seconds, "m", label);
}

}  // namespace pipetop::tui

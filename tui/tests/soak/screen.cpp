#include "tui/tests/soak/screen.h"

#include <regex>

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

const std::regex kClock(R"((\d\d+):(\d\d):(\d\d))");

// Without colours; where the cursor jumps there is a line's end.
std::string text_of(const std::string& drawn) {
  static const std::regex colour("\033\\[[0-9;]*m|\033\\(B|\017"),
      other("\033\\[[0-9;?<>]*[@-~]|\033[=>]|[\r\n]+");
  return std::regex_replace(std::regex_replace(drawn, colour, ""), other, "\n");
}

std::string all_of(const std::string& text, const std::regex& wanted) {
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
    found += at->str() + "; ";
  return found;
}

unsigned restarts_in(const std::string& text) {
  static const std::regex restarts("restarted( ×([0-9]+))?");
  unsigned sum = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), restarts), end; at != end; ++at)
    sum += (*at)[2].matched ? static_cast<unsigned>(std::stoul((*at)[2])) : 1;
  return sum;
}

Shown parse(const std::string& text, const std::smatch& clock) {
  static const std::regex total("throughput · [0-9.,]+ [KMGTP]?i?B"),
      readings("[0-9.,]+ ?[kM]? (calls/s|samples|smp|sleeps)");
  const auto number = [&](size_t i) { return std::stoi(clock[i]); };
  Shown shown{.clock_s = (number(1) * 60 + number(2)) * 60 + number(3),
              .frozen = text.find("FROZEN") != text.npos,
              .total = all_of(text, total),
              .readings = all_of(text, readings),
              .restarts = restarts_in(text),
              .failed = text.find("failed") != text.npos,
              .text = text};
  return shown;
}

}  // namespace

void watch(PtyProgram& program, unsigned ms) {
  const uint64_t end_ns = monotonic_ns() + ms * kMs;
  program.wait_until([&] { return monotonic_ns() >= end_ns; });
  program.forget_output();
}

std::optional<Shown> look_at(PtyProgram& program) {
  // One frame with all cells; a worker's counters come long after the clock.
  program.forget_output();
  program.send("\f");
  std::string text;
  std::smatch clock;
  const bool seen = program.wait_until([&] {
    text = text_of(program.output());
    return std::regex_search(text, clock, kClock) && text.find("quit") != text.npos;
  });
  if (!seen) return {};
  return parse(text, clock);
}

}  // namespace pipetop::tui

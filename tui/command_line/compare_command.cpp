#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/experiment/compare.h"
#include "engine/process/privileges.h"
#include "engine/process/watched_command.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/print/stored_result.h"

namespace pipetop::tui {
namespace {

// What a command prints. Throws Error if it fails.
std::string output_of(const std::string& command, Interrupts& interrupts) {
  ShellOutput output = output_of_shell(command, kMostResultBytes, interrupts.fd(),
                                       [&] { return interrupts.take(); });
  const bool has_result = output.status == 0 || output.status == int(Exit::untrustworthy) ||
                          output.text.size() > kMostResultBytes;  // which is refused
  if (!has_result && !interrupts.ended())
    throw Error(fmt::format("\"{}\" ended with status {}: it must print a result as JSON", command,
                            output.status),
                Exit::worker_failed);
  return std::move(output.text);
}

// A B, B A, A B ... until all of it is told, or the time is over. It is looked at ever more rarely,
// or chance would find a difference some time.
int compare_commands(const CommandLine& line) {
  constexpr size_t kFirstLook = 8;  // pairs, with which 99 % can be had
  const CompareRequest& wanted = line.compare;
  Output output(wanted.output);
  LateOutput picture(wanted.svg, WriteMode::whole);
  Interrupts interrupts;
  ProgressLine progress(interrupts, "this pair goes on");
  const uint64_t begin_ns = interrupts.now_ns();
  std::array<StoredResult, 2> results, pair_of;
  InTurns turns;
  size_t look = kFirstLook;
  for (size_t pair = 1;; ++pair) {
    for (const size_t turn : {size_t{0}, size_t{1}}) {
      const size_t i = (pair + turn) % 2;
      progress.show(fmt::format("pair {}: {}", pair, wanted.files[i]));
      const std::string text = output_of(wanted.files[i], interrupts);
      if (interrupts.ended()) return ended_early(interrupts, "the two were told apart");
      pair_of[i] = read_stored_result(wanted.files[i], text);
    }
    add_pair(results[0], results[1], pair_of[0], pair_of[1]);
    const bool over = interrupts.now_ns() >= begin_ns + wanted.budget_ns;
    if (!over && pair < look) continue;
    look += std::max<size_t>(look / 2, 1);
    turns = compare_in_turns(results[0], results[1], wanted.slower.value_or(wanted.least));
    const bool told = !wanted.slower || is_told(turns.comparison, *wanted.slower);
    if (over || (turns.is_final && told)) break;
  }
  progress.clear();
  const std::array one = {std::move(turns.comparison)};
  output.finish(line.format->print(compare_document(one)));
  if (picture.is_open()) picture.finish(compare_svg(one[0]));
  return exit_status(assess(one[0], wanted.slower), interrupts);
}

}  // namespace

StoredResult read_result(const std::string& path) {
  const AsUser as_user(user_to_become());
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SystemError(path, errno, Exit::usage);
  std::string text(kMostResultBytes + 1, '\0');  // one more tells that it is too long
  file.read(text.data(), std::streamsize(text.size()));
  if (file.bad()) throw SystemError(path, errno, Exit::usage);
  text.resize(static_cast<size_t>(file.gcount()));
  return read_stored_result(path, text);
}

int compare_command(const CommandLine& line) {
  const CompareRequest& wanted = line.compare;
  if (wanted.in_turns && wanted.files.size() != 2)
    throw Error("--interleave needs two commands that print a result: see pipetop help compare");
  if (wanted.files.size() < 2)
    throw Error("compare needs two results: pipetop compare OLD.json NEW.json");
  const std::vector<Destination> results = {{"--output", wanted.output}, {"--svg", wanted.svg}};
  check_distinct(results);
  if (wanted.in_turns) return compare_commands(line);
  check_no_input(results, wanted.files);
  const StoredResult before = read_result(wanted.files.front());
  Assessment all;
  std::vector<ResultComparison> comparisons;
  for (size_t i = 1; i < wanted.files.size(); ++i) {
    const StoredResult after = read_result(wanted.files[i]);
    comparisons.push_back(compare_results(before, after, wanted.least));
    const Assessment one = assess(comparisons.back(), wanted.slower);
    if (one.exit == Exit::slower || all.exit == Exit::ok) all.exit = one.exit;
    for (const std::string& warning : one.warnings)
      all.warnings.push_back(wanted.files.size() > 2 ? after.file + ": " + warning : warning);
  }
  Output output(wanted.output);
  LateOutput picture(wanted.svg, WriteMode::whole);
  output.finish(line.format->print(compare_document(comparisons)));
  if (picture.is_open()) picture.finish(compare_svg(comparisons.front()));
  std::ranges::for_each(all.warnings, say);
  return static_cast<int>(all.exit);
}

}  // namespace pipetop::tui

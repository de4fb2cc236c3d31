#include "engine/experiment/tune_space.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr std::array<std::string_view, 9> kSearched = {"write_with", "read_with", "wait",
                                                       "pages",      "gift",      "buffers",
                                                       "buf_size",   "pipe_size", "placement"};

// Values of knobs that are excluded from the search:
constexpr std::pair<std::string_view, std::string_view> kLeftOut[] = {
    // These move none of the writer's own bytes: they pass on the contents of
    // another pipe or a file, which is a different task.
    {"write_with", "tee"},
    {"write_with", "splice"},
    // Rewrites pages that are still in the ring.
    {"buffers", "single"},
    // Names specific CPUs.
    {"placement", "cpus"},
};

constexpr uint64_t kLeastPipeBytes = 16 * 1024;
constexpr uint64_t kLeastBufBytes = 16 * 1024;
// Ring sizes for which a buffer of four times the size is tried, too.
constexpr uint64_t kUsualPipeBytes = 2 << 20;

// Never none.
std::vector<std::string> powers_of_two(uint64_t from, uint64_t to) {
  std::vector<std::string> values;
  for (uint64_t bytes = std::min(from, std::bit_floor(to)); bytes <= to; bytes *= 2)
    values.push_back(format_size(bytes));
  return values;
}

std::vector<std::string> values_of(const Knob& knob, uint64_t pipe_max_bytes) {
  if (knob.name == "pipe_size")
    return powers_of_two(kLeastPipeBytes, std::min(pipe_max_bytes, kMaxPipeBytes));
  if (knob.name == "buf_size")
    return powers_of_two(kLeastBufBytes,
                         std::min(4 * std::max(pipe_max_bytes, kUsualPipeBytes), kMaxBufBytes));
  std::vector<std::string> values;
  for (const std::string_view value : knob.values)
    if (std::ranges::find(kLeftOut, std::pair(knob.name, value)) == std::end(kLeftOut))
      values.emplace_back(value);
  return values;
}

// `wait` has no value when the roles differ, so it is copied role by role.
void copy_searched(const Settings& from, Settings& to) {
  const auto copy = [&](std::string_view name) { knob(name).set(to, knob(name).get(from)); };
  for (const std::string_view name : kSearched)
    if (name != "wait") copy(name);
  copy("writer.wait");
  copy("reader.wait");
}

void add_distinct(std::vector<Settings>& list, const Settings& one) {
  if (std::ranges::find(list, one) == list.end()) list.push_back(one);
}

// How both wait and where they run, the likeliest pairs first.
struct Guess {
  const char *wait, *placement;
};
constexpr Guess kGuesses[] = {
    {"busy", "near"}, {"block", "same_cpu"}, {"busy_poll", "near"}, {"block", "near"}};

// Sizes of the ring in the order in which they deserve a trial.
std::vector<uint64_t> likely_pipes(uint64_t most_bytes) {
  constexpr uint64_t kKib = 1024, kMib = 1024 * kKib;
  std::vector<uint64_t> pipes = {4 * kMib, 512 * kKib, 256 * kKib, kMib,
                                 2 * kMib, 128 * kKib, 8 * kMib,   16 * kMib};
  std::erase_if(pipes, [&](uint64_t bytes) { return bytes > most_bytes; });
  if (pipes.empty()) pipes.push_back(std::max(kPageBytes, std::bit_floor(most_bytes)));
  return pipes;
}

}  // namespace

TuneSpace::TuneSpace(TuneSpaceOptions options) : options_(std::move(options)) {
  for (const std::string_view name : kSearched) {
    const Knob& one = knob(name);
    knobs_.push_back({&one, values_of(one, options_.machine.pipe_max_bytes)});
  }
}

Settings TuneSpace::as_planned(const Settings& wanted) const {
  Settings planned = wanted;
  copy_searched(make_plan(wanted, options_.machine).settings, planned);
  return planned;
}

Settings TuneSpace::searched_knobs_of(const Settings& of) const {
  Settings settings = options_.base;
  copy_searched(of, settings);
  return settings;
}

// Rings large enough that the mutex is rarely taken and small enough for the caches, with buffers
// of one to four rings; then every wait, then the article's own rungs.
std::vector<Settings> TuneSpace::guesses() const {
  const Settings best = searched_knobs_of(article_presets().back().settings);
  std::vector<Settings> list;
  const auto add = [&](const Guess& guess, uint64_t pipe_bytes, uint64_t times) {
    Settings s = best;
    knob("wait").set(s, guess.wait);
    knob("placement").set(s, guess.placement);
    s.pipe.pipe_size = pipe_bytes;
    s.pipe.buf_size = std::min(times * pipe_bytes, kMaxBufBytes);
    list.push_back(s);
  };
  const std::vector<uint64_t> pipes = likely_pipes(options_.machine.pipe_max_bytes);
  for (const uint64_t pipe : std::span(pipes).first(std::min<size_t>(3, pipes.size())))
    for (const Guess& guess : std::span(kGuesses).first(2)) add(guess, pipe, 2);
  for (const std::string& wait : values_of(knob("wait"), 0))
    add({wait.c_str(), "near"}, pipes.front(), 2);
  list.push_back(best);
  const bool usable = std::ranges::none_of(
      kLeftOut, [&](const auto& out) { return knob(out.first).get(options_.base) == out.second; });
  if (usable) list.push_back(options_.base);
  for (const uint64_t times : {2, 4, 1})
    for (const uint64_t pipe : pipes)
      for (const Guess& guess : kGuesses) add(guess, pipe, times);
  for (const Preset& rung : article_presets()) list.push_back(searched_knobs_of(rung.settings));
  return list;
}

std::vector<Settings> TuneSpace::candidates(size_t count, std::mt19937_64& random) const {
  std::vector<Settings> list;
  const size_t sample = count / 3;
  const auto add = [&](Settings s) {
    if (options_.fixed) options_.fixed(s);
    add_distinct(list, as_planned(s));
  };
  for (const Settings& guess : guesses())
    if (list.size() < count - sample) add(guess);
  // A Latin sample: each value of a knob equally often.
  std::vector<Settings> rows(sample, options_.base);
  for (const TuneKnob& k : knobs_) {
    std::vector<size_t> column(sample);
    for (size_t row = 0; row < sample; ++row) column[row] = row % k.values.size();
    std::ranges::shuffle(column, random);
    for (size_t row = 0; row < sample; ++row) k.knob->set(rows[row], k.values[column[row]]);
  }
  std::ranges::for_each(rows, add);
  return list;
}

std::vector<TuneMove> TuneSpace::moves(const Settings& from) const {
  std::vector<TuneMove> moves;
  std::vector<Settings> known = {from};
  for (const TuneKnob& k : knobs_) {
    const std::string now = k.knob->get(from);
    for (const std::string& value : k.values) {
      const bool next = !k.ordered() || (parse_size(value) >= parse_size(now) / 2 &&
                                         parse_size(value) <= parse_size(now) * 2);
      Settings s = from;
      k.knob->set(s, value);
      if (options_.fixed) options_.fixed(s);
      s = as_planned(s);
      const bool had = k.knob->get(s) == value;  // it may have fallen back
      if (!next || !had || std::ranges::find(known, s) != known.end()) continue;
      known.push_back(s);
      moves.push_back({std::string(k.knob->name), value, k.ordered(), s});
    }
  }
  return moves;
}

std::vector<Settings> TuneSpace::diagonal_moves(const Settings& from) const {
  std::vector<Settings> moves;
  for (const TuneMove& pipe : this->moves(from)) {
    if (pipe.knob != "pipe_size") continue;
    for (const TuneMove& buf : this->moves(pipe.settings))
      if (buf.knob == "buf_size") add_distinct(moves, buf.settings);
  }
  return moves;
}

std::string searched_mismatch(const Settings& asked, const Effective& effective) {
  for (const std::string_view name : kSearched) {
    if (knob(name).get(asked) == knob(name).get(effective.settings)) continue;
    const auto said = std::ranges::find(effective.mismatches, name, &Mismatch::knob);
    return fmt::format("{} {}: {}", name, knob(name).get(asked),
                       said == effective.mismatches.end() ? "not in effect" : said->reason);
  }
  return {};
}

}  // namespace pipetop

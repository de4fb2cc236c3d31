#include "tui/flags/knob_flags.h"

#include <fmt/core.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/experiment/sweep.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "tui/flags/flag_values.h"

namespace pipetop::tui {
namespace {

constexpr const char* kKnobGroup = "Knobs";
constexpr const char* kArticleGroup = "The article's spellings";

void set_knob(const Knob& knob, const std::string& value, Settings& settings) {
  if (workload_of(knob) != settings.workload)
    throw Error(fmt::format("--{} needs workload: {}, this is {}: use a config with that workload",
                            knob.name, terms_of(workload_of(knob)).name, terms_of(settings).name));
  try {
    knob.set(settings, value);
  } catch (const Error& e) {
    throw Error(fmt::format("--{}: {}", knob.name, e.what()));
  }
}

std::string value_name(const Knob& knob) {
  switch (knob.kind) {
    case KnobKind::size:
      return "SIZE";
    case KnobKind::cpu:
      return "CPU";
    case KnobKind::number:
      return "N|N..M";
    case KnobKind::boolean:
      return "[true|false]";
    case KnobKind::choice:
      break;
  }
  return alternatives(knob.values);
}

// A boolean flag needs no value.
void add_knob(const FlagSet& flags, const Knob& knob, CommandLine& line) {
  const std::string flag = "--" + std::string(knob.name);
  const auto note = [&knob, &line, flag](const std::string& text) {
    if (names_several(knob, text)) {
      line.sweep = {&knob, text};
      return;
    }
    const std::string value = text.empty() ? "true" : text;
    line.knobs.push_back(
        {flag + " " + value, [&knob, value](Settings& s) { set_knob(knob, value, s); }});
  };
  flags.add({.names = flag,
             .value_type = value_name(knob),
             .help = std::string(knob.help),
             .group = kKnobGroup,
             .value_is_optional = knob.kind == KnobKind::boolean,
             .in_typed_order = true},
            note);
}

void add_bare_flag(const FlagSet& flags, const std::string& flag, const std::string& help,
                   std::vector<KnobFlag>& typed, std::function<void(Settings&)> apply) {
  const auto note = [flag, &typed, apply = std::move(apply)](const std::string&) {
    typed.push_back({flag, apply});
  };
  flags.add({.names = flag,
             .value_type = "",
             .help = help,
             .group = kArticleGroup,
             .in_typed_order = true},
            note);
}

// Its gift, lock_memory and check_huge_page are knobs of the same name.
void add_article_flag(const FlagSet& flags, const Knob& knob, std::vector<KnobFlag>& typed) {
  if (knob.article.flag.empty() || knob.article.flag == knob.name) return;
  const std::string value(knob.article.value);
  add_bare_flag(flags, "--" + std::string(knob.article.flag),
                fmt::format("--{} {}", knob.name, value), typed,
                [&knob, value](Settings& s) { set_knob(knob, value, s); });
}

// The article's two flags are combined into the knob `wait`.
void add_wait_flag(const FlagSet& flags, const char* flag, const char* help, Wait alone, Wait other,
                   std::vector<KnobFlag>& typed) {
  add_bare_flag(flags, flag, help, typed, [alone, other](Settings& s) {
    for (Wait* wait : {&s.pipe.writer_wait, &s.pipe.reader_wait})
      *wait = *wait == other || *wait == Wait::busy_poll ? Wait::busy_poll : alone;
  });
}

}  // namespace

void add_knob_flags(const FlagSet& flags, CommandLine& line) {
  std::vector<KnobFlag>& typed = line.knobs;
  for (const Knob& knob : knobs()) add_knob(flags, knob, line);
  for (const Knob& knob : knobs()) add_article_flag(flags, knob, typed);
  add_wait_flag(flags, "--busy_loop", "--wait busy; with --poll: busy_poll", Wait::busy, Wait::poll,
                typed);
  add_wait_flag(flags, "--poll", "--wait poll; with --busy_loop: busy_poll", Wait::poll, Wait::busy,
                typed);
}

}  // namespace pipetop::tui

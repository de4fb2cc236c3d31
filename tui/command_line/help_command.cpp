#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "engine/judge/glossary.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/source.h"
#include "tui/dashboard/talk.h"
#include "tui/flags/command_line.h"
#include "tui/manual/manual.h"
#include "tui/print/human_text.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

// A command's title is only its name.
std::string line_about(const EmbeddedText& topic, const CommandList& list) {
  const ListedCommand* command = find_command(list, topic.name);
  return command ? command->help : std::string(title_of(topic));
}

std::string topics_text() {
  const CommandList commands = list_commands();
  Block list{Block::Kind::rows, {}, {}}, pages = list;
  for (const EmbeddedText& text : manual()) {
    if (is_page(text))
      pages.rows.push_back({std::string(text.name), "the man page, for man -l -"});
    else
      list.rows.push_back({std::string(text.name), line_about(text, commands)});
  }
  const Block first{Block::Kind::paragraph, "pipetop help TOPIC prints one of these topics:", {}};
  const Block middle{Block::Kind::paragraph, "pipetop help pipetop prints all of them.", {}};
  const Block blocks[] = {first, list, middle, pages};
  return plain_text(blocks);
}

using Rows = std::vector<Row>;

constexpr size_t kWidestTerm = 76;  // where it is a list

// ---- flags ------------------------------------------------------------------

// "-c, --config FILE"
std::string flag_term(const ListedFlag& flag) {
  const std::string names = fmt::format("{}", fmt::join(flag.names, ", "));
  return names.empty() || flag.value.empty() ? names + flag.value : names + ' ' + flag.value;
}

// The flags of a command; for "article" the article's spellings; for "" the globals but for these
// and the knobs.
Rows rows_of_flags(std::string_view whose) {
  const CommandList list = list_commands();
  const ListedCommand* command = find_command(list, whose);
  if (!command && !whose.empty() && whose != "article")
    throw Error(fmt::format("there is no command {}", whose));
  const std::string_view group = whose == "article" ? kArticleGroup : kCommonGroup;
  Rows rows;
  for (const ListedFlag& flag : command ? command->flags : list.globals) {
    const bool is_help = std::ranges::find(flag.names, "--help") != flag.names.end();
    if (flag.group == group && !(command && is_help))  // it is global
      rows.push_back({flag_term(flag), flag.help});
  }
  return rows;
}

template <class Range, class ToRow>
Rows rows_of(const Range& range, ToRow to_row) {
  Rows rows;
  std::ranges::transform(range, std::back_inserter(rows), to_row);
  return rows;
}

Rows command_rows(std::string_view) {
  return rows_of(list_commands().commands, [](const ListedCommand& command) {
    return Row{command.name, command.help};
  });
}

Rows exit_rows(std::string_view) {
  return rows_of(kExitCodes, [](const ExitCode& exit) {
    return Row{std::string(exit.code), std::string(exit.help)};
  });
}

// ---- knobs ------------------------------------------------------------------

const WorkloadEntry& workload_named(std::string_view name) {
  for (const WorkloadEntry& entry : workloads())
    if (entry.terms.name == name) return entry;
  throw Error(fmt::format("there is no workload {}", name));
}

std::string keys_of(const Knob& knob, WorkloadKind kind) {
  std::string keys;
  for (const HotKey& hot : hot_keys(kind))
    if (hot.knob == knob.name) keys += std::string(" ") + hot.key;
  return keys;
}

// "(default write, key v)"
std::string knob_text(const Knob& knob, WorkloadKind kind) {
  const std::string value = knob.get(default_config(kind).settings);
  const std::string keys = keys_of(knob, kind);
  std::string more = value.empty() ? "" : "default " + value;
  if (!keys.empty()) more += fmt::format("{}key{}", more.empty() ? "" : ", ", keys);
  return fmt::format("{}{}", knob.help, more.empty() ? "" : fmt::format(" ({})", more));
}

Rows knob_rows(std::string_view workload) {
  const CommandList list = list_commands();
  const WorkloadKind kind = workload_named(workload).kind;
  return rows_of(knobs_of(kind), [&](const Knob& knob) {
    const ListedFlag* flag = find_flag(list.globals, "--" + std::string(knob.name));
    return Row{flag_term(*flag), knob_text(knob, kind)};
  });
}

Rows config_knob_rows(std::string_view workload) {
  const WorkloadKind kind = workload_named(workload).kind;
  return rows_of(knobs_of(kind), [kind](const Knob& knob) {
    const std::string values = knob.values.empty() ? "" : ": " + join_choices(knob.values);
    return Row{std::string(knob.name) + values, knob_text(knob, kind)};
  });
}

template <std::span<const ScreenKey> (*kLines)()>
Rows screen_rows(std::string_view) {
  return rows_of(kLines(), [](const ScreenKey& line) {
    return Row{std::string(line.keys), std::string(line.help)};
  });
}

// Adjacent keys of one knob share a row, unless each has its own help.
Rows key_rows(std::string_view workload) {
  Rows rows;
  std::string_view last;
  for (const HotKey& hot : hot_keys(workload_named(workload).kind)) {
    if (!hot.help.empty()) {
      last = {};
      rows.push_back({std::string(1, hot.key), fmt::format("{}: {}", hot.knob, hot.help)});
      continue;
    }
    if (hot.knob == last) {
      rows.back().term += std::string(" ") + hot.key;
      continue;
    }
    last = hot.knob;
    rows.push_back({std::string(1, hot.key), fmt::format("{}: {}", hot.knob, knob(last).help)});
  }
  return rows;
}

Rows preset_rows(std::string_view workload) {
  Rows rows;
  for (const Preset& preset : workload_named(workload).presets()) {
    std::string text = fmt::format("{} (key {}", preset.title, rows.size() + 1);
    if (preset.article_gib_per_s > 0)
      text += fmt::format(", article: {} GiB/s", preset.article_gib_per_s);
    rows.push_back({preset.name, text + "): " + changed_knobs(preset.settings)});
  }
  return rows;
}

Rows workload_rows(std::string_view) {
  return rows_of(workloads(), [](const WorkloadEntry& entry) {
    return Row{std::string(entry.terms.name),
               fmt::format("{}, in {}", entry.terms.help, entry.terms.unit.rate)};
  });
}

// Names of one function in several kernels share a row, as far as it is wide.
Rows function_rows(std::string_view) {
  Rows rows;
  for (const KnownFunction& function : glossary()) {
    if (!rows.empty() && rows.back().text == function.does &&
        rows.back().term.size() + function.name.size() + 2 <= kWidestTerm)
      rows.back().term += fmt::format(", {}", function.name);
    else
      rows.push_back({std::string(function.name), std::string(function.does)});
  }
  return rows;
}

// Commands with the same capabilities share a row, as far as it is wide.
Rows privilege_rows(std::string_view) {
  Rows rows;
  for (const CommandRow& privileges : command_table()) {
    if (privileges.name == kCompleteWords) continue;
    const std::string text = privileges_text(privileges);
    const auto same = std::ranges::find_if(rows, [&](const Row& row) {
      return row.text == text && row.term.size() + privileges.name.size() + 2 <= kWidestTerm;
    });
    if (same == rows.end())
      rows.push_back({std::string(privileges.name), text});
    else
      same->term += fmt::format(", {}", privileges.name);
  }
  return rows;
}

struct TableEntry {
  std::string_view name;  // "knobs" of "knobs pipe"
  Rows (*rows)(std::string_view argument);
};

constexpr TableEntry kTables[] = {
    {"flags", rows_of_flags},
    {"commands", command_rows},
    {"exit-status", exit_rows},
    {"screen-keys", screen_rows<screen_keys>},
    {"workloads", workload_rows},
    {"knobs", knob_rows},
    {"config-knobs", config_knob_rows},
    {"keys", key_rows},
    {"presets", preset_rows},
    {"words", screen_rows<words>},
    {"functions", function_rows},
    {"replay-keys", screen_rows<replay_keys>},
    {"talk-keys", screen_rows<talk_keys>},
    {"privileges", privilege_rows},
};

Rows rows_named(std::string_view name) {
  const size_t end = std::min(name.find(' '), name.size());
  const auto table = std::ranges::find(kTables, name.substr(0, end), &TableEntry::name);
  if (table == std::end(kTables)) throw Error(fmt::format("the manual has no table \"{}\"", name));
  return table->rows(name.substr(std::min(end + 1, name.size())));
}

std::string output_of(std::string_view name) {
  if (name != "--default-config") throw Error(fmt::format("the manual shows no \"{}\"", name));
  return default_config_yaml();
}

}  // namespace

std::string help_text(const std::string& topic) {
  if (topic.empty()) return topics_text();
  const EmbeddedText& text = find_text(topic);
  const std::vector<Block> blocks = parse_manual(text.text, {rows_named, output_of});
  const bool wants_roff = is_page(text) && text.name == topic;
  return wants_roff
             ? roff(blocks, text.name, PIPETOP_MANUAL_DATE, "pipetop " + std::string(kVersion))
             : plain_text(blocks);
}

}  // namespace pipetop::tui

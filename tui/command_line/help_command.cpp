#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "engine/registry/knobs.h"
#include "engine/registry/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/dashboard/keymap.h"
#include "tui/flags/command_line.h"
#include "tui/manual/manual.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

// A command's title is only its name.
std::string line_about(const EmbeddedText& topic, const CommandList& list) {
  const auto command = std::ranges::find(list.commands, topic.name, &ListedCommand::name);
  return command == list.commands.end() ? std::string(title_of(topic)) : command->help;
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

PageHeader header_of(std::string_view page) {
  return {.name = name_of_page(page),
          .section = page.back(),
          .date = PIPETOP_MANUAL_DATE,
          .version = "pipetop " + std::string(kVersion)};
}

using Rows = std::vector<Row>;

// ---- flags ------------------------------------------------------------------

// "-c, --config FILE"
std::string flag_term(const ListedFlag& flag) {
  std::vector<std::string> words = flag.names;
  std::ranges::stable_sort(words, {},
                           [](const std::string& word) { return word.starts_with("--"); });
  std::string term;
  for (const std::string& name : words) term += (term.empty() ? "" : ", ") + name;
  if (flag.value.empty()) return term;
  return term + (term.empty() ? "" : " ") + flag.value;
}

bool is_knob(const ListedFlag& flag) {
  return std::ranges::any_of(flag.names, [](const std::string& name) {
    return name.starts_with("--") && find_knob(std::string_view(name).substr(2)) != nullptr;
  });
}

// Its help is its meaning.
bool is_articles(const ListedFlag& flag) { return !is_knob(flag) && flag.help.starts_with("--"); }

template <class Wanted>
Rows flag_rows(std::span<const ListedFlag> flags, Wanted wanted) {
  Rows rows;
  for (const ListedFlag& flag : flags)
    if (wanted(flag)) rows.push_back({flag_term(flag), flag.help});
  return rows;
}

Rows global_rows(std::string_view) {
  const auto plain = [](const ListedFlag& flag) { return !is_knob(flag) && !is_articles(flag); };
  return flag_rows(list_commands().globals, plain);
}

Rows article_rows(std::string_view) { return flag_rows(list_commands().globals, is_articles); }

Rows rows_of_command(std::string_view name) {
  const CommandList list = list_commands();
  const auto found = std::ranges::find(list.commands, name, &ListedCommand::name);
  if (found == list.commands.end()) throw Error(fmt::format("there is no command {}", name));
  return flag_rows(found->flags, [](const ListedFlag& flag) {
    return std::ranges::find(flag.names, "--help") == flag.names.end();  // it is global
  });
}

Rows command_rows(std::string_view) {
  Rows rows;
  for (const ListedCommand& command : list_commands().commands)
    rows.push_back({command.name, command.help});
  return rows;
}

Rows exit_rows(std::string_view) {
  Rows rows;
  for (const ExitCode& exit : kExitCodes)
    rows.push_back({std::string(exit.code), std::string(exit.help)});
  return rows;
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
  Rows rows;
  for (const Knob& knob : knobs_of(kind)) {
    const std::string flag = "--" + std::string(knob.name);
    for (const ListedFlag& listed : list.globals)
      if (std::ranges::find(listed.names, flag) != listed.names.end())
        rows.push_back({flag_term(listed), knob_text(knob, kind)});
  }
  return rows;
}

Rows config_knob_rows(std::string_view workload) {
  const WorkloadKind kind = workload_named(workload).kind;
  Rows rows;
  for (const Knob& knob : knobs_of(kind)) {
    std::string term(knob.name);
    if (!knob.values.empty()) term += ": " + join_choices(knob.values);
    rows.push_back({std::move(term), knob_text(knob, kind)});
  }
  return rows;
}

// Adjacent keys of one knob share a row.
Rows key_rows(std::string_view workload) {
  Rows rows;
  std::string_view last;
  for (const HotKey& hot : hot_keys(workload_named(workload).kind)) {
    if (hot.knob == last) {
      rows.back().term += std::string(" ") + hot.key;
      continue;
    }
    last = hot.knob;
    rows.push_back({std::string(1, hot.key), fmt::format("{}: {}", hot.knob, knob(last).help)});
  }
  return rows;
}

Rows screen_key_rows(std::string_view) {
  Rows rows;
  for (const ScreenKey& key : screen_keys())
    rows.push_back({std::string(key.keys), std::string(key.help)});
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
  Rows rows;
  for (const WorkloadEntry& entry : workloads())
    rows.push_back({std::string(entry.terms.name),
                    fmt::format("{}, in {}", entry.terms.help, entry.terms.unit.rate)});
  return rows;
}

struct TableEntry {
  std::string_view name;  // what comes before the argument
  Rows (*rows)(std::string_view argument);
};

constexpr TableEntry kTables[] = {
    {"flags", global_rows},     {"flags article", article_rows},  {"commands", command_rows},
    {"exit-status", exit_rows}, {"screen-keys", screen_key_rows}, {"workloads", workload_rows},
};
constexpr TableEntry kTablesOfOne[] = {
    {"flags", rows_of_command}, {"knobs", knob_rows},     {"config-knobs", config_knob_rows},
    {"keys", key_rows},         {"presets", preset_rows},
};

Rows rows_named(std::string_view name) {
  for (const TableEntry& table : kTables)
    if (table.name == name) return table.rows({});
  const size_t space = name.find(' ');
  for (const TableEntry& table : kTablesOfOne)
    if (table.name == name.substr(0, space) && space != name.npos)
      return table.rows(name.substr(space + 1));
  throw Error(fmt::format("the manual has no table \"{}\"", name));
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
  return wants_roff ? roff(blocks, header_of(text.name)) : plain_text(blocks);
}

}  // namespace pipetop::tui

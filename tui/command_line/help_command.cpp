#include <algorithm>

#include "engine/base/version.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/help_tables.h"
#include "tui/flags/command_list.h"
#include "tui/manual/markup.h"
#include "tui/manual/topics.h"
#include "tui/manual/writers.h"

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

}  // namespace

std::string help_text(const std::string& topic) {
  if (topic.empty()) return topics_text();
  const EmbeddedText& text = find_text(topic);
  const std::vector<Block> blocks = parse_manual(text.text, help_tables());
  const bool wants_roff = is_page(text) && text.name == topic;
  return wants_roff ? roff(blocks, header_of(text.name)) : plain_text(blocks);
}

}  // namespace pipetop::tui

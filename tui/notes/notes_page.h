// What a talk tells its speaker: one line of text for each change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop::tui {

struct NotesPage {
  uint32_t scene = 0, scenes = 0;  // its number from 1, and how many there are
  std::string title, notes;
  std::string next;                       // the next scene's title, "" for none
  uint64_t begun_ns = 0, entered_ns = 0;  // the talk, the scene; CLOCK_MONOTONIC
  bool operator==(const NotesPage&) const = default;
};

std::string notes_line(const NotesPage& page);  // with its line feed

// Nothing if it is not such a line.
std::optional<NotesPage> parse_notes(std::string_view line);

}  // namespace pipetop::tui

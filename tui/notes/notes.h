// What a talk tells its speaker, one line of text for each change, and the socket between the talk
// and the notes. It belongs to the user, also under sudo, and nobody else can connect. The talk
// never waits for a reader.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/handles.h"
#include "engine/config/config.h"
#include "engine/process/privileges.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// What a scene expects, and what is so.
struct NotesCheck {
  std::string expected;  // "ratio_to_previous >= 1.5"
  std::string against;   // why it doesn't hold, "" if it does
  bool operator==(const NotesCheck&) const = default;
};

struct NotesPage {
  uint32_t scene = 0, scenes = 0;  // its number from 1, and how many there are
  std::string title, notes;
  std::string next, next_caption;         // of the next scene, "" for none
  uint64_t begun_ns = 0, entered_ns = 0;  // the talk, the scene; CLOCK_MONOTONIC
  uint64_t planned_ns = 0;                // for the scene; 0: there is no plan
  uint64_t after_ns = 0;                  // planned for the scenes after it
  bool black = false;                     // the audience sees nothing
  bool recorded = false;                  // it sees a recording
  std::vector<NotesCheck> checks = {};    // once the scene has settled
  std::string otherwise = {};             // what to say if one of them does not hold
  bool operator==(const NotesPage&) const = default;
};

std::string notes_line(const NotesPage& page);  // JSON, with its line feed

// Nothing if it is not such a line.
std::optional<NotesPage> parse_notes(std::string_view line);

// Whose notes they are: the user who called sudo, else ourselves.
User notes_owner();

// Where the socket may be, the best place first: $XDG_RUNTIME_DIR (`runtime`, nullptr or "" if it
// is not set), the user's own of systemd, a private directory in `temporary`.
std::vector<std::string> notes_directories(const char* runtime, uid_t uid,
                                           const std::string& temporary = "/tmp");
// As this process is to look for them.
std::vector<std::string> notes_directories();

class NotesServer {
 public:
  // In the first of `directories` that is the owner's; the last one is made if it does not exist.
  // Throws Error if there is no place for it, or another talk has it.
  NotesServer(const std::vector<std::string>& directories, const User& owner);
  ~NotesServer();
  NotesServer(const NotesServer&) = delete;
  NotesServer& operator=(const NotesServer&) = delete;

  const std::string& path() const { return path_; }
  size_t readers() const { return readers_.size(); }

  // Takes new readers, and tells all of them what is new to them. Returns at once: a reader that
  // has not read what it was told is dropped.
  void serve(const NotesPage& page);

 private:
  void accept_readers();

  User owner_;
  std::string path_;
  UniqueFd listening_;
  struct Reader {
    UniqueFd fd;
    bool up_to_date = false;
  };
  std::vector<Reader> readers_;
  NotesPage page_;
  std::string line_;
};

class NotesReader {
 public:
  // Reads what there is, and looks for a talk of that user if there is none. False if there is
  // none.
  bool update(const std::vector<std::string>& directories, uid_t uid);

  bool connected() const { return static_cast<bool>(fd_); }
  // The last that was told, also when the talk has ended.
  const std::optional<NotesPage>& page() const { return page_; }

 private:
  void read_lines();

  UniqueFd fd_;
  std::string text_;  // the beginning of a line
  std::optional<NotesPage> page_;
};

// `pipetop notes`: shows them before the talk begins, while it goes on, and after its end, until
// the user quits. Returns the exit code, as run_dashboard() does. Throws Error if there is no
// terminal.
int run_notes(const Config& config);

struct NotesState {
  const std::optional<NotesPage>& page;  // the last one
  bool connected = false;                // to the talk
  uint64_t now_ns = 0;                   // CLOCK_MONOTONIC
  std::string_view clock;                // "14:05:09"
};

void draw_notes(Canvas& canvas, const NotesState& view);

}  // namespace pipetop::tui

// The command line as values, and its commands and flags as --help shows them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/config/config.h"
#include "engine/experiment/trial.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/watch/until_condition.h"
#include "tui/print/document.h"
#include "tui/view/progress.h"
#include "tui/view/watched_files.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {

enum class Command {
  dashboard,
  run,
  watch,
  view,
  ladder,
  tune,
  limits,
  doctor,
  shot,
  presets,
  replay,
  present,
  rehearse,
  notes,
  compare,
  exporter,
  completion,
  complete_words,  // for the scripts of `completion`, not shown in help
  manual,
  default_config,
  help,
  version
};

// One knob flag. They are applied in the order given.
struct KnobFlag {
  std::string text;  // "--buf_size 4K", for messages
  std::function<void(Settings&)> apply;
};

struct RunRequest {
  TrialLength length{.warmup_ns = 300'000'000, .duration_ns = 0};  // 0: 5 s, or 2 s per value
  uint64_t interval_ns = 1'000'000'000;
  uint32_t rounds = 3;  // if several values are compared
  std::string output;   // "" is stdout
};

struct WatchRequest {
  std::string target;  // PID, PID:FD, or a FIFO's path; "" for the table of all pipes
  // What follows "--", untouched, also of `shot`; none: what runs already.
  std::vector<std::string> command;
  bool headless = false;                      // a result in place of the screen
  uint64_t duration_ns = 0, interval_ns = 0;  // 0: as long as is usual
  std::optional<UntilCondition> until;
  std::optional<bool> then_exit;  // when it is met; nothing: only if no command was started
  bool tree = false;              // what the target, a process, has started, too
  bool exact = false, quiet = false;
  bool put_back = false;           // puts back what was left changed, and watches nothing
  PipeSort sort = PipeSort::rate;  // this and the filter are for the table
  std::string filter;
  std::string output;  // "" is stdout, or stderr beside a command
};

// With the meaning of pv's flags.
struct ViewRequest {
  std::vector<std::string> files;  // one after the other; none, and "-": stdin
  std::optional<uint64_t> size;    // bytes that will come, or lines
  std::string size_of;             // as many as this file has; "" for none
  std::string pid_file;            // "" for none
  bool stop_at_size = false;
  uint64_t rate_limit = 0;        // bytes per second; 0: none
  uint64_t buffer_bytes = 0;      // 0: the usual one
  std::optional<char> separator;  // which are counted, in place of bytes
  bool numeric = false, quiet = false, force = false, no_splice = false, verbose = false;
  bool wait = false;    // until the first byte has come, no time passes
  ProgressParts parts;  // what is shown
  uint64_t interval_ns = 1'000'000'000;
  uint64_t delay_ns = 0;  // nothing is shown before
  uint32_t width = 0;     // columns; 0: as many as the terminal has
  std::string name;       // shown before the progress
  std::string format;     // of pv, in place of the parts; "" for none
  std::string output;     // "" is stdout
  bool bits = false, stats = false;
  bool cursor = false;  // a line of its own beside other views
  bool skips_errors = false;
  uint64_t skip_bytes = 0;                   // at once; 0: as is usual
  std::optional<pid_t> remote = {};          // the view that gets the other flags
  std::optional<WatchedDescriptor> watched;  // its files are shown, and nothing is moved
  uint32_t height = 0;                       // rows; 0: as many as the terminal has
  uint64_t window_ns = 30'000'000'000;       // that the average and the ETA are of
};

struct LadderRequest {
  std::vector<std::string> rungs;  // names of presets; none: the article's seven
  uint32_t rounds = 5;
  TrialLength length;            // of every run
  std::optional<uint32_t> seed;  // none: a new one every time
  std::string csv, json, svg;    // the files' paths; "" for none, "-" for stdout
};

struct CompareRequest {
  std::vector<std::string> files;       // the first is what the others are compared with
  double least = 0.05;                  // a smaller difference is the same, 0 to 1
  std::optional<double> slower;         // of --fail-if-slower
  bool in_turns = false;                // the two `files` are commands to run
  uint64_t budget_ns = 60'000'000'000;  // for them
  std::string output, svg;              // "" is stdout, and no picture
};

struct ExportRequest {
  std::string listen = "127.0.0.1:9778";  // "" for none
  std::string textfile;                   // the file's path, "" for none
  uint64_t interval_ns = 5'000'000'000;   // between two passes
  std::optional<uint32_t> series;         // none: the config's
};

struct TuneRequest {
  uint64_t budget_ns = 60'000'000'000;
  std::string write;  // the config file to make, "" for none
  uint32_t seed = 1;
  bool may_raise_pipe_max = false;
};

struct ReplayRequest {
  std::string file;
  uint64_t at_ns = 0;  // where to begin
  bool info = false;   // instead of the screen
};

// The flags of present and rehearse.
struct TalkRequest {
  std::string config;        // a name or a path, "" for that of --config
  uint64_t auto_ns = 0;      // 0: only a key goes on
  uint64_t duration_ns = 0;  // of each scene of a rehearsal; 0: as it says itself
  uint32_t rounds = 1;       // of a rehearsal
  bool strict = false;       // a rehearsal fails where a scene doesn't get what it asks for
  std::string replay;        // the recording of a talk, in place of the machine; "" for none
  std::string fallback;      // the same, to switch to; "" for none
  std::string takes;         // "3:2,7:1": which takes of it; the others are the longest
  bool loop = false;
};

struct ShotRequest {
  int rows = 40, cols = 120;
  uint64_t after_ns = 0;         // 0: until all figures have settled
  std::string replay;            // a recording to draw instead, "" for none
  std::vector<uint64_t> at_ns;   // where in it; several: a film
  uint32_t scene = 0;            // of a recorded talk, from 1; 0: none
  std::string all_scenes;        // a directory for a picture of each of them, "" for none
  std::string watch;             // a pipeline to draw instead, as of WatchRequest; "" for none
  std::string keys;              // pressed before, "v s h"
  bool framed = false;           // with a window's title bar
  std::string output;            // "" is stdout
  std::optional<size_t> format;  // of picture_formats(); none: by the name of the output
};

struct CommandLine {
  Command command = Command::dashboard;
  std::string help;   // the text, when that is the command
  std::string topic;  // of the manual, "" for the list

  std::string config;  // a name or a path, "" for none
  std::string preset;  // "" for none
  std::vector<KnobFlag> knobs;
  // A knob with several values, "1..4" or "same,own".
  std::optional<std::pair<const Knob*, std::string>> sweep;
  std::optional<uint32_t> frequency_hz;
  std::string folded, segments, record;  // the files' paths, "" for none
  std::optional<BpfCounters> bpf_counters;
  std::optional<ThemeChoice> theme;
  std::optional<double> roof;  // of the dashboard, in GiB/s; 0: measured
  std::string against;         // of the dashboard: a stored result, "" for none
  bool no_color = false, no_unicode = false, no_bpf = false, no_summary = false;
  bool show = false;  // of the dashboard

  const Format* format = &formats().front();
  RunRequest run;
  WatchRequest watch;
  ViewRequest view;
  LadderRequest ladder;
  CompareRequest compare;
  ExportRequest exporter;
  TuneRequest tune;
  ReplayRequest replay;
  TalkRequest talk;
  ShotRequest shot;
  bool overhead = false;  // of doctor
  uint32_t overhead_rounds = 15;
  uint32_t limits_rounds = 9;
  std::string shell;               // of completion
  std::vector<std::string> words;  // of complete_words
};

// The hidden command that the completion scripts call, followed by the words typed so far.
inline constexpr const char* kCompleteWords = "complete-words";

// What follows "--" in `watch ... -- COMMAND ...`, and in `shot`; nothing without it.
std::optional<std::span<const std::string>> command_behind(std::span<const std::string> arguments);

// `arguments` do not include the program's name. Throws Error with one line that
// names the argument and the nearest valid one.
CommandLine parse_command_line(std::span<const std::string> arguments);

// Headings in --help.
inline constexpr const char* kCommonGroup = "Options";
inline constexpr const char* kKnobGroup = "Knobs";
inline constexpr const char* kArticleGroup = "The article's spellings";
inline constexpr const char* kHiddenGroup = "";  // in no list

struct ListedFlag {
  std::vector<std::string> names;  // "-c" and "--config"; none: a word without a flag
  std::string value;               // "FILE", "percpu|shared", ...; "" if it takes none
  bool value_optional = false;
  std::string help;
  std::string group;  // its heading
};

struct ListedCommand {
  std::string name;
  std::string help;
  std::vector<ListedFlag> flags;
};

struct CommandList {
  std::vector<ListedFlag> globals;  // valid with every command, and without one
  std::vector<ListedCommand> commands;
};

CommandList list_commands();

// nullptr if there is none of that name.
const ListedFlag* find_flag(std::span<const ListedFlag> flags, std::string_view name);
const ListedCommand* find_command(const CommandList& list, std::string_view name);

// The meaning of the exit status, for --help and the manual.
struct ExitCode {
  std::string_view code;  // "3", or "128+N"
  std::string_view help;
};

inline constexpr auto kExitCodes = std::to_array<ExitCode>({
    {"0", "ok"},
    {"1", "usage or bad config"},
    {"2", "a worker failed; view: a file could not be opened"},
    {"3", "a resource or permission was refused"},
    {"4", "the kernel lacks the feature; view: a file would be its own input"},
    {"7", "result untrustworthy"},
    {"8", "compare: slower than --fail-if-slower allows"},
    {"9", "watch: the condition of --until is met"},
    {"16", "view: reading or writing failed"},
    {"126", "the command to watch is not executable"},
    {"127", "the command to watch was not found"},
    {"128+N", "ended by signal N"},
});

}  // namespace pipetop::tui

#include <fmt/core.h>

#include <limits>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/experiment/ladder.h"
#include "engine/http/http_server.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/picture.h"
#include "tui/flags/flags.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

void set_knob(const Knob& knob, const std::string& value, Settings& settings) {
  if (!has_knob(settings, knob.name))
    throw Error(fmt::format("--{} needs workload: {}, this is {}: use a config with that workload",
                            knob.name, terms_of(workload_of(knob)).name, terms_of(settings).name));
  try {
    knob.set(settings, value);
  } catch (const Error& e) {
    throw Error(fmt::format("--{}: {}", knob.name, e.what()));
  }
}

// By KnobKind.
constexpr const char* kValueNames[] = {"", "[true|false]", "SIZE", "N|N..M", "CPU"};

std::string value_name(const Knob& knob) {
  return knob.kind == KnobKind::choice ? alternatives(knob.values)
                                       : kValueNames[static_cast<size_t>(knob.kind)];
}

// A boolean flag needs no value.
void add_knob(CLI::App& app, const Knob& knob, CommandLine& line) {
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
  const auto add = knob.kind == KnobKind::boolean ? add_optional_value : add_value;
  add(app, flag, value_name(knob), note, std::string(knob.help))
      ->group(kKnobGroup)
      ->trigger_on_parse();
}

void add_bare_flag(CLI::App& app, const std::string& flag, const std::string& help,
                   std::vector<KnobFlag>& typed, std::function<void(Settings&)> apply) {
  const auto note = [flag, &typed, apply = std::move(apply)] { typed.push_back({flag, apply}); };
  app.add_flag_callback(flag, note, help)->group(kArticleGroup)->trigger_on_parse();
}

// Its gift, lock_memory and check_huge_page are knobs of the same name.
void add_article_flag(CLI::App& app, const Knob& knob, std::vector<KnobFlag>& typed) {
  if (knob.article.flag.empty() || knob.article.flag == knob.name) return;
  const std::string value(knob.article.value);
  add_bare_flag(app, "--" + std::string(knob.article.flag),
                fmt::format("--{} {}", knob.name, value), typed,
                [&knob, value](Settings& s) { set_knob(knob, value, s); });
}

// The article's two flags are combined into the knob `wait`.
void add_wait_flag(CLI::App& app, const char* flag, const char* help, Wait alone, Wait other,
                   std::vector<KnobFlag>& typed) {
  add_bare_flag(app, flag, help, typed, [alone, other](Settings& s) {
    for (Wait* wait : {&s.pipe.writer_wait, &s.pipe.reader_wait})
      *wait = *wait == other || *wait == Wait::busy_poll ? Wait::busy_poll : alone;
  });
}

constexpr uint32_t kMaxSeed = std::numeric_limits<uint32_t>::max();

// With less there is no time for two trials per candidate.
constexpr uint64_t kLeastBudget_ns = 2'000'000'000;

void add_any_format(CLI::App& app, CommandLine& line) { add_format(app, line, Holds::any_result); }

void add_rounds(CLI::App& app, uint32_t& target, const std::string& help) {
  add_number(app, "--rounds", "N", target, 1, 1000, help);
}

// How long to measure.
void add_length(CLI::App& app, TrialLength& length, const std::string& duration_help,
                const std::string& warmup_help) {
  add_time(app, "--duration", length.duration_ns, 1, duration_help);
  const auto take_bytes = [&length](const std::string& text) {
    length.bytes = parsed("--bytes", text, parse_size);
    if (length.bytes == 0)
      throw Error(fmt::format("--bytes: \"{}\" moves nothing: give 1 or more", text));
  };
  add_value(app, "--bytes,--bytes_to_pipe", "SIZE", take_bytes,
            "measure until this much was read instead");
  add_time(app, "--warmup", length.warmup_ns, 0, warmup_help);
}

void add_run_flags(CLI::App& app, CommandLine& line) {
  RunRequest& run = line.run;
  add_length(app, run.length, "measure for this long (default 5s; 2s each for several values)",
             "warm-up, not measured (default 300ms)");
  add_time(app, "--interval", run.interval_ns, kMinInterval_ns,
           "print the rate this often (default 1s)");
  add_rounds(app, run.rounds, "rounds when several values are compared (default 3)");
  add_format(app, line, Holds::runs);
  app.add_flag_callback(
      "--csv", [&line] { line.format = &find_format("csv"); }, "--format csv");
  app.add_option("--output", run.output, "write to FILE instead of stdout")->type_name("FILE");
  app.add_flag_callback(
      "--verbose", [] {}, "accepted for the article's scripts; no effect");
}

void add_ladder_flags(CLI::App& app, CommandLine& line) {
  LadderRequest& ladder = line.ladder;
  add_value(
      app, "--rungs", "NAME,...",
      [&ladder](const std::string& text) { ladder.rungs = split(text, ','); },
      "presets to measure, compared with the first (default: the article's seven)");
  add_rounds(app, ladder.rounds, "measure every rung this often (default 5)");
  add_length(app, ladder.length, "measure for this long each time (default 1s)",
             "warm-up of each run, not measured (default 200ms)");
  add_number(app, "--seed", "N", ladder.seed, 0, kMaxSeed,
             "random seed of the rounds' orders (default: a new one each time)");
  add_file(app, "--csv", ladder.csv, "write one row per run to FILE, - for stdout");
  add_file(app, "--json", ladder.json, "write everything to FILE, - for stdout");
  add_file(app, "--svg", ladder.svg, "draw the chart to FILE, - for stdout");
}

void add_tune_flags(CLI::App& app, CommandLine& line) {
  add_time(app, "--budget", line.tune.budget_ns, kLeastBudget_ns,
           "search for this long (default 60s)");
  add_file(app, "--write", line.tune.write, "write a config file that starts with the winner");
  add_any_format(app, line);
  add_number(app, "--seed", "N", line.tune.seed, 0, kMaxSeed, "random seed (default 1)");
  app.add_flag("--allow-raise-pipe-max", line.tune.may_raise_pipe_max,
               "raise fs.pipe-max-size during the search, to try larger rings");
}

void add_limits_flags(CLI::App& app, CommandLine& line) {
  add_rounds(app, line.limits_rounds, "rounds of about a second over all steps (default 9)");
  add_any_format(app, line);
}

// "5%" or "5 %", as a share.
double percent_of(const std::string& flag, const std::string& text) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  number = number.substr(0, number.find_last_not_of(' ') + 1);
  const auto percent = parse_all<double>(number);
  if (!percent || *percent < 0.1 || *percent > 99)
    throw Error(fmt::format("{}: \"{}\" is no share: give for example 5%, 0.1 to 99", flag, text));
  return *percent / 100;
}

void add_compare_flags(CLI::App& app, CommandLine& line) {
  CompareRequest& compare = line.compare;
  app.add_option("file", compare.files,
                 "results that run, ladder, tune, limits or watch have written as JSON")
      ->type_name("OLD NEW ...");
  add_value(
      app, "--same", "PERCENT",
      [&compare](const std::string& text) { compare.least = percent_of("--same", text); },
      "what differs by less is the same (default 5%)");
  add_value(
      app, "--fail-if-slower", "PERCENT",
      [&compare](const std::string& text) {
        compare.slower = percent_of("--fail-if-slower", text);
      },
      "exit 8 if a rate is lower by more than this, 7 if it can't be told");
  app.add_flag("--interleave", compare.in_turns,
               "run two commands that print a result in turns, until they are told apart");
  add_time(app, "--budget", compare.budget_ns, 1'000'000'000,
           "run the two for at most this long (default 60s)");
  add_format(app, line, Holds::runs);
  add_file(app, "-o,--output", compare.output, "write to FILE instead of stdout");
  add_file(app, "--svg", compare.svg, "draw the ratios and their intervals to FILE");
}

void add_export_flags(CLI::App& app, CommandLine& line) {
  ExportRequest& request = line.exporter;
  add_value(
      app, "--listen", "ADDRESS:PORT",
      [&request](const std::string& text) {
        request.listen = text;
        parsed("--listen", text, parse_listen_address);
      },
      "answer GET /metrics there (default 127.0.0.1:9778, or nowhere with --textfile)");
  add_file(app, "--textfile", request.textfile,
           "write FILE.prom after each pass, for node_exporter's textfile collector");
  add_time(app, "--interval", request.interval_ns, 1'000'000'000,
           "look at all pipes this often, besides at each scrape (default 5s)");
  const auto take_series = [&request](const std::string& text) {
    request.series = number_of("--series", text, 1, kMostSeries);
  };
  add_value(app, "--series", "N", take_series,
            "at most this many series of pipes, of stages and of bottlenecks (default 200)");
  app.final_callback([&app, &request] {
    if (app.count("--textfile") > 0 && app.count("--listen") == 0) request.listen.clear();
  });
}

void add_doctor_flags(CLI::App& app, CommandLine& line) {
  add_any_format(app, line);
  app.add_flag("--overhead", line.overhead,
               "measure the cost of the observers, on the top rung and a blocking one");
  add_rounds(app, line.overhead_rounds, "rounds of --overhead (default 15)");
}

// "120x40": columns and rows, as people say them.
void take_size(const std::string& text, int& rows, int& cols) {
  constexpr uint32_t kMostRows = 600, kMostCols = 1600;  // as much as a terminal is drawn on
  const auto parts = split(text, 'x');
  if (parts.size() != 2)
    throw Error(fmt::format("--size: \"{}\" is no size: give COLUMNSxROWS, 100x30", text));
  cols = static_cast<int>(number_of("--size", parts[0], kMinCols, kMostCols));
  rows = static_cast<int>(number_of("--size", parts[1], kMinRows, kMostRows));
}

void add_size(CLI::App& app, int& rows, int& cols, const std::string& help) {
  const auto take = [&rows, &cols](const std::string& text) { take_size(text, rows, cols); };
  add_value(app, "--size", "COLSxROWS", take, help);
}

void add_replay_flags(CLI::App& app, CommandLine& line) {
  ReplayRequest& replay = line.replay;
  app.add_option("file", replay.file, "the recording")->type_name("FILE");
  add_time(app, "--at", replay.at_ns, 0, "begin there (default 0s)");
  app.add_flag("--info", replay.info, "print what it holds, without a screen");
  add_any_format(app, line);
}

// The config that has the scenes.
void add_talk(CLI::App& app, TalkRequest& talk) {
  app.add_option("talk", talk.config, "a config file with scenes, by path or by name")
      ->type_name("CONFIG");
}

constexpr uint64_t kLeastAuto_ns = 1'000'000'000;
constexpr uint64_t kLeastScene_ns = 500'000'000;

void add_present_flags(CLI::App& app, CommandLine& line) {
  TalkRequest& talk = line.talk;
  add_talk(app, talk);
  add_time(app, "--auto", talk.auto_ns, kLeastAuto_ns, "go on by itself after this long");
  app.add_flag("--loop", talk.loop, "begin again after the last scene; with --auto");
  add_file(app, "--replay", talk.replay, "show a recorded talk, scene by scene, without measuring");
  add_file(app, "--fallback", talk.fallback,
           "a recording of this talk: F switches to it, and back");
  add_value(
      app, "--take", "SCENE:N,...", [&talk](const std::string& takes) { talk.takes = takes; },
      "show the N-th take of a recorded scene (default: the longest)");
}

void add_rehearse_flags(CLI::App& app, CommandLine& line) {
  add_talk(app, line.talk);
  add_time(app, "--duration", line.talk.duration_ns, kLeastScene_ns,
           "measure each scene for this long (default: until it has settled)");
  add_rounds(app, line.talk.rounds, "go through all scenes this often, and say how they differ");
  app.add_flag("--strict", line.talk.strict,
               "fail where a scene asks for what isn't there: pages, a knob, a function");
  add_any_format(app, line);
}

void add_shot_flags(CLI::App& app, CommandLine& line) {
  ShotRequest& shot = line.shot;
  add_size(app, shot.rows, shot.cols, "size of the screen (default 120x40)");
  add_file(app, "--replay", shot.replay, "draw a moment of this recording instead of a new pipe");
  const auto take_at = [&shot](const std::string& text) {
    for (const std::string& one : split(text, ','))
      shot.at_ns.push_back(parsed("--at", one, parse_duration_ns));
  };
  add_value(app, "--at", "TIME", take_at,
            "which moment of --replay (default: its end); several, with commas, make a film");
  add_number(app, "--scene", "N", shot.scene, 1, 99,
             "draw this scene of a recorded talk, as the audience saw it");
  add_file(app, "--all-scenes", shot.all_scenes,
           "draw all scenes of a recorded talk into this directory");
  app.add_option("--watch", shot.watch,
                 "draw this pipeline, as pipetop watch does; or -- COMMAND, which is ended then")
      ->type_name("PID|PID:FD|FIFO");
  add_time(app, "--after", shot.after_ns, 1,
           "wait for this long (default: until the figures have settled)");
  add_value(
      app, "--keys", "\"KEY ...\"", [&shot](const std::string& keys) { shot.keys = keys; },
      "press these keys first, with blanks between; each change settles");
  app.add_flag("--frame", shot.framed, "draw a window's title bar above an SVG");
  std::vector<std::string_view> names;
  for (const PictureFormat& format : picture_formats()) names.push_back(format.name);
  add_choice(
      app, "--format", names, [&shot](size_t index) { shot.format = index; },
      "kind of picture (default: by the file's ending, else text)");
  add_file(app, "-o,--output", shot.output, "write to FILE.svg, FILE.txt or FILE.ans");
}

void add_completion_flags(CLI::App& app, CommandLine& line) {
  app.add_option("shell", line.shell, "the shell; to try it: source <(pipetop completion bash)")
      ->type_name("bash|zsh|fish");
}

void add_help_flags(CLI::App& app, CommandLine& line) {
  app.add_option("topic", line.topic, "a topic of the manual, or a command")->type_name("TOPIC");
}

// ---- the pipes of other programs --------------------------------------------

using namespace std::string_view_literals;

uint64_t whole_size(const std::string& flag, const std::string& text) {
  const uint64_t bytes = parsed(flag, text, parse_size);
  if (bytes == 0) throw Error(fmt::format("{}: must be 1 or more", flag));
  return bytes;
}

constexpr uint32_t kMostWidth = 10'000, kMostPid = 1 << 22;
constexpr uint64_t kMostBuffer = 1 << 30;

struct PartFlag {
  const char* names;
  bool ProgressParts::*part;
  const char* help;
};
constexpr PartFlag kPartFlags[] = {
    {"-p,--progress", &ProgressParts::bar,
     "show the bar and percent; with -terab only those given"},
    {"-t,--timer", &ProgressParts::timer, "show the time so far; with -n before each number"},
    {"-e,--eta", &ProgressParts::eta, "show how long it will still take"},
    {"-I,--fineta", &ProgressParts::end_time, "show the time of day when it will be done"},
    {"-r,--rate", &ProgressParts::rate, "show the rate"},
    {"-a,--average-rate", &ProgressParts::average, "show the rate since the beginning"},
    {"-b,--bytes", &ProgressParts::bytes, "show the bytes so far; with -n in place of percent"},
    {"-T,--buffer-percent", &ProgressParts::buffer,
     "show how much of the buffer is used; it copies then"},
};

void add_watch_flags(CLI::App& app, CommandLine& line) {
  WatchRequest& watch = line.watch;
  app.add_option("target", watch.target,
                 "the pipeline of a process, of one of its descriptors, or of a FIFO")
      ->type_name("PID|PID:FD|FIFO");
  app.add_flag_callback(
      "--once", [&watch] { watch.headless = true; }, "print what is seen in --duration, and end");
  add_format(app, line, Holds::intervals);
  add_time(app, "--duration", watch.duration_ns, kMinInterval_ns,
           "print what is seen in this time (default: --interval for all pipes, 3s for one "
           "pipeline; jsonl: until Ctrl-C)");
  add_time(app, "--interval", watch.interval_ns, kMinInterval_ns,
           "scan all pipes this often; print a line of jsonl this often (default 1s, on the "
           "screen 500ms)");
  add_value(
      app, "--until", "CONDITION",
      [&watch](const std::string& text) { watch.until = parsed("--until", text, parse_until); },
      "end with 9 when a pipe of the pipeline meets it: \"full > 90 % for 30s\"");
  add_choice(
      app, "--then", {"exit", "go-on"}, [&watch](size_t index) { watch.then_exit = index == 0; },
      "when --until is met: end, with a command by SIGTERM; or go on, and end with 9 (default: "
      "exit, go-on with a command)");
  app.add_flag("--tree", watch.tree,
               "all that the process has started, as a tree, with each pipeline in its place");
  app.add_flag("--exact", watch.exact,
               "count every byte, as root; all system calls of the machine take 0.2 to 0.3 us "
               "longer");
  add_choice(
      app, "--sort", {pipe_sort_names().begin(), pipe_sort_names().end()},
      [&watch](size_t index) { watch.sort = static_cast<PipeSort>(index); },
      "order of the table (default rate)");
  add_value(
      app, "--filter", "TEXT", [&watch](const std::string& text) { watch.filter = text; },
      "only pipes whose path, or whose processes' names, command lines, pids or cgroups contain "
      "TEXT");
  add_file(app, "--output", watch.output, "write to FILE instead of stdout");
  app.add_flag("--put-back", watch.put_back,
               "put back what a pipetop that has ended left changed in other processes, and end");
  app.add_flag("-q,--quiet", watch.quiet, "no summary after a command, and no notes");
  app.final_callback([&app, &line] {
    const bool starts_one = !line.watch.command.empty();  // its stdout isn't where results go
    for (const char* flag : {"--format", "--duration", "--output", "--until"})
      line.watch.headless |=
          app.count(flag) > 0 && !(starts_one && (flag == "--output"sv || flag == "--until"sv));
  });
}

// What pv has and this hasn't: a script that asks for it should not get something else.
struct RefusedFlag {
  const char *names, *value;  // "": it takes none
  const char* instead;
};
constexpr RefusedFlag kRefusedFlags[] = {
    {"-Y,--sync", "", "pass it on to dd conv=fsync, or sync after it"},
    {"-K,--direct-io", "", "dd has iflag=direct and oflag=direct"},
    {"-X,--discard", "", "redirect stdout: > /dev/null"},
    {"-U,--store-and-forward", "FILE", "sponge of moreutils keeps all before it passes it on"},
    {"-k,--si", "", "sizes are in powers of 1024, and say so: KiB"},
    {"-g,--gauge", "", "a bar needs the size: -s"},
    {"-u,--bar-style", "STYLE", "the bar has one style; -F moves it"},
    {"-x,--extra-display", "SPEC", "the progress goes to stderr alone"},
    {"-9,--conemu", "", "the progress goes to stderr alone"},
    {"-J,--pipe-buffer-size", "BYTES",
     "a pipe that a file goes into gets 256 KiB, others keep theirs"},
    {"-O,--sparse", "", "cp --sparse=always, or dd conv=sparse"},
    {"-Q,--query", "PID", "SIGUSR1 makes a view print how far it is"},
    {"-M,--monitor", "SIDE", "pipetop watch shows both sides of a pipe"},
};

void refuse_flags_of_pv(CLI::App& app) {
  for (const RefusedFlag& flag : kRefusedFlags) {
    const auto refuse = [&flag](const std::string&) {
      const std::string_view names = flag.names;
      throw Error(
          fmt::format("{} of pv is not here: {}", names.substr(names.find("--")), flag.instead));
    };
    const bool takes = *flag.value != '\0';
    (takes ? add_value : add_optional_value)(app, flag.names, flag.value, refuse, flag.instead)
        ->group(kHiddenGroup);
  }
}

void add_view_flags(CLI::App& app, CommandLine& line) {
  ViewRequest& view = line.view;
  app.add_option("file", view.files, "what to read instead of stdin, one after the other")
      ->type_name("FILE");
  const auto take_size = [&view](const std::string& text) {
    if (text.starts_with('@'))
      view.size_of = text.substr(1);
    else
      view.size = whole_size("--size", text);
  };
  add_value(
      app, "-s,--size", "SIZE|@FILE", take_size,
      "this many bytes will come, or as many as FILE has: for percent and ETA (a file that is "
      "read tells by itself)");
  app.add_flag("-S,--stop-at-size", view.stop_at_size, "stop after --size bytes");
  const auto take_limit = [&view](const std::string& text) {
    view.rate_limit = whole_size("--rate-limit", text);
  };
  add_value(app, "-L,--rate-limit", "SIZE", take_limit, "at most this many bytes per second");
  app.add_flag("-n,--numeric", view.numeric,
               "a number per line instead of a bar: percent, or bytes if the size is unknown");
  app.add_flag("-q,--quiet", view.quiet, "no progress");
  app.add_flag("-f,--force", view.force, "show progress even if stderr is no terminal");
  app.add_flag("-C,--no-splice", view.no_splice, "never splice, always copy");
  const auto take_buffer = [&view](const std::string& text) {
    view.buffer_bytes = whole_size("--buffer-size", text);
    if (view.buffer_bytes > kMostBuffer)
      throw Error(fmt::format("--buffer-size: \"{}\" is too large: give at most {}", text,
                              format_size(kMostBuffer)));
  };
  add_value(app, "-B,--buffer-size", "SIZE", take_buffer,
            "copy through a buffer of this size (default: splice, or 64KiB to 256KiB)");
  app.add_flag_callback(
      "-l,--line-mode", [&view] { view.separator = '\n'; }, "count lines instead of bytes");
  app.add_flag_callback(
      "-0,--null", [&view] { view.separator = '\0'; }, "count lines that end with a zero byte");
  app.add_flag("-v,--verbose", view.verbose,
               "say at the end how the bytes were moved, and why not better");
  add_time(app, "-i,--interval", view.interval_ns, kMinInterval_ns,
           "show progress this often (default 1s)");
  add_file(app, "-P,--pidfile", view.pid_file,
           "write the process id to FILE, and remove it at the end");
  add_value(
      app, "-N,--name", "TEXT", [&view](const std::string& text) { view.name = text; },
      "a name before the progress");
  for (const PartFlag& flag : kPartFlags)
    app.add_flag(flag.names, view.parts.*flag.part, flag.help);
  app.add_flag("-E,--skip-errors", view.skips_errors,
               "pass zeros on in place of what can't be read of a file");
  add_value(
      app, "-Z,--error-skip-block", "SIZE",
      [&view](const std::string& text) {
        view.skip_bytes = whole_size("--error-skip-block", text);
      },
      "with -E: skip so much at once (default: few bytes, and up to 512 if there are many errors)");
  add_value(
      app, "-R,--remote", "PID",
      [&view](const std::string& text) {
        view.remote = pid_t(number_of("--remote", text, 1, kMostPid));
      },
      "give a view that runs these flags: -L -F -N -s -i -w -p -t -e -I -r -a -b -A -T -8 -n -q");
  add_value(
      app, "-d,--watchfd", "PID[:FD]",
      [&view](const std::string& text) { view.watched = parsed("--watchfd", text, parse_watched); },
      "move nothing: show how far a process is in its files, or in this one");
  add_value(
      app, "-H,--height", "N",
      [&view](const std::string& text) {
        view.height = number_of("--height", text, 1, kMostWidth);
      },
      "this many rows at most, with -d (default: the terminal's)");
  add_value(
      app, "-A,--last-written", "N",
      [&view](const std::string& text) {
        view.parts.last = number_of("--last-written", text, 1, kMostWidth);
      },
      "show the N bytes that were written last; it copies then");
  add_value(
      app, "-F,--format", "FORMAT",
      [&view](const std::string& text) {
        formatted_line({}, text, 80, 0);  // throws
        view.format = text;
      },
      "show this: %p bar, %t timer, %e ETA, %I end, %r rate, %a average, %b bytes, %T buffer, %nA "
      "last bytes, %N name, %%");
  app.add_flag("-8,--bits", view.bits, "count bits in place of bytes");
  add_time(app, "-m,--average-rate-window", view.window_ns, kMinInterval_ns,
           "the ETA is by the rate of the last moments (default 30s)");
  app.add_flag("--stats", view.stats, "say at the end how fast it was, and how evenly");
  add_file(app, "-o,--output", view.output, "write to FILE instead of stdout");
  app.add_flag("-W,--wait", view.wait, "show nothing, and count no time, before the first byte");
  add_time(app, "-D,--delay-start", view.delay_ns, 0, "show nothing before this time has passed");
  const auto take_width = [&view](const std::string& text) {
    view.width = number_of("--width", text, 1, kMostWidth);
  };
  add_value(app, "-w,--width", "N", take_width, "this many columns (default: the terminal's)");
  app.add_flag("-c,--cursor", view.cursor,
               "a line for each view of a pipeline, which has this flag, too");
  refuse_flags_of_pv(app);
}

// ---- the table --------------------------------------------------------------

constexpr CommandEntry kCommands[] = {
    {Command::run, "run", "measure without a screen", add_run_flags},
    {Command::watch, "watch", "watch running pipelines and name the bottleneck", add_watch_flags},
    {Command::view, "view", "pass stdin or a file on to stdout, and show how far it is, as pv does",
     add_view_flags},
    {Command::ladder, "ladder", "compare the article's rungs", add_ladder_flags},
    {Command::tune, "tune", "find the fastest settings on this machine", add_tune_flags},
    {Command::limits, "limits", "measure each step's cost and the upper bound (roof)",
     add_limits_flags},
    {Command::doctor, "doctor", "check what works on this machine, and how to fix the rest",
     add_doctor_flags},
    {Command::shot, "shot", "draw the screen as a picture: SVG, text or escape sequences",
     add_shot_flags},
    {Command::presets, "presets", "list the presets", add_any_format},
    {Command::replay, "replay", "show a recording again, anywhere", add_replay_flags},
    {Command::present, "present", "give a talk: the scenes of a config, with the keys of a clicker",
     add_present_flags},
    {Command::rehearse, "rehearse",
     "run a talk without a screen and check each scene's expectations", add_rehearse_flags},
    {Command::notes, "notes", "show a talk's notes and its clock on a second terminal",
     [](CLI::App&, CommandLine&) {}},
    {Command::compare, "compare", "compare stored results, of one machine or of several",
     add_compare_flags},
    {Command::exporter, "export", "serve what all pipelines do to Prometheus", add_export_flags},
    {Command::completion, "completion", "print the completion script for a shell",
     add_completion_flags},
    {Command::manual, "help", "print a topic of the manual, or the list of topics", add_help_flags},
};

}  // namespace

std::span<const CommandEntry> command_entries() { return kCommands; }

void add_knob_flags(CLI::App& app, CommandLine& line) {
  std::vector<KnobFlag>& typed = line.knobs;
  for (const Knob& knob : knobs()) add_knob(app, knob, line);
  for (const Knob& knob : knobs()) add_article_flag(app, knob, typed);
  add_wait_flag(app, "--busy_loop", "--wait busy; with --poll: busy_poll", Wait::busy, Wait::poll,
                typed);
  add_wait_flag(app, "--poll", "--wait poll; with --busy_loop: busy_poll", Wait::poll, Wait::busy,
                typed);
}

}  // namespace pipetop::tui

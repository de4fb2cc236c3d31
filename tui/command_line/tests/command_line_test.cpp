#include "tui/flags/command_line.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/tests/typed.h"

namespace pipetop::tui {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

Settings settings_of(const std::string& text) {
  return resolve(parse(text), default_config(), nullptr).settings;
}

std::string command_line_error(const std::string& text) {
  return usage_error([&] { resolve(parse(text), default_config(), nullptr); });
}

TEST(CommandLine, NothingIsTheDashboardOnTheDefaults) {
  const CommandLine line = parse("");
  EXPECT_EQ(line.command, Command::dashboard);
  EXPECT_EQ(resolve(line, default_config(), nullptr).settings, Settings{});
}

TEST(CommandLine, EveryKnobIsAFlag) {
  for (const Knob& knob : knobs_of(WorkloadKind::pipe)) {
    for (const std::string_view value : knob.values) {
      const bool needs_another = knob.name == "check_huge_page" || knob.name == "single_step";
      if (value == "cpus" || needs_another) continue;  // not valid alone
      Settings expected;
      knob.set(expected, value);
      for (const char* form : {"--{} {}", "run --{}={}"}) {
        const std::string text = fmt::format(fmt::runtime(form), knob.name, value);
        EXPECT_EQ(settings_of(text), expected) << text;
      }
    }
  }
  EXPECT_EQ(settings_of("--buf_size 64K --pipe_size=1MiB").pipe.buf_size, 65536u);
  EXPECT_EQ(settings_of("--writer.cpu 0 --reader.cpu 1").pipe.reader_cpu, 1);
}

TEST(CommandLine, APresetMayBeGivenByItsNumber) {
  const auto presets = default_config().presets;
  EXPECT_EQ(settings_of("--preset 3"), presets[2].settings);
  EXPECT_EQ(settings_of("--preset 8"), settings_of("--preset hazard"));
  EXPECT_EQ(command_line_error("--preset 9"),
            "--preset: there is no preset 9: give 1 to 8, or a name");
  for (const char* bad : {"0", "99999999999999999999999"})
    EXPECT_NE(command_line_error(std::string("--preset ") + bad).find("give 1 to 8"),
              std::string::npos);
  EXPECT_NE(command_line_error("--preset 3rd").find("there is no preset \"3rd\""),
            std::string::npos);
  Config named = default_config();
  named.presets[6].name = "3";
  EXPECT_EQ(resolve(parse("--preset 3"), named, nullptr).settings, named.presets[6].settings)
      << "a name comes first";
}

TEST(CommandLine, TheSummaryCanBeTurnedOff) {
  EXPECT_TRUE(resolve(parse(""), default_config(), nullptr).summary);
  EXPECT_FALSE(resolve(parse("--no-summary"), default_config(), nullptr).summary);
}

TEST(CommandLine, BooleansMayStandAlone) {
  for (const char* text : {"--gift", "run --gift", "--gift run", "--gift true run", "--gift=on",
                           "run --gift --interval 1s", "run --interval 1s --gift"})
    EXPECT_TRUE(settings_of(text).pipe.gift) << text;
  EXPECT_EQ(parse("--gift run").command, Command::run);
  EXPECT_FALSE(settings_of("--gift --gift false").pipe.gift);
  EXPECT_FALSE(settings_of("--gift=off").pipe.gift);
}

TEST(CommandLine, TakesTheArticlesSpellings) {
  const Settings s = settings_of(
      "run --write_with_vmsplice --read_with_splice --huge_page --check_huge_page --gift "
      "--lock_memory --same_buffer --busy_loop --buf_size 131072 --bytes_to_pipe 1G --verbose");
  EXPECT_EQ(s.pipe.write_with, WriteWith::vmsplice);
  EXPECT_EQ(s.pipe.read_with, ReadWith::splice);
  EXPECT_EQ(s.pipe.pages, Pages::thp);
  EXPECT_TRUE(s.pipe.check_huge_page && s.pipe.gift && s.pipe.lock_memory);
  EXPECT_EQ(s.pipe.buffers, Buffers::same);
  EXPECT_EQ(s.pipe.writer_wait, Wait::busy);
  EXPECT_EQ(s.pipe.buf_size, 131072u);
  EXPECT_FALSE(settings_of("--dont_touch_pages").pipe.touch_pages);
  EXPECT_EQ(parse("run --bytes_to_pipe 1G").run.length.bytes, 1ull << 30);
  EXPECT_EQ(parse("run --csv").format->name, "csv");
}

TEST(CommandLine, BusyLoopAndPollCombine) {
  EXPECT_EQ(settings_of("--busy_loop").pipe.reader_wait, Wait::busy);
  EXPECT_EQ(settings_of("--poll").pipe.reader_wait, Wait::poll);
  EXPECT_EQ(settings_of("--poll --busy_loop").pipe.writer_wait, Wait::busy_poll);
  EXPECT_EQ(settings_of("--busy_loop --poll").pipe.reader_wait, Wait::busy_poll);
  EXPECT_EQ(settings_of("--busy_loop --poll --wait block").pipe.reader_wait, Wait::block);
}

TEST(CommandLine, LaterKnobsWin) {
  EXPECT_EQ(settings_of("--wait busy --writer.wait poll").pipe.writer_wait, Wait::poll);
  EXPECT_EQ(settings_of("--writer.wait poll --wait busy").pipe.writer_wait, Wait::busy);
  EXPECT_EQ(settings_of("--buf_size 4K run --buf_size 8K").pipe.buf_size, 8192u);
}

TEST(CommandLine, AFileToWriteHasAName) {
  EXPECT_EQ(parse("--folded out run").folded, "out");
  EXPECT_EQ(parse("run --folded=-").folded, "-");
  EXPECT_THROW(parse_command_line(std::vector<std::string>{"--folded", ""}), Error);
}

TEST(CommandLine, FileThenPresetThenKnobs) {
  Config file = default_config();
  file.preset = "vmsplice_read";
  file.settings = find_preset(file.presets, "vmsplice_read")->settings;
  file.settings.pipe.gift = true;
  file.frequency_hz = 99;
  EXPECT_TRUE(resolve(parse("run"), file, nullptr).settings.pipe.gift);
  const Config c = resolve(parse("--pages thp --preset vmsplice_splice"), file, nullptr);
  EXPECT_FALSE(c.settings.pipe.gift);
  EXPECT_EQ(c.settings.pipe.read_with, ReadWith::splice);
  EXPECT_EQ(c.settings.pipe.pages, Pages::thp);
  EXPECT_EQ(c.frequency_hz, 99u);
  file.settings.observers = Observing::off;
  const Config unwatched = resolve(parse("--preset vmsplice_splice"), file, nullptr);
  EXPECT_EQ(unwatched.settings.observers, Observing::off);
  EXPECT_EQ(name_of(unwatched), "vmsplice_splice");
  EXPECT_EQ(name_of(c), "vmsplice_splice_huge");
  EXPECT_EQ(resolve(parse("--frequency 4999"), file, nullptr).frequency_hz, 4999u);
  EXPECT_EQ(resolve(parse("--frequency auto"), file, nullptr).frequency_hz, 0u);
  EXPECT_EQ(name_of(resolve(parse("--gift"), default_config(), nullptr)), "custom");
}

TEST(CommandLine, ScreenAndColours) {
  Config file = default_config();
  EXPECT_EQ(resolve(parse(""), file, nullptr).color, Choice::automatic);
  EXPECT_EQ(resolve(parse(""), file, "").color, Choice::automatic);
  EXPECT_EQ(resolve(parse(""), file, "1").color, Choice::never);
  file.color = Choice::always;
  EXPECT_EQ(resolve(parse(""), file, "1").color, Choice::always);
  const Config c = resolve(parse("--no-color --no-unicode --no-bpf"), file, nullptr);
  EXPECT_EQ(c.color, Choice::never);
  EXPECT_EQ(c.unicode, Choice::never);
  EXPECT_EQ(c.bpf, BpfUse::off);
  file.theme = ThemeChoice::light;
  EXPECT_EQ(resolve(parse(""), file, nullptr).theme, ThemeChoice::light);
  EXPECT_EQ(resolve(parse("--theme auto"), file, nullptr).theme, ThemeChoice::automatic);
  EXPECT_EQ(resolve(parse("--theme high-contrast"), file, nullptr).theme,
            ThemeChoice::high_contrast);
}

TEST(CommandLine, ShotHasItsFlags) {
  const ShotRequest plain = parse("shot").shot;
  EXPECT_EQ(parse("shot").command, Command::shot);
  EXPECT_EQ(plain.cols, 120);
  EXPECT_EQ(plain.rows, 40);
  EXPECT_EQ(plain.after_ns, 0u);
  const CommandLine line = parse(
      "shot --size 160x45 --after 3s -o x.svg --theme light --roof 80 --preset vmsplice_read");
  EXPECT_EQ(line.shot.cols, 160);
  EXPECT_EQ(line.shot.rows, 45);
  EXPECT_EQ(line.shot.after_ns, 3'000'000'000u);
  EXPECT_EQ(line.shot.output, "x.svg");
  EXPECT_EQ(line.theme, ThemeChoice::light);
  EXPECT_EQ(line.preset, "vmsplice_read");
  EXPECT_EQ(parse_command_line(std::vector<std::string>{"shot", "--keys", "v s Tab"}).shot.keys,
            "v s Tab");
}

TEST(CommandLine, APicturesKindIsItsEndingOrNamed) {
  const auto name = [](const char* text) { return picture_format(parse(text).shot).name; };
  EXPECT_EQ(name("shot"), "text");
  EXPECT_EQ(name("shot -o -"), "text");
  EXPECT_EQ(name("shot -o x.svg"), "svg");
  EXPECT_EQ(name("shot -o dir.d/x"), "text");
  EXPECT_EQ(name("shot -o x.txt"), "text");
  EXPECT_EQ(name("shot -o x.ans"), "ansi");
  EXPECT_EQ(name("shot -o x.txt --format svg"), "svg");
}

TEST(CommandLine, GlobalsStandBeforeOrAfterTheCommand) {
  for (const char* text :
       {"-c f --preset x --no-bpf --segments s run", "run -c f --preset x --no-bpf --segments=s",
        "--config=f run --no-bpf --preset=x --segments s"}) {
    const CommandLine line = parse(text);
    EXPECT_EQ(line.command, Command::run) << text;
    EXPECT_EQ(line.config, "f") << text;
    EXPECT_EQ(line.preset, "x") << text;
    EXPECT_EQ(line.segments, "s") << text;
    EXPECT_TRUE(line.no_bpf) << text;
  }
}

TEST(CommandLine, RunTakesTimesSizesAndFormats) {
  const CommandLine line =
      parse("run --duration 500ms --warmup 0 --interval 2s --format jsonl --output f");
  EXPECT_EQ(line.run.length.duration_ns, 500'000'000u);
  EXPECT_EQ(line.run.length.warmup_ns, 0u);
  EXPECT_EQ(line.run.interval_ns, 2'000'000'000u);
  EXPECT_EQ(line.format->name, "jsonl");
  EXPECT_EQ(line.run.output, "f");
  EXPECT_EQ(parse("run --bytes 10GiB").run.length.bytes, 10ull << 30);
  EXPECT_EQ(parse("run").run.length.duration_ns, 0u);
  EXPECT_EQ(parse("limits").limits_rounds, 9u);
  EXPECT_EQ(parse("limits --rounds 3").limits_rounds, 3u);
  EXPECT_EQ(parse("doctor --format json").format->name, "json");
  EXPECT_FALSE(parse("doctor").overhead);
  EXPECT_TRUE(parse("doctor --overhead --rounds 3").overhead);
  EXPECT_EQ(parse("doctor --overhead --rounds 3").overhead_rounds, 3);
}

TEST(CommandLine, TheRoofIsGivenOrMeasured) {
  EXPECT_FALSE(parse("--preset write_read").roof);
  EXPECT_FALSE(parse("--preset write_read").show);
  EXPECT_TRUE(parse("--show").show);
  EXPECT_TRUE(parse("--stage").show) << "as it was called first";
  EXPECT_EQ(parse("--roof 84.5").roof, 84.5);
  EXPECT_EQ(parse("--roof --no-color").roof, 0) << "to be measured";
}

TEST(CommandLine, HelpTakesATopicOrACommand) {
  for (const char* topic : {"", "keys", "ladder", "help"}) {
    const CommandLine line = parse(std::string("help ") + topic);
    EXPECT_EQ(line.command, Command::manual) << topic;
    EXPECT_EQ(line.topic, topic);
  }
  EXPECT_EQ(command_line_error("help keys knobs"),
            "unexpected argument \"knobs\": see pipetop help --help");
  EXPECT_EQ(command_line_error("ladder help"), "ladder and help are two commands: give one");
}

TEST(CommandLine, CommandsThatOnlyPrint) {
  EXPECT_EQ(parse("doctor").command, Command::doctor);
  EXPECT_EQ(parse("presets").command, Command::presets);
  EXPECT_EQ(parse("completion fish").shell, "fish");
  EXPECT_EQ(parse("--default-config").command, Command::default_config);
  EXPECT_EQ(parse("-V").command, Command::version);
  for (const char* text : {"-h", "--help", "run --help", "--preset x -h", "doctor -h"})
    EXPECT_EQ(parse(text).command, Command::help) << text;
  const std::string help = parse("--help").help;
  for (const Knob& knob : knobs_of(WorkloadKind::pipe))
    EXPECT_NE(help.find("--" + std::string(knob.name)), help.npos) << knob.name;
  EXPECT_NE(parse("run --help").help.find("--duration"), std::string::npos);
  EXPECT_TRUE(help.ends_with(
      "\nExit codes: 0 ok; 1 usage or bad config; 2 a worker failed; view: a file "
      "could\nnot be opened; 3 a resource or permission was refused; 4 the kernel lacks the\n"
      "feature; view: a file would be its own input; 7 result untrustworthy; 8 compare:\n"
      "slower than --fail-if-slower allows; 9 watch: the condition of --until is met;\n"
      "16 view: reading or writing failed; 126 the command to watch is not executable;\n"
      "127 the command to watch was not found; 128+N ended by signal N.\n"))
      << help;
}

TEST(CommandLine, TuneHasItsFlags) {
  const TuneRequest plain = parse("tune").tune;
  EXPECT_EQ(parse("tune").command, Command::tune);
  EXPECT_EQ(plain.budget_ns, 60'000'000'000u);
  EXPECT_FALSE(plain.may_raise_pipe_max);
  const CommandLine line = parse(
      "tune --budget 5s --seed 7 --write f.yaml --allow-raise-pipe-max --format json --wait busy");
  EXPECT_EQ(line.tune.budget_ns, 5'000'000'000u);
  EXPECT_EQ(line.tune.seed, 7u);
  EXPECT_EQ(line.tune.write, "f.yaml");
  EXPECT_TRUE(line.tune.may_raise_pipe_max);
  EXPECT_EQ(line.format->name, "json");
  EXPECT_EQ(line.knobs.size(), 1u);
}

TEST(CommandLine, EachMistakeIsOneClearLine) {
  const Mistake cases[] = {
      {"--buf_sise 4K", "there is no flag --buf_sise: did you mean --buf_size?"},
      {"run --durration=1s", "there is no flag --durration: did you mean --duration?"},
      {"run -z", "there is no flag -z: see pipetop --help"},
      {"--frobnicate", "there is no flag --frobnicate: see pipetop --help"},
      {"--duration 5s", "--duration needs a command: pipetop run --duration ..."},
      {"runn", "there is no command \"runn\": did you mean run?"},
      {"docter --format json", "there is no command \"docter\": did you mean doctor?"},
      {"sing",
       "there is no command \"sing\": give run, watch, view, ladder, tune, limits, doctor, shot, "
       "presets, "
       "replay, present, rehearse, notes, compare, export, completion or help, or none for the "
       "dashboard"},
      {"run fast", "unexpected argument \"fast\": see pipetop run --help"},
      {"run doctor", "run and doctor are two commands: give one"},
      {"--preset", "--preset needs a value: see pipetop --help"},
      {"run --duration", "--duration needs a value: see pipetop --help"},
      {"--buf_size", "--buf_size needs a value: see pipetop --help"},
      {"--preset vmsplise_splice",
       "--preset: there is no preset \"vmsplise_splice\": did you mean vmsplice_splice?"},
      {"--wait bussy",
       "--wait: \"bussy\" is not a valid value: give block, poll, busy, busy_poll or adaptive"},
      {"--gift maybe", "--gift: \"maybe\" is neither true nor false"},
      {"--writer.cpu -1", "--writer.cpu: \"-1\" is not a CPU: give its number, from 0"},
      {"--buf_size 6000",
       "--buf_size: \"6000\" is out of range: give a multiple of 4KiB, from 4KiB to 64MiB"},
      {"--placement cpus", "placement cpus needs writer.cpu, reader.cpu or both"},
      {"--frequency 5", "--frequency: \"5\" is out of range: give 10 to 10000"},
      {"--roof high", "--roof: \"high\" is not a rate: give GiB/s, for example 84"},
      {"--roof 0", "--roof: \"0\" is not a rate: give GiB/s, for example 84"},
      {"run --roof", "--roof is for the dashboard: use pipetop limits"},
      {"run --show", "--show is for the dashboard: give no command"},
      {"--segments", "--segments needs a value: see pipetop --help"},
      {"run --duration 0", "--duration: \"0\" is out of range: give 1ns to 168h"},
      {"run --duration soon",
       "--duration: \"soon\" is not a duration: give a time such as 500ms, 5s or 2m"},
      {"run --interval 1ms", "--interval: \"1ms\" is out of range: give 100ms to 168h"},
      {"run --bytes 0", "--bytes: \"0\" moves nothing: give 1 or more"},
      {"run --bytes 1G --duration 1s",
       "--duration and --bytes exclude each other: give one of them"},
      {"run --format xml",
       "--format: \"xml\" is not a valid value: give human, json, jsonl or csv"},
      {"--bpf-counters both",
       "--bpf-counters: \"both\" is not a valid value: give percpu or shared"},
      {"tune --budget 1s", "--budget: \"1s\" is out of range: give 2s to 168h"},
      {"tune --seed -1", "--seed: \"-1\" is out of range: give 0 to 4294967295"},
      {"tune --write -", "--write and the result would both go to stdout: give a file"},
      {"tune --format csv", "--format: \"csv\" is not a valid value: give human or json"},
      {"limits --format csv", "--format: \"csv\" is not a valid value: give human or json"},
      {"--theme black",
       "--theme: \"black\" is not a valid value: give auto, dark, light or high-contrast"},
      {"shot --size 120", "--size: \"120\" is no size: give COLUMNSxROWS, 100x30"},
      {"shot --size 120x40x2", "--size: \"120x40x2\" is no size: give COLUMNSxROWS, 100x30"},
      {"shot --size 40x20", "--size: \"40\" is out of range: give 60 to 1600"},
      {"shot --size 80x-24", "--size: \"-24\" is out of range: give 16 to 600"},
      {"shot --at 3s", "--at needs --replay FILE"},
      {"shot --replay x.ptop --after 3s",
       "--after: a recording needs no time to settle: give --at"},
      {"shot --replay x.ptop --gift", "--gift true: a recording cannot be changed"},
      {"shot --format png", "--format: \"png\" is not a valid value: give text, svg or ansi"},
      {"shot --after 0", "--after: \"0\" is out of range: give 1ns to 168h"},
      {"--size 80x24", "--size needs a command: pipetop view --size ..."},
      {"doctor --rounds 0", "--rounds: \"0\" is out of range: give 1 to 1000"},
      {"doctor --format csv", "--format: \"csv\" is not a valid value: give human or json"},
      {"watch --format csv", "--format: \"csv\" is not a valid value: give human, json or jsonl"},
      {"watch --once --format jsonl",
       "--once prints one result, --format jsonl many: give json, or remove --once"},
      {"watch --sort speed",
       "--sort: \"speed\" is not a valid value: give rate, full, empty, size, queued, age, writer, "
       "reader or pipeline"},
      {"watch 17 --sort rate", "--sort is for the table of all pipes: give no 17"},
      {"watch --filter x -- make", "--filter is for the table of all pipes: give no command"},
      {"watch 17 -- make", "17 and a command to start are two things to watch: give one"},
      {"watch --once -- make", "--once: a command is watched until it ends: remove it"},
      {"watch --duration 1s -- make", "--duration: a command is watched until it ends: remove it"},
      {"watch --output - -- make",
       "--output: stdout is the command's: give a file, or /dev/fd/3 with 3>FILE"},
      {"watch --exact", "--exact counts in one pipeline: give a PID, PID:FD, a FIFO or -- COMMAND"},
      {"watch --quiet", "--quiet is for a command to start: pipetop watch --quiet -- COMMAND"},
      {"watch --put-back 17", "--put-back watches nothing: give nothing else with it"},
      {"watch --put-back --once", "--put-back watches nothing: give nothing else with it"},
      {"watch --", "-- needs a command: give for example pipetop watch -- make"},
      {"watch --gift", "--gift true is for a pipe of pipetop's own: remove it"},
      {"view --preset write_read", "--preset write_read is for a pipe of pipetop's own: remove it"},
      {"-c watch run -- make", "-- COMMAND is for pipetop watch and pipetop shot"},
      {"watch --interval 1ms", "--interval: \"1ms\" is out of range: give 100ms to 168h"},
      {"view -S", "--stop-at-size needs --size: give for example --size 10GiB"},
      {"view -s 0", "--size: must be 1 or more"},
      {"view -L fast",
       "--rate-limit: \"fast\" is not a size: give bytes such as 4096, 256K, 256KiB or 1GiB"},
      {"view -i 0", "--interval: \"0\" is out of range: give 100ms to 168h"},
      {"view -w 0", "--width: \"0\" is out of range: give 1 to 10000"},
      {"view --gift", "--gift true is for a pipe of pipetop's own: remove it"},
      {"view --frobnicate", "there is no flag --frobnicate: see pipetop --help"},
  };
  for (const Mistake& bad : cases) EXPECT_EQ(command_line_error(bad.text), bad.error) << bad.text;
}

TEST(CommandLine, WatchHasItsFlags) {
  const WatchRequest plain = parse("watch").watch;
  EXPECT_EQ(parse("watch").command, Command::watch);
  EXPECT_TRUE(plain.target.empty() && plain.command.empty() && !plain.headless && !plain.exact);
  EXPECT_EQ(plain.sort, PipeSort::rate);
  EXPECT_EQ(plain.interval_ns, 0u);
  EXPECT_TRUE(parse("watch --put-back").watch.put_back && !plain.put_back);
  const CommandLine table = parse("watch --sort full --filter gzip --interval 250ms --no-bpf");
  EXPECT_FALSE(table.watch.headless);
  EXPECT_EQ(table.watch.sort, PipeSort::full);
  EXPECT_EQ(table.watch.filter, "gzip");
  EXPECT_EQ(table.watch.interval_ns, 250'000'000u);
  EXPECT_TRUE(table.no_bpf);
  const CommandLine one = parse("watch 17:1 --exact --format jsonl --duration 5s --output f");
  EXPECT_EQ(one.watch.target, "17:1");
  EXPECT_TRUE(one.watch.exact && one.watch.headless);
  EXPECT_EQ(one.format->name, "jsonl");
  EXPECT_EQ(one.watch.duration_ns, 5'000'000'000u);
  EXPECT_EQ(one.watch.output, "f");
  for (const char* text : {"watch --once", "watch --duration 1s", "watch --output f"})
    EXPECT_TRUE(parse(text).watch.headless) << text;
  for (size_t i = 0; i < pipe_sort_names().size(); ++i)
    EXPECT_EQ(parse("watch --sort " + std::string(pipe_sort_names()[i])).watch.sort, PipeSort(i));
}

TEST(CommandLine, WhatFollowsTwoDashesIsACommandOfAnother) {
  const Words words = {"sh", "-c", "--format", "--", "-h", ""};
  Words line = {"--no-color", "watch", "-q", "--"};
  line.insert(line.end(), words.begin(), words.end());
  const CommandLine parsed = parse_command_line(line);
  EXPECT_EQ(parsed.command, Command::watch);
  EXPECT_EQ(parsed.watch.command, words);
  EXPECT_TRUE(parsed.watch.quiet && parsed.no_color && !parsed.watch.headless);
  EXPECT_FALSE(parse("watch --output f -- make").watch.headless) << "the screen is still free";
  EXPECT_TRUE(parse("watch --format json -- make").watch.headless);
  EXPECT_TRUE(parse("watch").watch.command.empty());
  EXPECT_EQ(parse("view -- -x").view.files, std::vector<std::string>{"-x"}) << "as usual";
  EXPECT_FALSE(command_behind(Words{"run", "--", "watch"}));
  EXPECT_FALSE(command_behind(Words{kCompleteWords, "watch", "--", "x"}));
  EXPECT_TRUE(command_behind(Words{"watch", "--"}));
}

TEST(CommandLine, WhatPvHasAndViewHasNotIsRefusedWithAReason) {
  for (const char* flag : {"-Y", "--sync", "-K", "--direct-io", "-X", "-U file"})
    EXPECT_NE(command_line_error("view "s + flag + " file").find(" of pv is not here: "),
              std::string::npos)
        << flag << ": " << command_line_error("view "s + flag + " file");
  EXPECT_EQ(command_line_error("view -X"),
            "--discard of pv is not here: redirect stdout: > /dev/null");
  EXPECT_EQ(parse("view --help").help.find("--discard"), std::string::npos);
  EXPECT_EQ(command_line_error("view -Z 512"),
            "--error-skip-block is of --skip-errors: give -E, too");
  EXPECT_EQ(command_line_error("view -R 12 file"),
            "--remote moves nothing: give no file, and no --watchfd, with it");
}

TEST(CommandLine, ViewHasPvsFlags) {
  for (const char* before : {"", "--no-bpf "}) {  // in both parsers
    const ViewRequest plain = parse(before + "view"s).view;
    EXPECT_TRUE(plain.files.empty() && !plain.size && plain.rate_limit == 0);
    EXPECT_EQ(plain.interval_ns, 1'000'000'000u);
    const CommandLine line = parse(before + "view -s 10G -L 5m -i 0.5 -N up -nqfCvS -ptebra in"s);
    EXPECT_EQ(line.command, Command::view) << before;
    EXPECT_EQ(line.view.size, 10ull << 30);
    EXPECT_EQ(line.view.rate_limit, 5u << 20);
    EXPECT_EQ(line.view.interval_ns, 500'000'000u);
    EXPECT_EQ(line.view.name, "up");
    EXPECT_EQ(line.view.files, std::vector<std::string>{"in"});
    EXPECT_TRUE(line.view.numeric && line.view.quiet && line.view.force && line.view.no_splice &&
                line.view.verbose && line.view.stop_at_size);
    const ViewRequest parts = parse(before + "view -tb -cW -D 2 -w 60"s).view;
    EXPECT_EQ(parts.parts, (ProgressParts{.timer = true, .bytes = true}));
    EXPECT_TRUE(parts.wait);
    EXPECT_EQ(parts.delay_ns, 2'000'000'000u);
    EXPECT_EQ(parts.width, 60u);
    EXPECT_EQ(parse(before + "view --size=4K --rate-limit 1K --interval 2s --name x"s).view.size,
              4096u);
    EXPECT_EQ(parse(before + "view -"s).view.files, std::vector<std::string>{"-"});
  }
  const ViewRequest lines = parse("view -l -I -B 1M a b -").view;
  EXPECT_EQ(lines.separator, '\n');
  EXPECT_EQ(parse("view -0").view.separator, '\0');
  EXPECT_EQ(lines.buffer_bytes, 1u << 20);
  EXPECT_TRUE(lines.parts.end_time);
  EXPECT_EQ(lines.files, (std::vector<std::string>{"a", "b", "-"}));
  EXPECT_EQ(parse("view --help").command, Command::help);
}

TEST(CommandLine, ATalkIsGivenOnce) {
  CommandLine line = parse("present talk --auto 20s --loop");
  EXPECT_EQ(line.command, Command::present);
  EXPECT_EQ(line.talk.config, "talk");
  EXPECT_EQ(line.talk.auto_ns, 20'000'000'000u);
  EXPECT_TRUE(line.talk.loop);
  EXPECT_EQ(parse("-c talk present").config, "talk");
  EXPECT_EQ(parse("rehearse talk --duration 1s --format json").talk.duration_ns, 1'000'000'000u);
  EXPECT_EQ(usage_error([] { parse("present talk --loop"); }),
            "--loop needs --auto: give for example --auto 20s");
  EXPECT_EQ(usage_error([] {
              parse_command_line(Words{"watch", ""});
            }),
            "\"\" is no pipe: give a PID, PID:FD or a FIFO, or nothing for all pipes");
  EXPECT_EQ(usage_error([] { parse("-c a present b"); }),
            "b and --config a are two talks: give one");
  EXPECT_EQ(usage_error([] { read_talk(parse("present talk --gift")); }),
            "--gift true: a talk's scenes name their settings: change the config file");
  EXPECT_EQ(usage_error([] { read_talk(parse("present")); }),
            "a talk is a config file with scenes: give one, for example pipetop present talk");
}

}  // namespace
}  // namespace pipetop::tui

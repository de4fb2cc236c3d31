// The commands that take the terminal: the dashboard, a talk on it, the speaker's notes, and
// recordings.
#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/text.h"
#include "engine/experiment/compare.h"
#include "engine/experiment/limits.h"
#include "engine/process/placement.h"
#include "engine/process/privileges.h"
#include "engine/recording/recording.h"
#include "engine/watch/watcher.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/source.h"
#include "tui/notes/notes.h"
#include "tui/print/document.h"
#include "tui/print/stored_result.h"
#include "tui/screen/shell.h"
#include "tui/watch/recorded_pipeline.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {
namespace {

// A CSV file has the columns of one workload.
void check_segments(const SegmentFile& segments, const CommandLine& line, const Config& config) {
  if (segments.is_terminal())
    throw Error(fmt::format("--segments: {} is a terminal: give a file", line.segments));
  const auto differs = [&](const Scene& s) {
    return s.settings.workload != config.settings.workload;
  };
  if (segments.is_csv() && std::ranges::any_of(config.scenes, differs))
    throw Error(
        "--segments: the scenes have several workloads, a CSV file has one: give FILE.jsonl");
}

// "3:2,7:1"
std::vector<TakeChoice> chosen_takes(const std::string& text) {
  std::vector<TakeChoice> chosen;
  if (text.empty()) return chosen;
  for (const std::string& one : split(text, ',')) {
    const std::vector<std::string> parts = split(one, ':');
    const auto scene = parse_all<uint32_t>(parts[0]);
    const auto take = parts.size() == 2 ? parse_all<uint32_t>(parts[1]) : std::nullopt;
    if (!scene || !take)
      throw Error(fmt::format(
          "--take: \"{}\" is not SCENE:N: give for example 3:2, the second take of scene 3", one));
    if (std::ranges::find(chosen, *scene, &TakeChoice::scene) != chosen.end())
      throw Error(fmt::format("--take: scene {} is named twice", *scene));
    chosen.push_back({*scene, *take});
  }
  return chosen;
}

// A recording of the same talk, to switch to.
class Fallback {
 public:
  Fallback(const std::string& file, const std::string& takes, std::span<const Scene> scenes)
      : recording_(open(file)), source_(recording_) {
    source_.present(chosen_takes(takes));
    const std::vector<Scene> recorded = source_.scenes();
    for (size_t i = 0; i < std::max(scenes.size(), recorded.size()); ++i) {
      const auto title = [&](std::span<const Scene> of) {
        return i < of.size() ? fmt::format("\"{}\"", of[i].title) : "none";
      };
      const std::string is = title(scenes), was = title(recorded);
      if (is != was)
        throw Error(fmt::format(
            "--fallback: {} is of another talk, or of a part of it: its scene {} is {}, not {}; "
            "record it with pipetop rehearse TALK --record FILE",
            file, i + 1, was, is));
    }
  }

  ReplaySource& source() { return source_; }

 private:
  static Recording open(const std::string& file) {
    const AsUser as_user(user_to_become());
    return Recording(file);
  }

  Recording recording_;
  ReplaySource source_;
};

// The dashboard, with the options that differ between a talk and none.
int run_screen(const CommandLine& line, const Config& config, DashboardOptions screen) {
  check_terminal(config);  // before any processes are started
  check_distinct({{"--record", line.record}, {"--fallback", line.talk.fallback}});
  screen.roof_gib_per_s = find_roof(line, config);
  if (!line.against.empty())
    screen.against = [then = read_result(line.against)](const Settings& settings) {
      return rate_in(then, stored_settings(settings), std::string(unit_of(settings).rate));
    };
  FoldedFile folded(line.folded);
  SegmentFile segments(line.segments, config.settings);
  check_segments(segments, line, config);
  screen.save_picture = save_picture;
  screen.every_snapshot = [&](const Snapshot& now) { segments.write_closed(now); };
  RecordingFile recording(config, screen.roof_gib_per_s, line.record);
  screen.tape = &recording;
  std::optional<Fallback> fallback;
  if (!line.talk.fallback.empty())
    fallback.emplace(line.talk.fallback, line.talk.takes, config.scenes);
  EngineOptions options = engine_options(config);
  if (screen.present) options.label = config.scenes.front().title;
  // Until the end: no signal interrupts the start or the writing. The dashboard takes them.
  const SignalFd held{SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGTSTP, SIGWINCH, SIGCONT};
  EngineSource source(options, [&](const Segment& last) { segments.write_last(last); });
  if (!line.folded.empty()) folded.check(source.tick());
  std::optional<FallbackSource> with_fallback;
  if (fallback) with_fallback.emplace(source, fallback->source());
  Source& shown = with_fallback ? static_cast<Source&>(*with_fallback) : source;
  const int exit_code = run_dashboard(shown, config, screen);
  const Segment last = source.segment();
  // A signal ends it without words, perhaps for a terminal that is gone.
  if (exit_code == 0 && config.summary)
    print(summary_text(source.closed_segments(), last, config.presets));
  segments.write_last(last);
  folded.write(last);
  segments.finish();
  recording.finish();
  return exit_code;
}

// `config` outlives it.
OpenScene scene_opener(const Config& config) {
  return [&config](const SceneWatch& what) {
    WatchOptions options;
    options.bpf = config.bpf;
    options.in_parts = true;
    const auto scene = std::make_shared<ScenePipeline>(what.command, what.target, options);
    return std::shared_ptr<WatchSource>(scene, &scene->watcher());
  };
}

std::optional<double> roof_of(const Recording& recording) {
  return recording.header().roof_gib_per_s.value;
}

int show(const std::string& file, Recording& recording, const Config& config, ReplaySource& source,
         std::optional<TalkOptions> present = {}) {
  const int exit_code = run_dashboard(
      source, config,
      {.roof_gib_per_s = roof_of(recording), .present = present, .save_picture = save_picture});
  say_damage(file, recording);
  return exit_code;
}

int replay_pipeline(const CommandLine& line, Recording& recording, const Config& config) {
  Transport transport(recording);
  transport.go_to(line.replay.at_ns);
  RecordedPipeline source(recording.header().host.cpus, &transport);
  WatchScreenOptions screen;
  screen.pipeline = true;
  screen.transport = &transport;
  screen.save_picture = save_picture;
  const int exit_code = run_watch_screen(source, config, screen);
  say_damage(line.replay.file, recording);
  return exit_code;
}

}  // namespace

void say_damage(const std::string& file, const Recording& recording) {
  if (!recording.damage().empty()) say(file + " is " + recording.damage());
}

std::optional<double> find_roof(const CommandLine& line, const Config& config) {
  if (!line.roof) return {};
  if (config.settings.workload != WorkloadKind::pipe) throw Error("--roof needs workload: pipe");
  if (*line.roof > 0) return line.roof;
  say("measuring the roof, for about a second");
  const Reading<Roof> roof = measure_roof();
  if (!roof.has_value()) throw Error("--roof: " + roof.reason, Exit::refused);
  return (read_topology().size() < 2 ? roof->one_cpu : roof->two_cpus).gib_per_s();
}

int dashboard_command(const CommandLine& line) { return run_screen(line, read_start(line), {}); }

int present_command(const CommandLine& line) {
  const Config config = read_talk(line);
  DashboardOptions screen;
  screen.present =
      TalkOptions{.auto_ns = line.talk.auto_ns, .loop = line.talk.loop, .transitions = true};
  screen.open_scene = scene_opener(config);
  screen.say = say;
  return run_screen(line, config, screen);
}

void record_talk(const Config& config, RecordingFile& recording, Interrupts& interrupts) {
  constexpr uint64_t kFrame_ns = 50 * kMs, kScene_ns = 6 * kSecond;
  const TalkOptions by_itself{.auto_ns = kScene_ns, .loop = true, .transitions = true};
  EngineOptions options = engine_options(config);
  options.label = config.scenes.front().title;
  EngineSource source(options);
  Controller talk(source, config.settings, config.presets);
  talk.open_scenes_by(scene_opener(config));
  talk.hold_figures();
  talk.begin_talk(config.scenes, &by_itself);
  Still screen(talk, 40, 120);
  ProgressLine progress(interrupts, "the recording goes on");
  interrupts.suspending = [&] {
    progress.clear();
    talk.suspend();
  };
  interrupts.resumed = [&, said = interrupts.resumed] {
    talk.resume();
    said();
  };
  EventLoop loop({.signals = interrupts.fd()});
  loop.set_timer_every(kFrame_ns);
  const TalkState& state = talk.state().talk;
  uint64_t entered_ns = 0;
  for (size_t scenes = 0; !loop.wait().signals || interrupts.take();) {
    screen.tick();
    if (std::exchange(entered_ns, state.entered_ns) != state.entered_ns) ++scenes;
    if (scenes > config.scenes.size()) break;  // the first one follows on the last
    talk.record(recording);
    progress.show(fmt::format("recording scene {} of {}", scenes, config.scenes.size()));
  }
  progress.clear();
  std::ranges::for_each(talk.end_watching(), say);
  if (!interrupts.ended()) return void(recording.finish());
  recording.discard();
  say(recording.path() + ": the recording has not come to its end: it is not kept");
}

int notes_command(const CommandLine& line) {
  return run_notes(resolve(line, read_config(line.config), std::getenv("NO_COLOR")));
}

Config read_talk(const CommandLine& line) {
  if (!line.preset.empty() || !line.knobs.empty())
    throw Error(
        fmt::format("{}: a talk's scenes name their settings: change the config file",
                    line.preset.empty() ? line.knobs.front().text : "--preset " + line.preset));
  CommandLine with_config = line;
  if (!line.talk.config.empty()) with_config.config = line.talk.config;
  if (with_config.config.empty())
    throw Error("a talk is a config file with scenes: give one, for example pipetop present talk");
  Config config = read_start(with_config);
  if (config.scenes.empty())
    throw Error(
        fmt::format("{} has no scenes: add some, see pipetop help talk", with_config.config));
  // The talk begins there, with the presets of its workload.
  const Settings& first = config.scenes.front().settings;
  if (first.workload != config.settings.workload)
    config.presets = default_config(first.workload).presets;
  config.settings = first;
  return config;
}

Config replay_config(const CommandLine& line, const Recording& recording) {
  Config config = resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
  config.settings = recording.header().settings;
  config.presets = recording.header().presets;
  config.preset.clear();
  return config;
}

int replay_command(const CommandLine& line) {
  if (line.replay.file.empty()) throw Error("replay needs a recording: pipetop replay FILE");
  Recording recording(line.replay.file);
  if (line.replay.info) return print(line.format->print(recording_document(recording)));
  const Config config = replay_config(line, recording);
  if (shows_pipeline(recording)) return replay_pipeline(line, recording, config);
  check_terminal(config);
  ReplaySource source(recording);
  source.go_to(line.replay.at_ns);
  return show(line.replay.file, recording, config, source);
}

int present_replay(const CommandLine& line) {
  Recording recording(line.talk.replay);
  Config config = replay_config(line, recording);
  ReplaySource source(recording);
  source.present(chosen_takes(line.talk.takes));
  config.scenes = source.scenes();
  check_terminal(config);
  return show(line.talk.replay, recording, config, source,
              TalkOptions{.auto_ns = line.talk.auto_ns, .loop = line.talk.loop});
}

}  // namespace pipetop::tui

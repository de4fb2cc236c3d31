#include <fmt/core.h>
#include <locale.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/text.h"
#include "engine/experiment/trial.h"
#include "engine/recording/recording.h"
#include "engine/watch/watcher.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/command_line/result_files.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/source.h"
#include "tui/draw/picture.h"
#include "tui/screen/shell.h"
#include "tui/watch/recorded_pipeline.h"
#include "tui/watch/watch_controller.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kStillEvery = 50 * kMs;  // as often as the dashboard looks
constexpr uint64_t kSeenBefore = kSecond;   // in a recording: what moved shows where it was

PictureStyle picture_style(const Config& config, const ShotRequest& shot,
                           const PictureFormat& format) {
  if (shot.framed && format.name != "svg")
    throw Error("--frame: only an SVG has a title bar: give -o FILE.svg or leave --frame out");
  const bool colors = config.color != Choice::never;
  const Theme theme = config.theme == ThemeChoice::automatic
                          ? Theme::dark
                          : static_cast<Theme>(static_cast<int>(config.theme) - 1);
  return {theme, colors, shot.framed};
}

// The keys of --keys, which blanks separate.
std::vector<Key> keys_typed(const std::string& typed) {
  std::vector<Key> keys;
  for (const std::string& word : split(typed, ' ')) {
    if (word.empty()) continue;
    const auto key = key_named(word);
    if (!key)
      throw Error(fmt::format(
          "--keys: \"{}\" is not a key: give keys as the help names them, with blanks between: "
          "\"v s Tab\"",
          word));
    keys.push_back(*key);
  }
  return keys;
}

Still still_of(Screen& screen, const ShotRequest& shot, const Config& config) {
  const bool ascii = config.unicode == Choice::never;
  return {screen, shot.rows, shot.cols, ascii ? GlyphSet::ascii : GlyphSet::unicode};
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(fmt::format("--all-scenes: {}: {}", path, error.message()));
}

// Takes a picture of a pipe that is started for it.
class LiveShot {
 public:
  LiveShot(const CommandLine& line, const Config& config, std::optional<double> roof_gib_per_s)
      : shot_(line.shot),
        keys_(keys_typed(line.shot.keys)),
        progress_(interrupts_, "the picture is still to come"),
        session_(options_of(config), interrupts_),
        source_(session_.engine(), config.settings),
        screen_(source_, config.settings, config.presets),
        still_(still_of(screen_, shot_, config)) {
    screen_.set_roof(roof_gib_per_s);
  }

  // nullptr if it was ended before.
  const Canvas* take() {
    if (!wait()) return nullptr;
    for (const Key key : keys_) {
      const Settings before = screen_.shown().requested;
      still_.press(key);
      still_.tick();
      if (screen_.shown().requested != before && !wait()) return nullptr;
    }
    progress_.clear();
    if (!screen_.has_settled()) say("the figures had not settled: leave out --after");
    return &still_.draw_frame();
  }

  const Interrupts& interrupts() const { return interrupts_; }

 private:
  EngineOptions options_of(const Config& config) {
    EngineOptions options = engine_options(config);
    options.noticed = say_notices(progress_);
    return options;
  }

  // As long as was asked for, else until all is settled. False if it was ended before.
  bool wait() {
    const uint64_t begin_ns = interrupts_.now_ns();
    for (;;) {
      still_.tick();
      check_possible(screen_.shown());
      const uint64_t waited_ns = interrupts_.now_ns() - begin_ns;
      if (shot_.after_ns > 0 ? waited_ns >= shot_.after_ns : screen_.has_settled()) return true;
      const std::string& preparing = screen_.shown().effective.preparing;
      progress_.show(preparing.empty() ? "waiting until the figures have settled" : preparing);
      if (!session_.wait(kStillEvery)) return false;
    }
  }

  const ShotRequest& shot_;
  const std::vector<Key> keys_;
  Interrupts interrupts_;
  ProgressLine progress_;
  Session session_;
  EngineSource source_;
  Controller screen_;
  Still still_;
};

// As a line of sh: words are as they were given, and one alone is a line.
std::string shell_line(const std::vector<std::string>& words) {
  if (words.size() == 1) return words[0];
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "'" : " '";
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += "'";
  }
  return line;
}

// Takes a picture of a pipeline of other programs: one that runs, or is started for it.
class WatchShot {
 public:
  WatchShot(const CommandLine& line, const Config& config)
      : shot_(line.shot),
        keys_(keys_typed(line.shot.keys)),
        progress_(interrupts_, "the picture is still to come"),
        pipeline_(shell_line(line.watch.command), line.shot.watch, options_of(config)),
        screen_(pipeline_.watcher(),
                WatchStart{.pipeline = true, .command = command_text(line.watch.command)}),
        still_(still_of(screen_, shot_, config)),
        loop_({.signals = interrupts_.fd()}) {
    loop_.set_timer_every(kStillEvery);
  }

  // nullptr if it was ended before.
  const Canvas* take() {
    if (!wait()) return nullptr;
    for (const Key key : keys_) {
      const uint32_t before = segment();
      still_.press(key);
      still_.tick();
      if (segment() != before && !wait()) return nullptr;
    }
    progress_.clear();
    return &still_.draw_frame();
  }

  // Puts back what the keys have changed. Returns whether all of it is.
  bool finish() {
    const std::vector<std::string> left = pipeline_.watcher().finish_changes();
    std::ranges::for_each(left, say);
    return left.empty();
  }

  const Interrupts& interrupts() const { return interrupts_; }

 private:
  static WatchOptions options_of(const Config& config) {
    WatchOptions options;
    options.bpf = config.bpf;
    return options;
  }

  uint32_t segment() const {
    return screen_.latest() ? screen_.latest()->throughput.current.number : 0;
  }

  // As long as was asked for, else until the bottleneck is known. False if it was ended before.
  bool wait() {
    constexpr uint64_t kMost_ns = 10 * kSecond;  // some are never known
    const uint64_t begin_ns = interrupts_.now_ns();
    for (;;) {
      const std::string over = pipeline_.why_over();
      still_.tick();
      const bool seen = screen_.latest() && screen_.latest()->watched;
      const uint64_t waited_ns = interrupts_.now_ns() - begin_ns;
      const bool has_waited = shot_.after_ns > 0
                                  ? waited_ns >= shot_.after_ns
                                  : screen_.has_settled() || (seen && waited_ns >= kMost_ns);
      if (!over.empty() && !seen) throw Error("no pipe was seen: " + over);
      if (!over.empty() && !has_moved(*screen_.latest()->watched))
        throw Error("no data was seen to move: " + over);
      if (has_waited || !over.empty()) return true;
      progress_.show(seen ? "waiting until the bottleneck is known" : "waiting for a pipe");
      if (loop_.wait().signals && !interrupts_.take()) return false;
    }
  }

  const ShotRequest& shot_;
  const std::vector<Key> keys_;
  Interrupts interrupts_;
  ProgressLine progress_;
  ScenePipeline pipeline_;
  WatchController screen_;
  Still still_;
  EventLoop loop_;
};

// Shown as if it were live: a picture has no time line.
class RecordedMoment final : public Source {
 public:
  explicit RecordedMoment(Recording& recording) : recording_(recording) {}

  void go_to(size_t frame) { frame_ = frame; }

  int event_fd() const override { return -1; }
  void handle_events() override {}
  Snapshot tick() override { return recording_.frame(frame_); }
  Segment segment() override { return recording_.frame(frame_).throughput.current; }
  bool is_recorded() const override { return true; }
  void apply(const Settings&, const std::string&, const std::string& key) override { refuse(key); }
  void count(BpfCounters) override { refuse("x"); }
  void suspend() override {}
  void resume() override {}

  const std::string& refused() const { return refused_; }

 private:
  void refuse(const std::string& key) { refused_ = key; }

  Recording& recording_;
  size_t frame_ = 0;
  std::string refused_;  // the key that would have changed something
};

// What is drawn of a recording, and at which moment: the dashboard, or a pipeline that was watched.
class RecordedScreen {
 public:
  // `last`: the frame of the picture.
  RecordedScreen(Recording& recording, const Config& config, size_t last) : recording_(recording) {
    if (recording.frame(last).watched) {
      pipeline_.emplace(recording.header().host.cpus);
      watch_.emplace(*pipeline_, WatchStart{.pipeline = true, .recorded = true});
      return;
    }
    moment_.emplace(recording);
    dashboard_.emplace(*moment_, config.settings, config.presets);
    dashboard_->set_roof(recording.header().roof_gib_per_s.value);
  }

  Screen& screen() { return watch_ ? static_cast<Screen&>(*watch_) : *dashboard_; }
  void go_to(size_t frame) {
    if (moment_)
      moment_->go_to(frame);
    else if (const Snapshot& shown = recording_.frame(frame); shown.watched)
      pipeline_->show(shown);
  }
  // The key that would have changed something.
  const std::string& refused() const { return watch_ ? watch_->refused() : moment_->refused(); }

 private:
  Recording& recording_;
  std::optional<RecordedMoment> moment_;
  std::optional<RecordedPipeline> pipeline_;
  std::optional<Controller> dashboard_;
  std::optional<WatchController> watch_;
};

// The scenes of a recorded talk as an audience saw them, each at its end.
class RecordedScenes {
 public:
  RecordedScenes(const CommandLine& line, Recording& recording)
      : shot_(line.shot), config_(replay_config(line, recording)), recording_(recording) {
    ReplaySource source(recording);
    source.present();
    scenes_ = source.scenes();
    const std::span<const SceneTake> takes = source.replay()->takes;
    for (size_t i = 0; i < takes.size(); ++i) {
      last_.push_back(last_frame(takes[i]));
      scenes_[i].settings = recording.frame(last_[i]).requested;
    }
    // By now it is known where it is damaged.
    for (size_t i = 0; i < takes.size(); ++i)
      is_whole_.push_back(takes[i].at_ns <= recording.times().back());
  }

  std::span<const Scene> scenes() const { return scenes_; }
  // Else it is behind what is damaged.
  bool is_whole(size_t scene) const { return is_whole_[scene]; }

  std::string draw(size_t scene, const PictureFormat& format) {
    RecordedMoment moment(recording_);
    const Settings& settings = scenes_[scene].settings;
    Controller talk(moment, settings,
                    presets_of(settings.workload, config_.settings.workload, config_.presets));
    const TalkOptions options{.first = scene};
    talk.set_roof(recording_.header().roof_gib_per_s.value);
    talk.begin_talk(scenes_, &options);
    Still still = still_of(talk, shot_, config_);
    const size_t last = std::min(last_[scene], recording_.frames() - 1);  // the rest is damaged
    const uint64_t end_ns = recording_.times()[last];
    const uint64_t from_ns = end_ns - std::min(end_ns, kSeenBefore);
    for (size_t i = recording_.frame_at(from_ns); i <= last; ++i) {
      moment.go_to(i);
      still.tick();
    }
    return format.draw(still.draw_frame(), picture_style(config_, shot_, format));
  }

 private:
  // Before the next scene of any take begins.
  size_t last_frame(const SceneTake& take) const {
    uint64_t end_ns = recording_.times().back() + 1;
    for (const RecordedMark& mark : recording_.marks())
      if (mark.kind == RecordedMark::Kind::scene && mark.at_ns > take.at_ns)
        end_ns = std::min(end_ns, mark.at_ns);
    return recording_.frame_at(end_ns - 1);
  }

  const ShotRequest& shot_;
  Config config_;
  Recording& recording_;
  std::vector<Scene> scenes_;
  std::vector<size_t> last_;  // the frame of each
  std::vector<bool> is_whole_;
};

// "03-lending-pages"
std::string file_name_of(size_t number, const std::string& title) {
  std::string name = fmt::format("{:02}", number);
  bool apart = true;
  for (const char c : title) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain && std::exchange(apart, false)) name += '-';
    if (is_plain)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      apart = true;
  }
  return name;
}

size_t scene_numbered(const ShotRequest& shot, const RecordedScenes& scenes,
                      const Recording& recording) {
  const auto found = std::ranges::find(scenes.scenes(), shot.scene, &Scene::number);
  if (found == scenes.scenes().end())
    throw Error(fmt::format("--scene {}: {} has {} scenes, the last one is {}", shot.scene,
                            shot.replay, scenes.scenes().size(), scenes.scenes().back().number));
  const auto index = static_cast<size_t>(found - scenes.scenes().begin());
  if (!scenes.is_whole(index))
    throw Error(fmt::format("--scene {}: {} is {}", shot.scene, shot.replay, recording.damage()));
  return index;
}

int shot_of_scenes(const CommandLine& line) {
  const ShotRequest& shot = line.shot;
  Recording recording(shot.replay);
  RecordedScenes scenes(line, recording);
  if (shot.scene > 0) {
    const PictureFormat& format = picture_format(shot);
    Output output(shot.output);
    output.finish(scenes.draw(scene_numbered(shot, scenes, recording), format));
    say_damage(shot.replay, recording);
    return 0;
  }
  const auto formats = picture_formats();
  const auto svg = std::ranges::find(formats, "svg", &PictureFormat::name);
  const PictureFormat& format = shot.format ? formats[*shot.format] : *svg;
  make_directory(shot.all_scenes);
  for (size_t i = 0; i < scenes.scenes().size(); ++i) {
    if (!scenes.is_whole(i)) continue;
    const Scene& scene = scenes.scenes()[i];
    Output output(fmt::format("{}/{}{}", shot.all_scenes, file_name_of(scene.number, scene.title),
                              format.ending));
    output.finish(scenes.draw(i, format));
  }
  say_damage(shot.replay, recording);
  return 0;
}

// A moment of a recording, after the keys.
Canvas draw_moment(const CommandLine& line, Recording& recording, uint64_t at_ns) {
  if (at_ns > recording.duration_ns())
    throw Error(fmt::format("--at: {} ends after {}", line.shot.replay,
                            seconds_text(recording.duration_ns())));
  const uint64_t before_ns = at_ns - std::min(at_ns, kSeenBefore);
  const size_t last = recording.frame_at(recording.begin_ns() + at_ns);
  Config config = replay_config(line, recording);
  config.settings = recording.frame(last).requested;
  RecordedScreen recorded(recording, config, last);
  Still still = still_of(recorded.screen(), line.shot, config);
  for (size_t i = recording.frame_at(recording.begin_ns() + before_ns); i <= last; ++i) {
    recorded.go_to(i);
    still.tick();
  }
  for (const Key key : keys_typed(line.shot.keys)) {
    still.press(key);
    if (!recorded.refused().empty())
      throw Error(fmt::format("--keys: {}: a recording cannot be changed", recorded.refused()));
  }
  return still.draw_frame();
}

std::string recorded_shot(const CommandLine& line, const PictureFormat& format) {
  Recording recording(line.shot.replay);
  std::vector<uint64_t> moments = line.shot.at_ns;
  if (moments.empty()) moments = {recording.duration_ns()};
  if (moments.size() > 1 && format.name != "svg")
    throw Error("--at: several moments make a film: give -o FILE.svg");
  const PictureStyle style = picture_style(replay_config(line, recording), line.shot, format);
  std::vector<Canvas> frames;
  for (const uint64_t at_ns : moments) frames.push_back(draw_moment(line, recording, at_ns));
  say_damage(line.shot.replay, recording);
  return frames.size() > 1 ? svg_film(frames, style) : format.draw(frames.front(), style);
}

int live_shot(const CommandLine& line, const PictureFormat& format, Output& output) {
  const Config config = read_start(line);
  require_vmsplice(config.settings, "give --write_with write");
  const PictureStyle style = picture_style(config, line.shot, format);
  LiveShot shot(line, config, find_roof(line, config));
  const Canvas* canvas = shot.take();
  if (!canvas) return ended_early(shot.interrupts(), "there was a picture");
  output.finish(format.draw(*canvas, style));
  return 0;
}

int watch_shot(const CommandLine& line, const PictureFormat& format, Output& output) {
  const Config config = read_start(line);
  const PictureStyle style = picture_style(config, line.shot, format);
  WatchShot shot(line, config);
  const Canvas* canvas = shot.take();
  const bool is_done = shot.finish();
  if (!canvas) return ended_early(shot.interrupts(), "there was a picture");
  output.finish(format.draw(*canvas, style));
  return is_done ? 0 : static_cast<int>(Exit::refused);
}

}  // namespace

const PictureFormat& picture_format(const ShotRequest& shot) {
  const auto formats = picture_formats();
  if (shot.format) return formats[*shot.format];
  const std::string ending = std::filesystem::path(shot.output).extension().string();
  if (shot.output.empty() || shot.output == "-" || ending.empty()) return formats.front();
  const auto found = std::ranges::find(formats, ending, &PictureFormat::ending);
  if (found == formats.end())
    throw Error(
        fmt::format("-o: \"{}\" is no kind of picture: give FILE.svg, FILE.txt or "
                    "FILE.ans, or --format",
                    ending));
  return *found;
}

int shot_command(const CommandLine& line) {
  setlocale(LC_CTYPE, "C.UTF-8");  // how wide characters are; a picture is UTF-8 everywhere
  check_no_input({{"--output", line.shot.output}}, {line.shot.replay});
  if (line.shot.scene > 0 || !line.shot.all_scenes.empty()) return shot_of_scenes(line);
  const PictureFormat& format = picture_format(line.shot);
  Output output(line.shot.output);
  if (!line.shot.watch.empty() || !line.watch.command.empty())
    return watch_shot(line, format, output);
  if (line.shot.replay.empty()) return live_shot(line, format, output);
  output.finish(recorded_shot(line, format));
  return 0;
}

}  // namespace pipetop::tui

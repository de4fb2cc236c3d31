#include <fmt/core.h>
#include <locale.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/experiment/trial.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/output.h"
#include "tui/dashboard/engine_source.h"
#include "tui/dashboard/still.h"
#include "tui/picture/picture.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kStillEvery = 50 * kMs;  // as often as the dashboard looks

PictureStyle picture_style(const Config& config) {
  const bool colors = config.color != Choice::never;
  if (config.theme == ThemeChoice::automatic) return {Theme::dark, colors};
  return {static_cast<Theme>(static_cast<int>(config.theme) - 1), colors};
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

class Shot {
 public:
  Shot(const CommandLine& line, const Config& config, std::optional<double> roof_gib_per_s)
      : shot_(line.shot),
        keys_(keys_typed(line.shot.keys)),
        progress_(interrupts_, "the picture is still to come"),
        session_(options_of(config), interrupts_),
        source_(source_of(session_.engine())),
        still_(*source_, config,
               {shot_.rows, shot_.cols,
                config.unicode == Choice::never ? GlyphSet::ascii : GlyphSet::unicode,
                roof_gib_per_s}) {}

  // nullptr if it was ended before.
  const Canvas* take() {
    if (!wait()) return nullptr;
    for (const Key key : keys_) {
      const Settings before = still_.shown().requested;
      still_.press(key);
      still_.tick();
      if (still_.shown().requested != before && !wait()) return nullptr;
    }
    progress_.clear();
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
      const bool settled = still_.tick();
      check_possible(still_.shown());
      const uint64_t waited_ns = interrupts_.now_ns() - begin_ns;
      if (shot_.after_ns > 0 ? waited_ns >= shot_.after_ns : settled) return true;
      const std::string& preparing = still_.shown().effective.preparing;
      progress_.show(preparing.empty() ? "waiting until the figures have settled" : preparing);
      if (!session_.wait(kStillEvery)) return false;
    }
  }

  const ShotRequest& shot_;
  const std::vector<Key> keys_;
  Interrupts interrupts_;
  ProgressLine progress_;
  Session session_;
  std::unique_ptr<Source> source_;
  Still still_;
};

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
  const PictureFormat& format = picture_format(line.shot);
  const Config config = read_start(line);
  require_vmsplice(config.settings, "give --write_with write");
  Output output(line.shot.output);
  Shot shot(line, config, find_roof(line, config));
  const Canvas* canvas = shot.take();
  if (!canvas) return ended_early(shot.interrupts(), "there was a picture");
  output.finish(format.draw(*canvas, picture_style(config)));
  return 0;
}

}  // namespace pipetop::tui

// Single frames of the dashboard, without a terminal: for pictures.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/config/config.h"
#include "engine/model/snapshot.h"
#include "tui/dashboard/controller.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"

namespace pipetop::tui {

// "v", "Space", "Tab", "Up": as the help names them; nothing for other words.
std::optional<Key> key_named(std::string_view word);

struct FrameOptions {
  int rows = 40, cols = 120;
  GlyphSet glyphs = GlyphSet::unicode;
  std::optional<double> roof_gib_per_s = {};
};

class FrameMaker {
 public:
  // `source` and `config` must outlive it; its settings are the source's initial ones.
  FrameMaker(Source& source, const Config& config, const FrameOptions& options);

  // Takes a snapshot; true if it has all that will come: nothing settles or warms up any more.
  bool tick();
  // As if it were typed now.
  void press(Key key);
  // Draws the last snapshot.
  const Canvas& draw_frame();

  const Snapshot& shown() const { return controller_.shown(); }

 private:
  Controller controller_;
  Canvas canvas_;
  int rows_, cols_;
};

}  // namespace pipetop::tui

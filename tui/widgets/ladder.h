// What settings are called; and those that were measured so far, as rungs of a ladder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// The preset that leads from these settings to the same; nullptr if none does.
const Preset* find_exact(std::span<const Preset> presets, const Settings& settings);

// The preset that the settings equal, if need be but for slow motion and single steps, which are a
// way to watch it; else "custom".
std::string_view preset_of(std::span<const Preset> presets, const Settings& settings);

// The same with the pace, if it is not the preset's own: "vmsplice_read · slow motion".
std::string name_of(std::span<const Preset> presets, const Settings& settings);

// What a step to a preset takes back of the changes made by hand since the last one, `base`:
// "wait busy → block". "" if nothing.
std::string taken_back(const Settings& base, const Settings& before, const Settings& after);

// What was changed by hand: "write_with vmsplice, gift true". "" if nothing.
std::string changed_to(const Settings& before, const Settings& after);

struct Rung {
  std::string name;            // of the preset, else of the change that led there
  std::optional<double> rate;  // the newest mean, in the workload's unit; none: still measuring
  double times = 0;            // the first rung's rate; 0: unknown
  double article = 0;          // the article's figure; 0 if it has none
  bool present = false;
  bool operator==(const Rung&) const = default;
};

// In the order in which they were first seen, each with its newest value. Other workloads, slow
// motion, and segments too short for a rate are left out; the present one never is.
std::vector<Rung> rungs_of(const Snapshot& snapshot, std::span<const Preset> presets);

// A bar for every setting measured so far, all on one scale from 0; the present one is marked.
void draw_ladder(const Area& area, std::span<const Rung> rungs, const Unit& unit, int scroll);

// How far it can be scrolled in an area of so many rows, and how far it must be to show the present
// one.
int ladder_scroll_end(int rows, std::span<const Rung> rungs);
int scroll_to_present(int rows, std::span<const Rung> rungs);

}  // namespace pipetop::tui

#include "tui/state/keymap.h"

#include <algorithm>
#include <array>

#include "engine/registry/knobs.h"

namespace pipetop::tui {
namespace {

struct Binding {
  Key key;
  KeyCommand command;
};

constexpr Binding kBindings[] = {
    {U'u', {Act::undo}},
    {U'0', {Act::baseline}},
    {U' ', {Act::freeze}},
    {key::tab, {Act::focus, 1}},
    {key::back_tab, {Act::focus, -1}},
    {U'j', {Act::move, 1}},
    {key::down, {Act::move, 1}},
    {U'k', {Act::move, -1}},
    {key::up, {Act::move, -1}},
    {key::page_down, {Act::page, 1}},
    {key::page_up, {Act::page, -1}},
    {key::home, {Act::first}},
    {key::end, {Act::last}},
    {key::left, {Act::focus, -1}},
    {key::right, {Act::focus, 1}},
    {U'f', {Act::form}},
    {U'+', {Act::open_level}},
    {key::enter, {Act::open_level}},
    {U'e', {Act::open_entry}},
    {U'E', {Act::open_all}},
    {U'C', {Act::close_all}},
    {U'o', {Act::sort}},
    {U'/', {Act::filter}},
    {U'w', {Act::activity}},
    {U'%', {Act::wall}},
    {U'a', {Act::compare}},
    {U'L', {Act::log}},
    {U'i', {Act::inspect}},
    {U'r', {Act::picture}},
    {U'P', {Act::parts}},
    {U'R', {Act::roof}},
    {U'?', {Act::help}},
    {key::escape, {Act::close}},
    {U'M', {Act::mouse}},
    {U'x', {Act::counters}},
    {key::ctrl('L'), {Act::redraw}},
    {key::ctrl('Z'), {Act::suspend}},
    {U'q', {Act::quit}},
    {key::ctrl('C'), {Act::quit}},
    {key::ctrl('\\'), {Act::abort}},
};

constexpr auto kScreenKeys = std::to_array<ScreenKey>({
    {"1-9", "the presets, in their order"},
    {"u", "undo the last change"},
    {"0", "back to the settings at the start"},
    {"Space", "freeze the screen; data goes on"},
    {"Tab", "the other function list"},
    {"j k", "select a function; arrows do too"},
    {"PgUp PgDn", "scroll; Home and End too"},
    {"f", "functions flat, or as a tree of calls"},
    {"+ Enter", "open or close the selected row"},
    {"e", "the same with all that is below it"},
    {"E C", "open all, close all"},
    {"o", "sort by self, or with what was called"},
    {"/", "filter functions by a part of the name"},
    {"w", "what the roles run, or wait in"},
    {"%", "shares of samples, or of wall time"},
    {"a", "freeze this segment as A to compare with"},
    {"L", "log of the segments between changes"},
    {"i", "inspect a slot; arrows move, Esc leaves"},
    {"r", "ring: histogram, heat map, or both"},
    {"P", "the ring, or the parts: pairs, clients"},
    {"R", "roof of the rate on or off; from --roof"},
    {"x", "BPF counters: percpu or shared"},
    {"M", "mouse on or off; off selects text"},
    {"?", "this help"},
    {"Esc", "close; no filter; nothing selected"},
    {"Ctrl-L", "draw everything again"},
    {"Ctrl-Z", "suspend; the workers stop too"},
    {"q", "quit; Ctrl-C does too"},
});

}  // namespace

KeyCommand command_for(Key k, const Settings& settings) {
  const auto keys = hot_keys(settings);
  const auto hot = std::ranges::find(keys, k, [](const HotKey& h) { return Key(h.key); });
  if (hot != keys.end()) return {Act::knob, static_cast<int>(hot - keys.begin())};
  if (k >= U'1' && k <= U'9') return {Act::preset, static_cast<int>(k - U'1')};
  const auto bound = std::ranges::find(kBindings, k, &Binding::key);
  return bound == std::end(kBindings) ? KeyCommand{} : bound->command;
}

std::span<const ScreenKey> screen_keys() { return kScreenKeys; }

}  // namespace pipetop::tui

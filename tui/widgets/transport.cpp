#include "tui/widgets/transport.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr std::array kSpeeds = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0};
constexpr size_t kNormal = 2;
// While nothing was recorded (pipetop was suspended) there is nothing to wait for.
constexpr uint64_t kLongestGap_ns = 2 * kSecond;
// Back to the mark before, unless this one has only just begun.
constexpr uint64_t kJustBegun_ns = kSecond;

constexpr int64_t kSeek_ns = 5 * int64_t{kSecond};

// "0:12.3", "1:02:03.4": all of one length, so that nothing moves.
std::string clock_text(uint64_t ns, uint64_t longest_ns) {
  const uint64_t tenths = ns / 100'000'000, s = tenths / 10, h = s / 3600;
  if (longest_ns >= uint64_t{3600} * 1'000'000'000)
    return fmt::format("{}:{:02}:{:02}.{}", h, s / 60 % 60, s % 60, tenths % 10);
  const int digits = longest_ns >= uint64_t{600} * 1'000'000'000 ? 2 : 1;
  return fmt::format("{:0{}}:{:02}.{}", s / 60, digits, s % 60, tenths % 10);
}

std::string pace_text(const ReplayState& replay) {
  if (replay.at_end()) return "at the end";
  if (replay.paused) return "paused";
  return fmt::format("×{}", replay.speed);
}

}  // namespace

std::vector<SceneTake> takes_of(std::span<const RecordedMark> marks, uint64_t end_ns,
                                std::span<const TakeChoice> chosen) {
  struct Lasting : SceneTake {
    uint64_t ns = 0;
  };
  std::map<uint32_t, std::vector<Lasting>> all;  // by scene
  uint64_t until_ns = end_ns;
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (mark->kind != RecordedMark::Kind::scene) continue;
    auto& takes = all[mark->number];
    takes.insert(takes.begin(), Lasting{{mark->number, mark->at_ns}, until_ns - mark->at_ns});
    until_ns = mark->at_ns;
  }
  std::vector<SceneTake> best;
  for (const auto& [number, takes] : all)
    best.push_back(*std::ranges::max_element(takes, {}, &Lasting::ns));
  for (const TakeChoice& choice : chosen) {
    const auto takes = all.find(choice.scene);
    const size_t count = takes == all.end() ? 0 : takes->second.size();
    if (choice.take < 1 || choice.take > count)
      throw Error(fmt::format("--take {}:{}: the recording has {} of scene {}", choice.scene,
                              choice.take, count == 1 ? "1 take" : fmt::format("{} takes", count),
                              choice.scene));
    *std::ranges::find(best, choice.scene, &SceneTake::number) = takes->second[choice.take - 1];
  }
  return best;
}

Playback::Playback(std::span<const uint64_t> times, std::span<const RecordedMark> marks)
    : times_(times), marks_(marks), speed_(kNormal) {}

void Playback::shorten(std::span<const uint64_t> times, std::span<const RecordedMark> marks) {
  times_ = times;
  marks_ = marks;
  go_to(at_ns_);
}

double Playback::speed() const { return kSpeeds[speed_]; }

bool Playback::change_speed(int steps) {
  const int next = static_cast<int>(speed_) + steps;
  if (next < 0 || next >= static_cast<int>(kSpeeds.size())) return false;
  speed_ = static_cast<size_t>(next);
  return true;
}

void Playback::pass(uint64_t ns) {
  if (paused_ || at_end()) return;
  const uint64_t from_ns = at_ns_;
  go_to(at_ns_ + static_cast<uint64_t>(double(ns) * speed()));
  if (holds_) {
    const auto scenes = scene_times();
    const auto next = std::ranges::upper_bound(scenes, from_ns);
    if (next != scenes.end() && at_ns_ >= *next) {
      go_to(*next);
      step(-1);
      return;
    }
  }
  if (at_end()) return;
  const uint64_t next = times_[frame_ + 1];
  const bool scene_ends =
      holds_ && std::ranges::binary_search(scene_times(), next - times_.front());
  const bool gap = !scene_ends && next - times_[frame_] > kLongestGap_ns;
  if (gap && times_.front() + at_ns_ > times_[frame_] + kLongestGap_ns) step(1);
}

void Playback::go_to(uint64_t at_ns) {
  at_ns_ = std::min(at_ns, duration_ns());
  follow();
}

void Playback::follow() {
  const auto after = std::ranges::upper_bound(times_, times_.front() + at_ns_);
  frame_ = static_cast<size_t>(after - times_.begin()) - 1;
}

void Playback::go(int64_t by_ns) {
  const auto back = static_cast<uint64_t>(-by_ns);
  go_to(by_ns >= 0 ? at_ns_ + static_cast<uint64_t>(by_ns) : at_ns_ - std::min(back, at_ns_));
}

void Playback::step(int frames) {
  const auto last = static_cast<int64_t>(times_.size()) - 1;
  frame_ = static_cast<size_t>(std::clamp<int64_t>(int64_t(frame_) + frames, 0, last));
  at_ns_ = times_[frame_] - times_.front();
}

// The first frame that shows it.
uint64_t Playback::time_of(const RecordedMark& mark) const {
  const auto frame = std::ranges::lower_bound(times_, mark.at_ns);
  return (frame == times_.end() ? times_.back() : *frame) - times_.front();
}

bool Playback::go_to_mark(bool forward) {
  if (forward) {
    const auto next = std::ranges::find_if(
        marks_, [this](const RecordedMark& mark) { return time_of(mark) > at_ns_; });
    if (next == marks_.end()) return false;
    go_to(time_of(*next));
    return true;
  }
  const uint64_t before = at_ns_ > kJustBegun_ns ? at_ns_ - kJustBegun_ns : 0;
  const auto last = std::find_if(marks_.rbegin(), marks_.rend(), [&](const RecordedMark& mark) {
    return time_of(mark) < std::max<uint64_t>(before, 1);
  });
  if (at_ns_ == 0) return false;
  go_to(last == marks_.rend() ? 0 : time_of(*last));
  return true;
}

// In their order.
std::vector<uint64_t> Playback::scene_times() const {
  std::vector<uint64_t> begin;
  for (const RecordedMark& mark : marks_)
    if (mark.kind == RecordedMark::Kind::scene) begin.push_back(time_of(mark));
  return begin;
}

void Playback::go_to_take(const SceneTake& take) {
  RecordedMark mark;
  mark.at_ns = take.at_ns;
  go_to(time_of(mark));
  paused_ = false;
}

const RecordedMark* Playback::scene() const {
  const RecordedMark* scene = nullptr;
  for (const RecordedMark& mark : marks_)
    if (mark.kind == RecordedMark::Kind::scene && time_of(mark) <= at_ns_) scene = &mark;
  return scene;
}

Transport::Transport(Recording& recording, Clock clock)
    : recording_(recording),
      clock_(clock),
      last_ns_(clock()),
      playback_(recording.times(), recording.marks()) {
  describe();
}

void Transport::describe() {
  state_ = {.begin_ns = recording_.begin_ns(),
            .at_ns = playback_.at_ns(),
            .duration_ns = recording_.duration_ns(),
            .speed = playback_.speed(),
            .paused = playback_.paused(),
            .marks = recording_.marks(),
            .scene = playback_.scene(),
            .takes = takes_,
            .cpus = recording_.header().host.cpus,
            .damage = recording_.damage()};
}

const Snapshot& Transport::tick() {
  const uint64_t now_ns = clock_();
  playback_.pass(now_ns - last_ns_);
  last_ns_ = now_ns;
  const Snapshot& now = shown();
  describe();
  return now;
}

// A damaged frame makes the recording shorter.
const Snapshot& Transport::shown() {
  const size_t frames = recording_.frames();
  const Snapshot& frame = recording_.frame(playback_.frame());
  if (recording_.frames() < frames) playback_.shorten(recording_.times(), recording_.marks());
  return frame;
}

void Transport::go_to(uint64_t at_ns) {
  playback_.go_to(at_ns);
  describe();
}

void Transport::present(std::span<const TakeChoice> chosen) {
  takes_ = takes_of(recording_.marks(), recording_.times().back(), chosen);
  playback_.hold_at_scenes();
  describe();
}

void Transport::go_to_scene(size_t index) {
  if (index < takes_.size()) playback_.go_to_take(takes_[index]);
  describe();
}

std::string Transport::go_to_mark(bool forward) {
  if (!playback_.go_to_mark(forward))
    return forward ? "no change follows" : "this is the beginning";
  const RecordedMark* reached = nullptr;
  const uint64_t now_ns = recording_.times()[playback_.frame()];
  for (const RecordedMark& mark : recording_.marks())
    if (mark.at_ns <= now_ns) reached = &mark;
  if (!reached) return {};
  const bool scene = reached->kind == RecordedMark::Kind::scene;
  return scene ? fmt::format("scene {}: {}", reached->number, reached->label) : reached->label;
}

std::string Transport::change_speed(int steps) {
  if (!playback_.change_speed(steps))
    return steps > 0 ? "this is the highest speed" : "this is the lowest speed";
  return fmt::format("{} times the speed", playback_.speed());
}

std::string Transport::press(Key key) {
  std::string said;
  switch (key) {
    case U' ':
      if (playback_.at_end()) {
        playback_.go_to(0);
        playback_.pause(false);
      } else {
        playback_.pause(!playback_.paused());
      }
      break;
    case key::left:
      playback_.go(-kSeek_ns);
      break;
    case key::right:
      playback_.go(kSeek_ns);
      break;
    case U',':
    case U'.':
      playback_.pause(true);
      playback_.step(key == U'.' ? 1 : -1);
      break;
    case U'<':
    case U'>':
      said = change_speed(key == U'>' ? 1 : -1);
      break;
    case U'n':
    case U'N':
      said = go_to_mark(key == U'n');
      break;
    case key::home:
      playback_.go_to(0);
      break;
    case key::end:
      playback_.go_to(playback_.duration_ns());
      break;
    default:
      break;
  }
  describe();
  return said;
}

std::vector<TitlePart> recording_badges(const ReplayState* replay, bool recording) {
  std::vector<TitlePart> badges;
  if (replay) badges.push_back({" REPLAY ", {Style::mark, kReverse}});
  if (recording) badges.push_back({" REC ", {Style::error, kReverse}});
  return badges;
}

std::optional<Message> damage_message(const ReplayState* replay) {
  if (!replay || !replay->at_end() || replay->damage.empty()) return std::nullopt;
  return Message{"the recording is " + std::string(replay->damage), Severity::warning};
}

void draw_time_line(const Area& area, const ReplayState& replay) {
  constexpr int kPaceCols = 10;
  const std::string now = clock_text(replay.at_ns, replay.duration_ns);
  const std::string all = clock_text(replay.duration_ns, replay.duration_ns);
  int col = area.put(0, 1, now, Style::value) + 1;
  const int end = area.cols() - 1 - kPaceCols - 2 - columns_of(all);
  const int cols = end - 1 - col;
  area.put(0, end, all, Style::plain);
  const std::string pace = pace_text(replay);
  area.put(0, area.cols() - 1 - columns_of(pace), pace,
           replay.paused || replay.at_end() ? Style::warning : Style::lit);
  if (cols < 2) return;
  const auto place = [&](uint64_t at_ns) {
    const double share = replay.duration_ns == 0 ? 0 : double(at_ns) / double(replay.duration_ns);
    return col + std::clamp(static_cast<int>(std::lround(share * (cols - 1))), 0, cols - 1);
  };
  const int here = place(replay.at_ns);
  for (int c = col; c < col + cols; ++c)
    area.put(0, c, "─", c <= here ? Ink(Style::lit) : Ink(Style::frame));
  const auto place_of = [&](const RecordedMark& mark) {
    return place(mark.at_ns - std::min(mark.at_ns, replay.begin_ns));
  };
  for (const RecordedMark& mark : replay.marks)
    if (mark.kind == RecordedMark::Kind::change) area.put(0, place_of(mark), "│", Style::mark);
  // The newest first: a number is left out where the next scene is too near.
  int next = col + cols + 1;
  for (auto mark = replay.marks.rbegin(); mark != replay.marks.rend(); ++mark) {
    if (mark->kind != RecordedMark::Kind::scene) continue;
    const int begin = place_of(*mark);
    const std::string number = std::to_string(mark->number);
    const bool fits = begin + 1 + columns_of(number) < next;
    area.put(0, begin, fits ? "▾" + number : "▾", Style::title);
    next = begin;
  }
  area.put(0, here, "●", {Style::value, kBold});
}

std::vector<KeyItem> transport_items(const ReplayState& replay) {
  std::vector<KeyItem> items = {{"Space",
                                 replay.at_end() ? "again"
                                 : replay.paused ? "play"
                                                 : "pause",
                                 {U' '}},
                                {"Left Right", "5 s", {key::left, key::right}},
                                {"n N", "change", {U'n', U'N'}},
                                {"< >", "speed", {U'<', U'>'}},
                                {", .", "frame", {U',', U'.'}}};
  return items;
}

}  // namespace pipetop::tui

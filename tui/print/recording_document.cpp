#include <fmt/chrono.h>
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/recording/recording.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

// What is said of a change or a scene.
struct Chapter {
  const RecordedMark& mark;
  double begin_s = 0;
  std::shared_ptr<const Segment> segment;  // of a change; null if it was not closed
};

std::vector<Chapter> chapters_of(Recording& recording) {
  auto segments = recording.segments();
  const Snapshot& last = recording.frame(recording.frames() - 1);
  segments.push_back(std::make_shared<const Segment>(last.throughput.current));
  std::ranges::stable_sort(segments, {}, &Segment::begin_ns);
  std::vector<Chapter> chapters;
  for (const RecordedMark& mark : recording.marks()) {
    const uint64_t since = std::max(mark.at_ns, recording.begin_ns()) - recording.begin_ns();
    const auto segment = std::ranges::lower_bound(segments, mark.at_ns, {}, &Segment::begin_ns);
    const bool has_one = mark.kind == RecordedMark::Kind::change && segment != segments.end() &&
                         (*segment)->begin_ns == mark.at_ns;
    chapters.push_back({mark, double(since) / 1e9, has_one ? *segment : nullptr});
  }
  return chapters;
}

std::string utc_text(uint64_t unix_s) {
  const auto seconds = static_cast<time_t>(unix_s);
  tm utc{};
  if (!::gmtime_r(&seconds, &utc)) return "an unknown time";
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", utc);
}

bool is_scene(const Chapter& chapter) { return chapter.mark.kind == RecordedMark::Kind::scene; }

// Rates of a watched pipeline are in bytes per second. A talk may have several workloads.
std::string chapters_text(const std::vector<Chapter>& chapters, bool watched) {
  TextTable table({{"begin", '>'}, {"rate", '>'}, {"what"}});
  for (const Chapter& chapter : chapters) {
    const Segment* segment = chapter.segment.get();
    const bool known = segment && segment->rate.has_value();
    table.add({fmt::format("{:.1f} s", chapter.begin_s),
               !known    ? ""
               : watched ? byte_rate_text(segment->rate->mean)
                         : rate_with_unit(segment->rate->mean, unit_of(segment->requested)),
               is_scene(chapter)
                   ? fmt::format("scene {}: {}", chapter.mark.number, chapter.mark.label)
                   : chapter.mark.label});
  }
  return table.text();
}

Json chapter_json(const Chapter& chapter, bool watched) {
  Json json = {{"kind", is_scene(chapter) ? "scene" : "change"},
               {"begin_s", rounded(chapter.begin_s)},
               {"number", chapter.mark.number},
               {"label", chapter.mark.label}};
  if (is_scene(chapter)) return json;
  json["key"] = chapter.mark.key;
  if (!chapter.segment) return json;
  const Settings& settings = chapter.segment->requested;
  put(json, watched ? "bytes_per_s" : unit_of(settings).key, chapter.segment->rate, rate_json);
  if (!watched) json["requested"] = knobs_json(settings);
  return json;
}

// What it is called for the longest time: at first some stages are not there yet, at the end some
// are gone.
std::string title_of(Recording& recording) {
  constexpr size_t kLooks = 32;
  std::map<std::string, size_t> seen;
  const size_t step = std::max<size_t>(1, recording.frames() / kLooks);
  for (size_t i = 0; i < recording.frames(); i += step)
    if (const auto& watched = recording.frame(i).watched) ++seen[watched->title()];
  return std::ranges::max_element(seen, {}, [](const auto& entry) { return entry.second; })->first;
}

// The pipe whose rates its changes have.
std::optional<PipeId> measured_in(Recording& recording) {
  const auto& watched = recording.frame(recording.frames() - 1).watched;
  return watched ? watched->measured : std::nullopt;
}

}  // namespace

Document recording_document(Recording& recording) {
  const std::vector<Chapter> chapters = chapters_of(recording);
  const RecordingHeader& header = recording.header();
  // The first scene of a talk may watch.
  const bool watched = std::ranges::none_of(chapters, is_scene) && recording.frame(0).watched;
  const std::string title = watched ? title_of(recording) : std::string();
  std::string text = fmt::format(
      "recorded {} by pipetop {}\n{}\n{}, {}, {:.0f} KiB\n", utc_text(header.unix_s),
      recording.version(), machine_text(header.host), seconds_text(recording.duration_ns()),
      counted(recording.frames(), "frame"), double(recording.bytes()) / 1024);
  if (!recording.damage().empty()) text += recording.damage() + "\n";
  if (watched) text += fmt::format("pipeline {}\n", title);
  const std::optional<PipeId> measured = measured_in(recording);
  if (watched && measured) text += fmt::format("rates of pipe {}\n", measured->inode);
  text += "\n" + chapters_text(chapters, watched);
  Json json = {{"version", recording.version()},
               {"unix_s", header.unix_s},
               {"workload", watched ? Json() : Json(terms_of(header.settings).name)},
               {"pipeline", watched ? Json(title) : Json()},
               {"measured_pipe", watched && measured ? Json(measured->inode) : Json()},
               {"host", short_host_json(header.host)},
               {"duration_ns", recording.duration_ns()},
               {"frames", recording.frames()},
               {"bytes", recording.bytes()},
               {"damage", recording.damage().empty() ? Json() : Json(recording.damage())},
               {"chapters", list_json(chapters, [&](const Chapter& chapter) {
                  return chapter_json(chapter, watched);
                })}};
  return {"recording", std::move(json), std::move(text)};
}

}  // namespace pipetop::tui

#include "tui/widgets/integrity_title.h"

#include <cmath>

#include "tui/draw/numbers.h"

namespace pipetop::tui {
namespace {

std::string damage_a_second(const Integrity& i) {
  std::string text;
  const auto add = [&text](std::string_view what, const Reading<double>& per_s) {
    if (!per_s.has_value() || *per_s <= 0) return;
    const std::string rate =
        *per_s < 1 ? "<1" : grouped_text(static_cast<uint64_t>(std::llround(*per_s)));
    text += fmt::format("{}{} {}/s", text.empty() ? "" : ", ", what, rate);
  };
  add("torn", i.torn_per_s);
  add("misplaced", i.misplaced_per_s);
  return text;
}

}  // namespace

TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload) {
  if (payload != Payload::stamped) return {};
  if (integrity.status == ReadingStatus::unavailable)
    return {integrity.reason.substr(0, integrity.reason.find("; ")), Style::warning};
  if (!integrity.has_value()) return {"no page verified yet", Style::dim};
  const Integrity& i = *integrity;
  const bool stale = integrity.status == ReadingStatus::stale;
  if (std::string now = damage_a_second(i); !now.empty()) return {std::move(now), Style::error};
  std::string text = grouped_text(i.verified) + " pages verified";
  if (i.misplaced + i.torn + i.unstamped == 0)
    return {std::move(text), stale ? Style::dim : Style::good};
  text = fmt::format("{} misplaced, {} torn, {} unstamped of {}", grouped_text(i.misplaced),
                     grouped_text(i.torn), grouped_text(i.unstamped), text);
  return {std::move(text), Style::error};
}

}  // namespace pipetop::tui

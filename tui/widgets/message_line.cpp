#include "tui/widgets/message_line.h"

#include <fmt/format.h>

#include "tui/dashboard/pen.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kInfoStays_ns = 10'000'000'000;
constexpr uint64_t kWarningStays_ns = 30'000'000'000;

std::string text_of(const Mismatch& m) {
  std::string text = fmt::format("{}: {} asked, {} in force", m.knob, m.requested, m.effective);
  if (!m.reason.empty()) text += ": " + m.reason;
  return text;
}

Message from_mismatches(const std::vector<Mismatch>& mismatches) {
  std::string text;
  if (mismatches.size() > 1) text = fmt::format("({} of {}) ", 1, mismatches.size());
  return {text + text_of(mismatches.front()), Severity::warning};
}

bool is_new(const Notice& notice, uint64_t now_ns) {
  const uint64_t stays = notice.severity == Severity::info ? kInfoStays_ns : kWarningStays_ns;
  return now_ns < notice.at_ns + stays;
}

Style style_of(Severity severity) {
  if (severity == Severity::info) return Style::dim;
  return severity == Severity::warning ? Style::warning : Style::error;
}

// After the sign that stands before all but plain news.
int text_col(Severity severity) { return severity == Severity::info ? 1 : 3; }

}  // namespace

Message message_of(const Snapshot& s, const ViewState& state) {
  if (!state.message.empty()) return {state.message, state.severity};
  const bool news = !s.notices.empty() && is_new(s.notices.back(), s.now_ns);
  if (news && s.notices.back().severity == Severity::error)
    return {s.notices.back().text, Severity::error};
  if (!s.effective.mismatches.empty()) return from_mismatches(s.effective.mismatches);
  if (news) return {s.notices.back().text, s.notices.back().severity};
  return {s.effective.zero_copy_reason, Severity::info};
}

int message_rows(const Message& m, int cols) {
  return static_cast<int>(broken(m.text, cols - text_col(m.severity) - 1).size());
}

void draw_message(const Area& area, const Message& m) {
  if (area.empty() || m.text.empty()) return;
  const Style style = style_of(m.severity);
  if (m.severity != Severity::info) area.put(0, 1, "!", {style, kReverse});
  const int col = text_col(m.severity);
  wrap(area.part({0, col, area.rows(), area.cols() - col - 1}), m.text, style);
}

}  // namespace pipetop::tui

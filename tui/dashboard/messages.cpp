#include "tui/dashboard/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "engine/judge/change_words.h"
#include "engine/judge/glossary.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kInfoStays_ns = 10'000'000'000;
constexpr uint64_t kWarningStays_ns = 30'000'000'000;
constexpr uint64_t kMendedStays_ns = 5'000'000'000;
constexpr uint64_t kTurn_ns = 4'000'000'000;  // of each error

// All that died has a successor.
bool all_run(const Snapshot& s) {
  return s.effective.settled && std::ranges::all_of(roles_of(s.requested), [&](Role role) {
           return s.worker(role).state == ProcessState::flowing;
         });
}

// The newest notice of a severity, while it is new. Warnings and errors are about the settings of
// their time, and a worker that died is soon no matter once its successor runs.
const Notice* newest(const Snapshot& s, Severity severity) {
  const uint64_t stays = severity == Severity::info                  ? kInfoStays_ns
                         : severity == Severity::error && all_run(s) ? kMendedStays_ns
                                                                     : kWarningStays_ns;
  const auto found =
      std::ranges::find(s.notices.rbegin(), s.notices.rend(), severity, &Notice::severity);
  if (found == s.notices.rend() || s.now_ns >= found->at_ns + stays) return nullptr;
  const bool outdated = severity != Severity::info && found->at_ns < s.throughput.current.begin_ns;
  return outdated ? nullptr : &*found;
}

std::string why_damaged(const Snapshot& s, bool names_keys) {
  std::string text = damage_text(*s.integrity->wrong_share);
  if (s.requested.pipe.buffers != Buffers::single) return text;
  text += ": rewritten while in the ring";
  if (names_keys)
    text += s.requested.pipe.slow_motion ? "; d fixes it" : "; d fixes it, m marks them";
  return text;
}

// Without stamps nothing is rewritten, and nothing would show it.
bool hides_damage(const Snapshot& s) {
  const PipeSettings& p = s.effective.settings.pipe;
  return s.requested.workload == WorkloadKind::pipe && p.buffers == Buffers::single &&
         lends_pages(p.write_with) && p.payload == Payload::constant;
}

// Most pressing first.
std::vector<Message> what_is_wrong(const Snapshot& s, bool names_keys) {
  std::vector<Message> wrong;
  if (is_damaged(s)) wrong.push_back({why_damaged(s, names_keys), Severity::error});
  const auto add = [&](Severity severity) {
    if (const Notice* notice = newest(s, severity)) wrong.push_back({notice->text, severity});
  };
  add(Severity::error);
  for (const Role role : roles_of(s.requested))
    if (const WorkerReadings& w = s.worker(role); w.state == ProcessState::stopped)
      wrong.push_back(
          {fmt::format("the {} is stopped {}", role_name(s.requested, role), w.state_reason),
           Severity::error});
  for (const Mismatch& m : s.effective.mismatches)
    wrong.push_back({fmt::format("{}: {} requested, {} effective{}{}", m.knob, m.requested,
                                 m.effective, m.reason.empty() ? "" : ": ", m.reason),
                     Severity::warning});
  if (hides_damage(s))
    wrong.push_back({fmt::format("buffers single: new data would overwrite pages in the ring{}",
                                 names_keys ? "; y shows it" : ""),
                     Severity::warning});
  add(Severity::warning);
  if (!s.noise.empty()) wrong.push_back({"disturbed: " + s.noise, Severity::warning});
  return wrong;
}

// From the function up to its entry point, so that truncation removes the far end.
std::string path_text(const ListState& list) {
  std::string text;
  const auto rows = rows_of(list);
  for (const CallRow* row = selected_row(list); row;) {
    if (!text.empty()) text += " ← ";
    text += row->name;
    row = row->parent < 0 ? nullptr : &rows[static_cast<size_t>(row->parent)];
  }
  return text;
}

// A function that the eye falls on, but whose samples are not its own. See numbers.md.
constexpr double kCatchesTheEye = 0.05;
const CallRow* marked_row(const Snapshot& s, const DashboardState& state) {
  if (!s.event.has_value() || s.event->name != kTimerEvent) return nullptr;
  if (state.log.open || state.choice.activity != Activity::running) return nullptr;
  for (const ListState& list : state.lists)
    for (const CallRow& row : rows_of(list))
      if (row.self >= kCatchesTheEye && ends_interrupts_off(row.name)) return &row;
  return nullptr;
}

// What it does, then its path.
std::string selected_text(const Snapshot& s, const ListState& list) {
  const std::string_view name = selected_row(list)->name;
  std::string text(what_it_does(name));
  if (s.event.has_value() && s.event->name == kTimerEvent && ends_interrupts_off(name))
    text = "counts code that ran with interrupts off: the timer had to wait for its end";
  if (!text.empty()) text += " · ";
  return text + path_text(list);
}

std::string advice_text(const Reading<Verdict>& verdict) {
  return verdict.has_value() ? verdict->advice_line() : "";
}

// What is worth knowing while nothing is wrong.
std::vector<std::string> infos_of(const Snapshot& s, const DashboardState& state, VerdictAt verdict,
                                  ChangeAt change) {
  std::vector<std::string> infos;
  const std::string cause = s.change.has_value() ? s.change->words() : "";
  const bool unseen = s.change.has_value() && !s.change->is_seen() && !s.change->evidence.empty();
  const std::string hint =
      unseen && !state.replay && !state.on_stage() ? "; a u a compares in turns" : "";
  if (state.compared()) {
    infos.push_back(state.turns->words());
  } else if (change == ChangeAt::message && !cause.empty()) {
    // The number that the throughput panel shows, too: causes are found less often.
    const Reading<RateStats>& rate = s.throughput.current.rate;
    const double after = is_settled(rate) ? rate->mean : s.change->after;
    infos.push_back(fmt::format("{}{}: {}{}",
                                gain_text(after, s.change->before, unit_of(s.requested)),
                                interval_text(s.change->low, s.change->high), cause, hint));
  } else if (!hint.empty()) {
    infos.push_back(s.change->evidence + hint);
  }
  const bool stamped = s.requested.pipe.payload == Payload::stamped;
  if (stamped && s.integrity.status == ReadingStatus::unavailable)
    infos.push_back(s.integrity.reason);
  else if (verdict == VerdictAt::message && s.verdict.has_value())
    infos.push_back(verdict_text(*s.verdict));
  infos.push_back(advice_text(s.verdict));
  std::erase(infos, "");
  if (const CallRow* marked = marked_row(s, state))
    infos.push_back(
        fmt::format("* {} counts code that ran with interrupts off{}", source_name(marked->name),
                    s.requested.workload == WorkloadKind::pipe ? ", mostly wakeups" : ""));
  return infos;
}

// "A and B in turns: B/A ×1.04 [0.99 .. 1.09], 7 turns, 9 s; Esc stops"
std::string progress_text(const Turns& turns) {
  return fmt::format("A and B in turns: {}; Esc stops", turns.words());
}

// Starts with the newest notice, so that it is read first.
size_t turn(const Snapshot& s, const DashboardState& state, size_t count) {
  const uint64_t since = s.notices.empty() ? 0 : s.notices.back().at_ns;
  const uint64_t now = std::max(state.frozen ? s.now_ns : state.now_ns, since);
  return (now - since) / kTurn_ns % count;
}

// After a change its cause comes first.
size_t info_turn(const Snapshot& s, size_t count) {
  const uint64_t since = s.throughput.current.begin_ns;
  return (std::max(s.now_ns, since) - since) / (2 * kTurn_ns) % count;
}

}  // namespace

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}", name_of(verdict.kind), verdict.because);
}

std::vector<Message> messages_of(const Snapshot& s, const DashboardState& state) {
  std::vector<Message> all;
  const auto add = [&](std::string text, Severity severity = Severity::info) {
    if (!text.empty()) all.push_back({std::move(text), severity});
  };
  add(state.message, state.severity);
  if (s.answer) add(s.answer->text, s.answer->severity);
  std::ranges::move(what_is_wrong(s, !state.on_stage()), std::back_inserter(all));
  if (const Notice* news = newest(s, Severity::info)) add(news->text);
  if (selected_row(state.list(state.focus))) add(selected_text(s, state.list(state.focus)));
  if (s.change.has_value()) add(s.change->words());
  const bool stamped = s.requested.pipe.payload == Payload::stamped;
  if (stamped && s.integrity.status == ReadingStatus::unavailable) add(s.integrity.reason);
  if (s.verdict.has_value()) add(verdict_text(*s.verdict));
  add(advice_text(s.verdict));
  add(s.effective.pipe.zero_copy_reason);
  return all;
}

std::string cause_text(const Snapshot& s, int cols) {
  if (!s.change.has_value()) return "";
  const Change& change = *s.change;
  std::string text = change.words();
  if (columns_of(text) <= cols) return text;
  if (!change.is_seen() && columns_of(change.evidence) <= cols && !change.evidence.empty())
    return change.evidence;
  // Without what else went away, then without any numbers.
  text = fmt::format("{}: {}", change.cause, change.evidence.substr(0, change.evidence.find("; ")));
  return columns_of(text) <= cols ? text : change.cause;
}

Message message_of(const Snapshot& s, const DashboardState& state, VerdictAt verdict,
                   ChangeAt change) {
  if (state.choice.filter_before) return {filter_prompt(state.choice.filter)};
  if (!state.message.empty()) return {state.message, state.severity};
  if (auto damage = damage_message(state.replay)) return *damage;
  if (s.answer) return {s.answer->text, s.answer->severity};
  if (state.take_turns()) return {progress_text(*state.turns)};
  std::vector<Message> wrong = what_is_wrong(s, !state.on_stage());
  const bool only_noise = wrong.size() == 1 && !s.noise.empty();
  // It may last for hours: it takes turns with what else there is to say.
  const bool selected = !state.log.open && selected_row(state.list(state.focus));
  if (!wrong.empty() && !(only_noise && (selected || turn(s, state, 2) != 0))) {
    const size_t n = turn(s, state, wrong.size());
    if (wrong.size() > 1)
      wrong[n].text = fmt::format("({} of {}) {}", n + 1, wrong.size(), wrong[n].text);
    return wrong[n];
  }
  if (const Notice* news = newest(s, Severity::info)) return {news->text};
  if (selected) return {selected_text(s, state.list(state.focus))};
  const std::vector<std::string> infos = infos_of(s, state, verdict, change);
  if (!infos.empty()) return {infos[info_turn(s, infos.size())]};
  return {s.effective.pipe.zero_copy_reason};
}

}  // namespace pipetop::tui

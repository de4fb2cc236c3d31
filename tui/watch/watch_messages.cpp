#include "tui/watch/watch_messages.h"

#include <fmt/core.h>

#include <string>

#include "tui/draw/numbers.h"
#include "tui/state/pipe_words.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kNoticeStay_ns = 10'000'000'000;
constexpr uint64_t kTurn_ns = 8'000'000'000;

// The descriptors of all processes at an end, with whole command lines.
std::string commands_text(const PipeRow& row, const std::vector<StageEnd>& ends) {
  std::string text;
  constexpr size_t kMostNamed = 16;
  size_t named = 0;
  for (const StageEnd& end : ends) {
    if (end.stage >= row.stages.size()) continue;
    if (named++ == kMostNamed) return fmt::format("{} and {} more", text, ends.size() - kMostNamed);
    const Stage& stage = row.stages[end.stage];
    text += fmt::format("{}{} (pid {}, fd {}{})", text.empty() ? "" : ", ",
                        stage.command.empty() ? stage.name : stage.command, stage.id.pid,
                        end.end.fd, end.active ? "" : ", idle");
  }
  return text.empty() ? "unknown" : text;
}

std::string row_text(const PipeRow& row) {
  return fmt::format("{}: {} → {}", name_of(row.pipe), commands_text(row, row.pipe.writers),
                     commands_text(row, row.pipe.readers));
}

// What is selected in the pipeline.
std::string selected_text(const PipelineState& state) {
  if (const Stage* stage = selected_stage(state))
    return fmt::format("{} (pid {}{}{})", stage->command, stage->id.pid,
                       stage->shares.has_value() ? "" : ", ", why_of(stage->shares.reason));
  if (const Pipe* pipe = selected_pipe(state)) {
    const auto& stages = state.shown().stages;
    return fmt::format("{}: {} → {}", name_of(*pipe), ends_text(*pipe, stages, Role::writer),
                       ends_text(*pipe, stages, Role::reader));
  }
  return {};
}

std::string selected_text(const WatchState& state) {
  if (state.in_pipeline) return selected_text(state.pipeline);
  const PipeRow* row = selected_row(state.table);
  return row ? row_text(*row) : std::string();
}

// What holds for as long as the screen does, or until a key ends it.
std::vector<Message> standing(const WatchState& state) {
  std::vector<Message> all;
  if (!state.shown) return all;
  const WatchSnapshot& s = *state.shown;
  if (!s.reason.empty()) all.push_back({s.reason, Severity::warning});
  if (s.counts_bytes) all.push_back({std::string(price_of_counting()), Severity::warning});
  for (const Intervention& change : s.interventions)
    all.push_back(change.waits.empty()
                      ? Message{fmt::format("in place: {}; u undoes the last, 0 all", change.text)}
                      : Message{fmt::format("not put back: {}: {}", change.text, change.waits),
                                Severity::warning});
  if (!s.left_out.empty()) all.push_back({left_out_text(s.left_out), Severity::warning});
  if (s.unreadable > 0)
    all.push_back({fmt::format("{} processes of other users cannot be read; sudo pipetop watch",
                               grouped_text(s.unreadable))});
  return all;
}

std::optional<Message> newest(const WatchState& state) {
  if (state.notices.empty()) return std::nullopt;
  const Notice& notice = state.notices.back();
  if (state.now_ns >= notice.at_ns + kNoticeStay_ns) return std::nullopt;
  return Message{notice.text, notice.severity};
}

const std::optional<std::string>& filter_before(const WatchState& state) {
  return state.in_pipeline ? state.pipeline.choice.filter_before : state.table.filter_before;
}

const std::string& filter(const WatchState& state) {
  return state.in_pipeline ? state.pipeline.choice.filter : state.table.choice.filter;
}

}  // namespace

std::string_view price_of_counting() {
  return "exact: every system call of this machine takes 0.2 to 0.3 µs longer; x ends it";
}

std::vector<Message> messages_of(const WatchState& state) {
  std::vector<Message> all;
  if (!state.message.empty()) all.push_back({state.message, state.severity});
  for (auto notice = state.notices.rbegin(); notice != state.notices.rend(); ++notice)
    all.push_back({notice->text, notice->severity});
  for (Message& message : standing(state)) all.push_back(std::move(message));
  if (std::string text = selected_text(state); !text.empty()) all.push_back({std::move(text)});
  return all;
}

Message message_of(const WatchState& state) {
  if (state.prompt) return {state.prompt->text()};
  if (filter_before(state))
    return {fmt::format("/{}_   Enter keeps the filter, Esc drops it", filter(state))};
  if (!state.message.empty()) return {state.message, state.severity};
  if (const auto notice = newest(state)) return *notice;
  std::vector<Message> turns = standing(state);
  if (std::string text = selected_text(state); !text.empty()) turns.push_back({std::move(text)});
  if (turns.empty()) return {};
  return turns[state.now_ns / kTurn_ns % turns.size()];
}

}  // namespace pipetop::tui

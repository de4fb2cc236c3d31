#include "engine/watch/leftovers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/process/put_back.h"
#include "engine/watch/intervention_words.h"

namespace pipetop {
namespace {

// The newest first: as they have to be put back.
std::vector<uint32_t> steps_of(const ChangeList& list) {
  std::vector<uint32_t> steps;
  for (const ForeignChange& change : list.changes())
    if (change.is_in_place != 0 && (steps.empty() || steps.back() != change.step))
      steps.push_back(change.step);
  std::ranges::reverse(steps);
  return steps;
}

void forget_what_has_ended(ChangeList& list) {
  for (ForeignChange& change : list.changes())
    if (look_for(change.process) == ESRCH) change.is_in_place = 0;
}

void remove(const ChangeRecord& record) { ::unlink(record.path.c_str()); }

std::string damage_text(const ChangeRecord& record) {
  return fmt::format("{} is damaged, or of another version of pipetop: it is ignored; rm {}",
                     record.path, record.path);
}

void put_back(FoundRecord& found, PutBackReport& report) {
  ChangeList& list = *found.list;
  for (const uint32_t step : steps_of(list)) {
    const std::string text = text_of(list, step);
    const PutBack result = put_back_step(list, step);
    if (result.error != 0)
      report.left.push_back(fmt::format("not put back: {}: {}; {}", text, why_in_place(list, step),
                                        remedy_of(list, step, true)));
    else
      report.done.push_back(text_of(result) + text);
  }
  write_record(found.record.file.get(), list);
  if (list.is_empty()) remove(found.record);
}

}  // namespace

Leftovers find_leftovers(const std::string& records) {
  FoundRecords found = find_records(records);
  Leftovers leftovers{.changes = {}, .damaged = {}, .in_use = found.in_use};
  for (const FoundRecord& one : found.left) {
    if (!one.list) {
      leftovers.damaged.push_back(damage_text(one.record));
      continue;
    }
    forget_what_has_ended(*one.list);
    for (const uint32_t step : steps_of(*one.list))
      leftovers.changes.push_back(text_of(*one.list, step));
    if (one.list->is_empty()) remove(one.record);
  }
  return leftovers;
}

std::string leftovers_text(const Leftovers& leftovers) {
  std::string text;
  if (!leftovers.changes.empty())
    text = fmt::format("a pipetop that has ended has left in place: {}; {}",
                       fmt::join(leftovers.changes, ", "), put_back_command());
  for (const std::string& damaged : leftovers.damaged) text += (text.empty() ? "" : ". ") + damaged;
  return text;
}

PutBackReport put_back_leftovers(const std::string& records) {
  FoundRecords found = find_records(records);
  PutBackReport report{.done = {}, .left = {}, .in_use = found.in_use};
  for (FoundRecord& one : found.left) {
    if (one.list)
      put_back(one, report);
    else
      report.left.push_back(damage_text(one.record));
  }
  return report;
}

}  // namespace pipetop

#include <array>

#include "engine/base/version.h"
#include "engine/doctor/doctor.h"
#include "engine/observe/capabilities.h"
#include "tui/print/document.h"
#include "tui/print/phrases.h"
#include "tui/print/text_table.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, 3> kCheckResults = {"works", "limited", "missing"};

const char* result_text(const Check& check) {
  return kCheckResults[static_cast<size_t>(check.result)];
}

// What is missing for a user without root.
std::string lost(std::span<const Check> checks) {
  std::string line;
  for (const Check& check : checks)
    if (line.empty()) line = observe::lost_without_root(check.why);
  return line;
}

std::string doctor_text(const HostInfo& host, std::span<const Check> checks) {
  TextTable table({{"", '<', 7}, {""}, {""}});
  for (const Check& check : checks) {
    table.add({result_text(check), check.name, check.found});
    if (!check.why.empty()) table.add({"", "", "why: " + check.why});
    const bool said = !observe::lost_without_root(check.why).empty();  // at the top, once for all
    if (!check.remedy.empty() && !said) table.add({"", "", "try: " + check.remedy});
  }
  const std::string line = lost(checks);
  return machine_text(host) + "\n" + (line.empty() ? "" : line + "\n") + "\n" + table.text();
}

}  // namespace

Document doctor_document(const HostInfo& host, std::span<const Check> checks) {
  Json json = {{"version", kVersion}, {"host", short_host_json(host)}, {"checks", Json::array()}};
  for (const Check& check : checks)
    json["checks"].push_back({{"name", check.name},
                              {"result", result_text(check)},
                              {"found", check.found},
                              {"why", check.why},
                              {"remedy", check.remedy}});
  const std::string line = lost(checks);
  json["lost_without_root"] = line.empty() ? Json() : Json(line);
  return {"doctor", std::move(json), doctor_text(host, checks)};
}

}  // namespace pipetop::tui
